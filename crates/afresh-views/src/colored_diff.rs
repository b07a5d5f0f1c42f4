//! A difference as git prints it, line by line, with what each line is: the terminal colours it.

/// What a line of a patch or of a list of changed files is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLineKind {
    /// Which file, and how it changed as a whole.
    Header,
    /// Where in the file.
    Place,
    Added,
    Removed,
    Context,
}

/// Every line of a patch with its kind. A removed line may look like a header, so the lines of each place are counted.
pub fn classify_lines(patch: &str) -> Vec<(DiffLineKind, &str)> {
    let mut left = HunkLines::default();
    patch.lines().map(|line| (left.classify(line), line)).collect()
}

/// How many lines of the current place are still to come, on each side.
#[derive(Debug, Default)]
struct HunkLines {
    old: u64,
    new: u64,
}

impl HunkLines {
    fn classify(&mut self, line: &str) -> DiffLineKind {
        if self.old == 0 && self.new == 0 && !line.starts_with('\\') {
            let Some(counted) = parse_place(line) else { return DiffLineKind::Header };
            *self = counted;
            return DiffLineKind::Place;
        }
        match line.as_bytes().first() {
            Some(b'+') => {
                self.new = self.new.saturating_sub(1);
                DiffLineKind::Added
            }
            Some(b'-') => {
                self.old = self.old.saturating_sub(1);
                DiffLineKind::Removed
            }
            // No line of the file: `\ No newline at end of file`.
            Some(b'\\') => DiffLineKind::Context,
            _ => {
                (self.old, self.new) = (self.old.saturating_sub(1), self.new.saturating_sub(1));
                DiffLineKind::Context
            }
        }
    }
}

/// `@@ -12,3 +14,5 @@ fn main`; a number that is left out is 1.
fn parse_place(line: &str) -> Option<HunkLines> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let count = |range: &str| match range.split_once(',') {
        Some((_, count)) => count.parse().ok(),
        None => Some(1),
    };
    let old = count(words.next()?)?;
    let new = count(words.next()?.strip_prefix('+')?)?;
    Some(HunkLines { old, new })
}

#[cfg(test)]
mod tests {
    use super::DiffLineKind::{Added, Context, Header, Place, Removed};
    use super::*;

    /// HU-08: removed lines that look like headers are still removed lines.
    #[test]
    fn lines_of_a_patch_are_told_apart_by_counting() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@ f\n--- y\n-diff z\n+++ w\n same\n\\ No newline\n\
                     diff --git a/b b/b\nBinary files a/b and b/b differ\n@@ -0,0 +1 @@\n+@@ -1 +1 @@\n";
        let kinds: Vec<DiffLineKind> =
            classify_lines(patch).into_iter().map(|(kind, _)| kind).collect();
        let first = [Header, Header, Header, Place, Removed, Removed, Added, Context, Context];
        assert_eq!(kinds[..9], first);
        assert_eq!(kinds[9..], [Header, Header, Place, Added]);
    }
}
