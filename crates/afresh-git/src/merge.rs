//! Builds the result of a merge without a checkout and without the user's merge drivers.
//!
//! Attributes are ignored: they could name a merge driver, which is a program that a worker chose.

use afresh_core::ids::{CommitId, TreeId};

use crate::git::command::{CommandError, GitOutput};
use crate::git::repository::parse_id;
use crate::objects::merge::{MergeSides, merge_without_git};
use crate::objects::path_text::render_path;
use crate::objects::tree::tree_object_id;
use crate::workspace::pool::{PoolError, WorkspacePool};

/// How much of git's conflict messages is passed on.
const MAX_ACCOUNT_BYTES: usize = 64 * 1024;

/// What to merge.
#[derive(Debug, Clone, Copy)]
pub struct MergeRequest<'a> {
    /// Where the attempt started.
    pub base: &'a CommitId,
    /// Where the branch is now.
    pub onto: &'a CommitId,
    /// What the attempt made.
    pub theirs: &'a CommitId,
    pub theirs_tree: &'a TreeId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    Clean {
        tree: TreeId,
    },
    /// `text` holds git's messages about the conflict.
    Conflict {
        paths: Vec<String>,
        text: String,
    },
}

impl WorkspacePool {
    /// Merges two commits; the tree of a clean merge is on disk afterwards.
    pub fn merge(&self, merge: &MergeRequest<'_>) -> Result<MergeOutcome, PoolError> {
        // Nothing has landed meanwhile: the attempt's tree is the result.
        if merge.onto == merge.base {
            return Ok(MergeOutcome::Clean { tree: merge.theirs_tree.clone() });
        }
        let MergeRequest { base, onto, theirs, theirs_tree } = merge;
        let sides = MergeSides {
            base: self.repository.tree_object_id_of(base)?,
            ours: self.repository.tree_object_id_of(onto)?,
            theirs: tree_object_id(theirs_tree),
        };
        if let Some(tree) = merge_without_git(&self.repository, sides)? {
            let tree = TreeId::new(tree.to_string()).expect("a digest in hexadecimal is an id");
            return Ok(MergeOutcome::Clean { tree });
        }
        let call = self.shadow_git(format!("merge {theirs} into {onto}"))?;
        let mut call = call.args(["merge-tree", "--write-tree", "-z", "--name-only", "--messages"]);
        if self.repository.program.can_name_the_merge_base() {
            call = call.args([format!("--merge-base={base}")]);
        }
        let answer = call.args([onto.as_str(), theirs.as_str()]).run()?;
        Ok(parse_outcome(answer)?)
    }
}

/// Reads what `merge-tree --write-tree -z --name-only --messages` printed.
pub(crate) fn parse_outcome(answer: GitOutput) -> Result<MergeOutcome, CommandError> {
    match answer.code() {
        Some(0) => Ok(MergeOutcome::Clean { tree: parse_tree(&answer)? }),
        Some(1) => Ok(parse_conflict(&answer)),
        _ => Err(answer.failure()),
    }
}

fn parse_tree(answer: &GitOutput) -> Result<TreeId, CommandError> {
    let first = answer.fields().next().unwrap_or_default();
    parse_id(&String::from_utf8_lossy(first), |detail| answer.unexpected(detail))
}

/// Reads `tree NUL (path NUL)* NUL (count NUL path{count} type NUL message NUL)*`.
fn parse_conflict(answer: &GitOutput) -> MergeOutcome {
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let mut fields = answer.fields().skip(1);
    let mut paths: Vec<String> =
        fields.by_ref().take_while(|field| !field.is_empty()).map(render_path).collect();
    paths.dedup();
    let mut account = String::new();
    while let Some(count) = fields.next() {
        let count: usize = text(count).parse().unwrap_or(0);
        // The paths and the short type are repeated in the message itself.
        let Some(message) = fields.by_ref().nth(count + 1) else { break };
        if account.len() + message.len() > MAX_ACCOUNT_BYTES {
            account.push_str("…\n");
            break;
        }
        account.push_str(text(message).trim_end());
        account.push('\n');
    }
    MergeOutcome::Conflict { paths, text: account }
}
