//! Versions as programs print them.

use std::cmp::Ordering;
use std::fmt;

/// Major, minor, patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramVersion(u64, u64, u64);

impl ProgramVersion {
    /// The first one in a line: `codex-cli 0.166.0`, `2.1.197 (Claude Code)`, `v1.2.3-beta.1`.
    pub fn parse(line: &str) -> Option<Self> {
        line.split_whitespace().find_map(|word| {
            let word = word.trim_start_matches('v');
            let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
            let mut numbers = word[..end].split('.').map(|number| number.parse().ok());
            Some(Self(numbers.next()??, numbers.next()??, numbers.next()??))
        })
    }

    /// How it compares to the tested version; nothing where they are equal.
    pub fn beside(self, tested: &str) -> Option<VersionAge> {
        match self.cmp(&Self::parse(tested)?) {
            Ordering::Less => Some(VersionAge::Older),
            Ordering::Greater => Some(VersionAge::Newer),
            Ordering::Equal => None,
        }
    }
}

/// How a version compares to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionAge {
    Older,
    Newer,
}

impl fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        let read = |line| ProgramVersion::parse(line).map(|version| version.to_string());
        assert_eq!(read("codex-cli 0.166.0").as_deref(), Some("0.166.0"));
        assert_eq!(read("2.1.197 (Claude Code)").as_deref(), Some("2.1.197"));
        assert_eq!(read("tool v1.2.3-beta.1").as_deref(), Some("1.2.3"));
        for none in ["", "1.2", "a.b.c", "99999999999999999999.1.1", "..", "usage: x"] {
            assert_eq!(read(none), None, "{none}");
        }
        let version = ProgramVersion::parse("2.1.10").expect("one");
        assert_eq!(version.beside("2.1.9"), Some(VersionAge::Newer));
        assert_eq!(version.beside("2.2.0"), Some(VersionAge::Older));
        assert_eq!(version.beside("2.1.10"), None);
    }
}
