//! A run's work as one patch, for `git am` and `git apply`.

use std::fmt::Write as _;

use afresh_core::ids::CommitId;
use afresh_core::printable;

use crate::git::command::CommandError;
use crate::git::identity::CommitSignature;
use crate::git::repository::Repository;

/// The header of the patch.
#[derive(Debug, Clone, Copy)]
pub struct PatchHeader<'a> {
    pub subject: &'a str,
    pub body: &'a str,
    /// The time in the format of mails, such as `Sun, 15 Nov 2026 09:30:00 +0000`.
    pub date: &'a str,
    /// For people, between message and changes: git ignores it.
    pub remarks: &'a str,
    pub signature: &'a CommitSignature,
}

impl Repository {
    /// Everything between two commits, binary files included.
    pub fn patch(
        &self,
        old: &CommitId,
        new: &CommitId,
        head: &PatchHeader<'_>,
    ) -> Result<Vec<u8>, CommandError> {
        let call = self.git(format!("make a patch of {new}"));
        let options = ["-p", "-r", "--binary", "--full-index", "--no-renames", "--no-color"];
        let plain = ["--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"];
        let call = call.args(["diff-tree"]).args(options).args(plain);
        let answer = call.args([old.as_str(), new.as_str()]).run_checked()?;
        let mut patch = mail_head(new, head).into_bytes();
        patch.extend(answer.stdout);
        patch.extend(b"-- \nafresh\n");
        Ok(patch)
    }
}

fn mail_head(new: &CommitId, head: &PatchHeader<'_>) -> String {
    let identity = &head.signature.identity;
    let mut text = format!("From {new} Mon Sep 17 00:00:00 2001\n");
    let _ = writeln!(text, "From: {} <{}>", quoted(identity.name()), identity.email());
    let _ = writeln!(text, "Date: {}", head.date);
    let _ = writeln!(text, "Subject: [PATCH] {}", printable::line(head.subject));
    text.push_str("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n");
    // A line that looks like the start of the changes would end the message too early.
    for line in head.body.lines().map(printable::line).filter(|line| !starts_a_patch(line)) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str("---\n");
    for line in head.remarks.lines().map(printable::line).filter(|line| !starts_a_patch(line)) {
        text.push_str(&line);
        text.push('\n');
    }
    text.push('\n');
    text
}

/// What `git am` interprets as the end of a message.
fn starts_a_patch(line: &str) -> bool {
    ["---", "diff -", "Index: ", "From "].iter().any(|start| line.starts_with(start))
}

/// A name in the format of mails.
fn quoted(name: &str) -> String {
    if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ') || !name.is_ascii() {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace(['"', '\\'], ""))
}
