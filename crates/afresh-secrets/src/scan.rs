//! Finds secrets without changing the text.

use serde::Serialize;

use crate::diff::locate_new_secrets;
use crate::matcher::{Classified, SecretMatcher, TextEnd};

/// A secret in a text, by byte offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    pub start: usize,
    pub end: usize,
    pub kind: SecretKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// The value at this index of the caller's list.
    Value(usize),
    /// A key of this kind, by what it looks like.
    Key(&'static str),
}

/// Finds secrets in one text at a time.
#[derive(Debug)]
pub struct SecretScanner {
    matcher: SecretMatcher,
}

impl SecretScanner {
    /// Finds these values, and everything that looks like a key.
    pub fn new(secrets: &[String]) -> Self {
        Self { matcher: SecretMatcher::new(secrets) }
    }

    /// Every secret, in order.
    pub fn find(&self, bytes: &[u8]) -> Vec<SecretMatch> {
        let mut matches = Vec::new();
        let mut from = 0;
        while let Some(found) = self.matcher.find(bytes, from) {
            from = found.start() + 1;
            let classified = SecretMatcher::classify(bytes, [b'\n'; 2], found, TextEnd::Final);
            if let Classified::Secret { end } = classified {
                let kind = match SecretMatcher::key_pattern(&found) {
                    Some(pattern) => SecretKind::Key(pattern.name),
                    None => SecretKind::Value(self.matcher.value_index(&found)),
                };
                matches.push(SecretMatch { start: found.start(), end, kind });
                from = end;
            }
        }
        matches
    }
}

/// One place that holds a secret. It never holds the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SecretFinding {
    /// A file, a ref with a path, or a record of the journal.
    pub place: String,
    pub source: SecretSource,
    /// Counted from 1.
    pub line: u64,
    /// In bytes, counted from 1.
    pub column: u64,
    /// The kind of key, or the variable whose value it is.
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecretSource {
    /// A file of the checkout, or one that the user named.
    File,
    /// What a run added to its branch.
    Branch,
    /// Unmerged work under a salvage ref.
    Salvage,
    Journal,
    /// Prompts, logs and transcripts.
    State,
}

/// A scan over many texts, and what it found so far.
#[derive(Debug)]
pub struct SecretScan {
    scanner: SecretScanner,
    /// The variables whose values are searched for.
    variables: Vec<String>,
    pub findings: Vec<SecretFinding>,
    /// How many secrets were in lines marked as examples.
    pub allowed: usize,
    /// How many files, versions of files and records were read.
    pub scanned: usize,
    /// What could not be read, and why.
    pub skipped: Vec<(String, String)>,
}

impl SecretScan {
    /// `secrets` are variables with their values.
    pub fn new(secrets: Vec<(String, String)>) -> Self {
        let (variables, values): (Vec<String>, Vec<String>) = secrets.into_iter().unzip();
        Self {
            scanner: SecretScanner::new(&values),
            variables,
            findings: Vec::new(),
            allowed: 0,
            scanned: 0,
            skipped: Vec::new(),
        }
    }

    /// `before` is what the same place held earlier; its lines are not reported again.
    pub fn scan_text(
        &mut self,
        source: SecretSource,
        place: &str,
        text: &[u8],
        before: Option<&[u8]>,
    ) {
        self.scanned += 1;
        let matches = self.scanner.find(text);
        if matches.is_empty() {
            return;
        }
        for located in locate_new_secrets(text, before, &matches) {
            if located.is_marked_as_example() {
                self.allowed += 1;
            } else {
                self.findings.push(SecretFinding {
                    place: place.to_owned(),
                    source,
                    line: located.line,
                    column: located.column,
                    what: self.describe(located.kind),
                });
            }
        }
    }

    /// Records that a place could not be read.
    pub fn skip(&mut self, place: String, why: impl Into<String>) {
        self.skipped.push((place, why.into()));
    }

    fn describe(&self, kind: SecretKind) -> String {
        match kind {
            SecretKind::Key(name) => name.to_owned(),
            SecretKind::Value(index) => format!("the value of {}", self.variables[index]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::KEY_PATTERNS;

    /// B36: every key pattern is found, and reported by its name.
    #[test]
    fn every_key_pattern_is_found() {
        let scanner = SecretScanner::new(&["hunter22hunter".to_owned()]);
        for pattern in KEY_PATTERNS {
            let key = format!("{}{}", pattern.prefix, "aB3".repeat(pattern.min_len / 3 + 1));
            let text = format!("key = \"{key}\"");
            let matches = scanner.find(text.as_bytes());
            let [found] = &matches[..] else { panic!("{text}: {matches:?}") };
            assert_eq!((found.start, found.end), (7, 7 + key.len()), "{text}");
            assert_eq!(found.kind, SecretKind::Key(pattern.name));
        }
        let matches = scanner.find(b"x hunter22hunter y");
        assert_eq!(matches, [SecretMatch { start: 2, end: 16, kind: SecretKind::Value(0) }]);
    }
}
