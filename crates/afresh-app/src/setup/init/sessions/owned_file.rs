//! Files that are ours as a whole. A line in each holds a hash of the rest, so that a later version of afresh knows
//! whether a person changed it.

use super::EntryEdit;

const MARK: &str = "# written by `afresh init`, which removes it again while it is unchanged: ";

/// A file with a line of comment, where its format has a place for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnedFile {
    /// What is before and after the line.
    pub(crate) before: String,
    pub(crate) after: String,
}

impl OwnedFile {
    pub(crate) fn render(&self) -> String {
        let hash = hash(&format!("{}{}", self.before, self.after));
        format!("{}{MARK}{hash}\n{}", self.before, self.after)
    }

    pub(crate) fn install(&self, text: Option<&str>) -> EntryEdit {
        let new = self.render();
        match text {
            None => EntryEdit::Write(new),
            Some(text) if text == new => EntryEdit::Same,
            // An earlier version wrote it.
            Some(text) if is_unchanged(text) => EntryEdit::Write(new),
            Some(_) => leave(),
        }
    }

    pub(crate) fn remove(text: Option<&str>) -> EntryEdit {
        match text {
            None => EntryEdit::Same,
            Some(text) if is_unchanged(text) => EntryEdit::Delete,
            Some(_) => leave(),
        }
    }
}

fn leave() -> EntryEdit {
    EntryEdit::Leave {
        reason: "it was changed since, or is not from afresh".to_owned(),
        hint: "remove it yourself if it is no longer wanted".to_owned(),
    }
}

fn is_unchanged(text: &str) -> bool {
    let Some((before, rest)) = text.split_once(MARK) else { return false };
    let Some((found, after)) = rest.split_once('\n') else { return false };
    hash(&format!("{before}{after}")) == found
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_noticed_and_an_earlier_one_replaced() {
        let file = |after: &str| OwnedFile { before: "---\n".to_owned(), after: after.to_owned() };
        let (old, new) = (file("one\n").render(), file("two\n"));
        assert_eq!(new.install(Some(&old)), EntryEdit::Write(new.render()));
        assert_eq!(OwnedFile::remove(Some(&old)), EntryEdit::Delete);
        assert_eq!(new.install(Some(&new.render())), EntryEdit::Same);
        for changed in [old.replace("one", "One"), old + "more", "mine\n".to_owned(), String::new()]
        {
            assert!(matches!(new.install(Some(&changed)), EntryEdit::Leave { .. }), "{changed}");
            assert!(matches!(OwnedFile::remove(Some(&changed)), EntryEdit::Leave { .. }));
        }
    }
}
