//! Making a commit of a tree that exists.

use afresh_core::ids::{CommitId, TreeId};

use crate::command::CommandError;
use crate::identity::Signature;
use crate::repository::{Repository, parse_id};

/// All that a commit is made of; the same parts give the same id.
#[derive(Debug, Clone, Copy)]
pub struct NewCommit<'a> {
    pub tree: &'a TreeId,
    pub parents: &'a [CommitId],
    pub message: &'a str,
    pub signature: &'a Signature,
}

impl Repository {
    /// Writes a commit to the disk. No ref points to it yet: nothing may rest on it until one does.
    pub fn commit(&self, new: &NewCommit<'_>) -> Result<CommitId, CommandError> {
        let mut call = self.git("make a commit");
        for (name, value) in new.signature.variables() {
            call = call.env(name, value);
        }
        call = call.args(["commit-tree", new.tree.as_str()]);
        for parent in new.parents {
            call = call.args(["-p", parent.as_str()]);
        }
        let answer = call.feed(message_bytes(new.message)).done()?;
        parse_id(answer.line()?, |detail| answer.unexpected(detail))
    }
}

/// Git refuses a NUL in a message, and a message ends with a line break.
fn message_bytes(message: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = message.bytes().filter(|byte| *byte != 0).collect();
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    bytes
}
