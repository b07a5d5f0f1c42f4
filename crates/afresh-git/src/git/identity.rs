//! Author, committer and time of a commit.
//!
//! The caller always passes the time in, so that a commit's id is a function of its inputs.

/// A name and an address as git writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitIdentity {
    name: String,
    email: String,
}

impl CommitIdentity {
    /// Removes what git cannot store; a part that is then empty becomes `afresh`.
    pub fn new(name: &str, email: &str) -> Self {
        let own = Self::default();
        Self { name: clean(name).unwrap_or(own.name), email: clean(email).unwrap_or(own.email) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn email(&self) -> &str {
        &self.email
    }
}

impl Default for CommitIdentity {
    fn default() -> Self {
        Self { name: String::from("afresh"), email: String::from("afresh@localhost") }
    }
}

fn clean(text: &str) -> Option<String> {
    let plain: String =
        text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect();
    // Git strips these at both ends, and rejects a name that is then empty.
    let crud = |c: char| c.is_whitespace() || ".,:;\"\\'".contains(c);
    let kept = plain.trim_matches(crud);
    (!kept.is_empty()).then(|| kept.to_owned())
}

/// An identity at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSignature {
    pub identity: CommitIdentity,
    /// Seconds since 1970, written as UTC.
    pub at_seconds: u64,
}

impl CommitSignature {
    /// The environment variables that make git use this signature.
    pub(crate) fn variables(&self) -> [(&'static str, String); 6] {
        let date = format!("@{} +0000", self.at_seconds);
        [
            ("GIT_AUTHOR_NAME", self.identity.name.clone()),
            ("GIT_AUTHOR_EMAIL", self.identity.email.clone()),
            ("GIT_AUTHOR_DATE", date.clone()),
            ("GIT_COMMITTER_NAME", self.identity.name.clone()),
            ("GIT_COMMITTER_EMAIL", self.identity.email.clone()),
            ("GIT_COMMITTER_DATE", date),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_git_would_reject_is_replaced() {
        assert_eq!(CommitIdentity::new("", "x@y").name(), "afresh");
        assert_eq!(CommitIdentity::new(" .;", "<>").email(), "afresh@localhost");
        assert_eq!(CommitIdentity::new("A <b>\nC", "a@b").name(), "A bC");
    }
}
