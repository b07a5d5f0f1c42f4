//! The name of every ref that afresh makes. No other file spells them.
//!
//! ```text
//! refs/heads/afresh/RUN                       the branch of a run; short name afresh/RUN
//! refs/notes/afresh                           the receipts of merged tasks, which people exchange
//! refs/afresh/runs/RUN                        its tip, kept even if the user deletes the branch
//! refs/afresh/salvage/RUN/ATTEMPT             the work of an attempt
//! refs/afresh/salvage/RUN/ATTEMPT.step-N      a finished step of an attempt
//! ```

use super::RefError;

const BRANCHES: &str = "refs/heads/";
const RUN_BRANCH_FOLDER: &str = "afresh/";

/// The prefix of all branches of runs.
pub const RUN_BRANCHES: &str = "refs/heads/afresh/";
/// The prefix of all refs of afresh that are not branches.
pub const OWN_REFS: &str = "refs/afresh/";
/// The prefix of the refs that keep the tips of runs.
pub const RUN_TIPS: &str = "refs/afresh/runs/";
/// The prefix of the refs that keep unmerged work.
pub const SALVAGE_REFS: &str = "refs/afresh/salvage/";
/// The ref whose notes hold the receipts of merged tasks. People fetch, merge and push it, so it may change at any time.
pub const RECEIPT_NOTES: &str = "refs/notes/afresh";

/// The full name of a branch.
pub fn branch_ref(branch: &str) -> String {
    format!("{BRANCHES}{branch}")
}

/// The short name of a branch; none if this is not the full name of one.
pub fn branch_name(full: &str) -> Option<&str> {
    full.strip_prefix(BRANCHES)
}

/// A ref as people know it: branches by their short names, other refs by their full names.
pub fn display_name(full: &str) -> &str {
    branch_name(full).unwrap_or(full)
}

/// The short name of a run's branch.
pub fn run_branch_name(run: &str) -> String {
    format!("{RUN_BRANCH_FOLDER}{run}")
}

/// The full name of a run's branch.
pub fn run_branch_ref(run: &str) -> String {
    branch_ref(&run_branch_name(run))
}

/// The run whose branch has this full name.
pub fn run_of_branch_ref(full: &str) -> Option<&str> {
    full.strip_prefix(RUN_BRANCHES)
}

/// The ref that keeps everything that landed on a run's branch, even if the user deletes the branch.
pub fn run_tip_ref(run: &str) -> String {
    format!("{RUN_TIPS}{run}")
}

/// The run whose tip this ref keeps.
pub fn run_of_tip_ref(full: &str) -> Option<&str> {
    full.strip_prefix(RUN_TIPS)
}

/// The ref that keeps the work of an attempt.
pub fn salvage_ref(run: &str, attempt: &str) -> String {
    format!("{}{attempt}", salvage_prefix(run))
}

/// The ref that keeps a finished step while its attempt continues.
pub fn step_ref(run: &str, attempt: &str, number: usize) -> String {
    salvage_ref(run, &format!("{attempt}.step-{number}"))
}

/// The prefix of all salvage refs of a run; for [`crate::Repository::list_refs`].
pub fn salvage_prefix(run: &str) -> String {
    format!("{SALVAGE_REFS}{run}/")
}

/// Run and attempt of a salvage ref.
pub fn split_salvage_ref(full: &str) -> Option<(&str, &str)> {
    full.strip_prefix(SALVAGE_REFS)?.split_once('/')
}

/// Whether this is the full name of a ref that keeps one attempt's work.
pub(crate) fn is_salvage_ref(full: &str) -> bool {
    let attempt = split_salvage_ref(full).map(|(_, attempt)| attempt);
    attempt.is_some_and(|attempt| !attempt.contains('/')) && check_ref_name(full).is_ok()
}

/// Stricter than git: afresh chooses the names it uses.
pub(crate) fn check_ref_name(name: &str) -> Result<(), RefError> {
    let bad = |reason| Err(RefError::BadName { name: name.to_owned(), reason });
    if !name.starts_with("refs/") {
        return bad("it does not start with refs/");
    }
    let is_forbidden = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    if name.contains(is_forbidden) || name.contains("@{") {
        return bad("it contains a character that git does not allow");
    }
    let is_valid_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && part.strip_suffix(".lock").is_none()
    };
    if name.contains("..") || !name.split('/').all(is_valid_part) {
        return bad("a part of it is empty, starts or ends with a dot, or ends in .lock");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_ref_names_are_rejected() {
        for bad in ["HEAD", "refs/../x", "refs/a b", "refs//a", "refs/a.lock", "refs/a\0b", "refs/"]
        {
            assert!(check_ref_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_ref_name(&run_branch_ref("2024-01")).is_ok());
    }

    #[test]
    fn a_step_has_its_own_ref_beside_its_attempt() {
        let name = step_ref("2024-01", "T1.2", 3);
        assert_eq!(name, "refs/afresh/salvage/2024-01/T1.2.step-3");
        assert!(is_salvage_ref(&name));
    }

    #[test]
    fn refs_of_a_run_lead_back_to_the_run() {
        assert_eq!(run_branch_ref("r-1"), "refs/heads/afresh/r-1");
        assert_eq!(run_of_branch_ref(&run_branch_ref("r-1")), Some("r-1"));
        assert_eq!(run_of_tip_ref(&run_tip_ref("r-1")), Some("r-1"));
        assert_eq!(split_salvage_ref(&salvage_ref("r-1", "T1.2")), Some(("r-1", "T1.2")));
        assert_eq!(display_name(&run_branch_ref("r-1")), "afresh/r-1");
    }
}
