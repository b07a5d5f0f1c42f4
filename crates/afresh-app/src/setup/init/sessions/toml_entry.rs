//! One table in a TOML file, put there and taken away as text: every other byte stays.

use toml_edit::DocumentMut;

use super::EntryEdit;

/// A table such as `[mcp_servers.afresh]`, with its lines.
#[derive(Debug, Clone)]
pub(crate) struct TomlEntry {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    /// Without a line break at the end.
    pub(crate) lines: &'static str,
}

impl TomlEntry {
    pub(crate) fn install(&self, text: Option<&str>) -> EntryEdit {
        let Some(text) = text else { return EntryEdit::Write(self.table() + "\n") };
        match self.standing(text) {
            EntryStanding::Ours => EntryEdit::Same,
            EntryStanding::Changed => self.leave_changed(),
            EntryStanding::Unreadable => self.leave_unreadable(),
            EntryStanding::Missing => {
                let edited = self.append(text);
                match self.standing(&edited) {
                    EntryStanding::Ours => EntryEdit::Write(edited),
                    _ => self.leave_unreadable(),
                }
            }
        }
    }

    pub(crate) fn remove(&self, text: Option<&str>) -> EntryEdit {
        let Some(text) = text else { return EntryEdit::Same };
        if text == self.table() + "\n" {
            return EntryEdit::Delete;
        }
        match self.standing(text) {
            EntryStanding::Missing => EntryEdit::Same,
            EntryStanding::Changed => self.leave_changed(),
            EntryStanding::Unreadable => self.leave_unreadable(),
            EntryStanding::Ours => match self.cut(text).or_else(|| self.cut_table(text)) {
                Some(edited) => EntryEdit::Write(edited),
                None => self.leave_unreadable(),
            },
        }
    }

    /// At the end, where a table changes the meaning of nothing else. A text that ends without a line break
    /// keeps none.
    fn append(&self, text: &str) -> String {
        let line = line_break(text);
        let table = self.table().replace('\n', line);
        match text {
            "" => table,
            _ if text.ends_with('\n') => format!("{text}{line}{table}{line}"),
            _ => format!("{text}{line}{line}{table}"),
        }
    }

    /// The text that it was appended to, possibly with more after it.
    fn cut(&self, text: &str) -> Option<String> {
        let line = line_break(text);
        let table = self.table().replace('\n', line);
        let at = text.rfind(&table)?;
        let (before, after) = (&text[..at], &text[at + table.len()..]);
        let edited = match (before, after) {
            ("", "") => String::new(),
            (_, "") => before.strip_suffix(line)?.strip_suffix(line)?.to_owned(),
            _ => format!("{}{}", before.strip_suffix(line)?, after.strip_prefix(line)?),
        };
        (self.standing(&edited) == EntryStanding::Missing).then_some(edited)
    }

    /// A table that a person moved or wrote otherwise.
    fn cut_table(&self, text: &str) -> Option<String> {
        let mut document: DocumentMut = text.parse().ok()?;
        let section = document.get_mut(self.section)?.as_table_like_mut()?;
        section.remove(self.name)?;
        let is_empty = section.is_empty();
        let is_implicit = document
            .get(self.section)
            .and_then(|it| it.as_table())
            .is_some_and(toml_edit::Table::is_implicit);
        if is_empty && is_implicit {
            document.remove(self.section);
        }
        Some(document.to_string())
    }

    fn standing(&self, text: &str) -> EntryStanding {
        let Ok(document) = text.parse::<DocumentMut>() else { return EntryStanding::Unreadable };
        let ours: DocumentMut = self.table().parse().expect("our table is TOML");
        let find = |document: &DocumentMut| {
            let section = document.get(self.section)?.as_table_like()?;
            section.get(self.name).map(value_of)
        };
        match (document.get(self.section), find(&document)) {
            (Some(section), None) if !section.is_table_like() => EntryStanding::Unreadable,
            (_, None) => EntryStanding::Missing,
            (_, found) if found == find(&ours) => EntryStanding::Ours,
            (_, Some(_)) => EntryStanding::Changed,
        }
    }

    fn table(&self) -> String {
        format!("[{}.{}]\n{}", self.section, self.name, self.lines)
    }

    fn leave_changed(&self) -> EntryEdit {
        EntryEdit::Leave {
            reason: format!(
                "its table [{}.{}] is not the one that afresh writes",
                self.section, self.name
            ),
            hint: format!(
                "if it is no longer wanted, remove it there; afresh would write:\n{}",
                self.table()
            ),
        }
    }

    fn leave_unreadable(&self) -> EntryEdit {
        EntryEdit::Leave {
            reason: "no table can be added to it or taken from it".to_owned(),
            hint: format!("add or remove by hand:\n{}", self.table()),
        }
    }
}

/// How the entry stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryStanding {
    Missing,
    Ours,
    Changed,
    Unreadable,
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// What it says, however it is written.
fn value_of(item: &toml_edit::Item) -> String {
    let mut value = item.clone().into_value().unwrap_or_else(|_| toml_edit::Value::from(""));
    clear_format(&mut value);
    value.to_string()
}

fn clear_format(value: &mut toml_edit::Value) {
    match value {
        toml_edit::Value::Array(items) => {
            items.iter_mut().for_each(clear_format);
            items.fmt();
            items.set_trailing_comma(false);
            items.set_trailing("");
        }
        toml_edit::Value::InlineTable(fields) => {
            fields.sort_values();
            fields.iter_mut().for_each(|(_, it)| clear_format(it));
            fields.fmt();
        }
        toml_edit::Value::String(text) => text.fmt(),
        _ => {}
    }
    value.decor_mut().clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: TomlEntry = TomlEntry {
        section: "mcp_servers",
        name: "afresh",
        lines: "command = \"afresh\"\nargs = [\"mcp\"]",
    };

    /// HU-04: whatever the file looked like, taking the table away restores it byte for byte.
    #[test]
    fn every_other_byte_stays() {
        for text in [
            "",
            "\n",
            "a = 1",
            "a = 1\n",
            "a = 1\n\n\n",
            "# only a comment",
            "model = \"x\"   # mine\n\n[mcp_servers.other]\ncommand = 'y'\n",
            "[mcp_servers]\n",
            "a = 1\r\n[b]\r\nc = 2\r\n",
            "[[list]]\nx = { y = 1 }",
        ] {
            let EntryEdit::Write(edited) = ENTRY.install(Some(text)) else { panic!("{text:?}") };
            assert_eq!(ENTRY.install(Some(&edited)), EntryEdit::Same, "{edited:?}");
            assert_eq!(
                ENTRY.remove(Some(&edited)),
                EntryEdit::Write(text.to_owned()),
                "{edited:?}"
            );
            assert_eq!(ENTRY.remove(Some(text)), EntryEdit::Same);
            // What a person appends later stays too.
            let more = format!("{edited}\n[later]\nz = 1\n");
            let EntryEdit::Write(left) = ENTRY.remove(Some(&more)) else { panic!("{more:?}") };
            assert!(left.ends_with("[later]\nz = 1\n") && !left.contains("afresh"), "{left:?}");
        }
    }

    #[test]
    fn tables_of_others_are_left_alone() {
        let EntryEdit::Write(new) = ENTRY.install(None) else { panic!() };
        assert_eq!(ENTRY.remove(Some(&new)), EntryEdit::Delete);
        let moved = "[mcp_servers.afresh]\nargs = [ 'mcp' ]\n# why not\ncommand = 'afresh'\n[b]\nc = 1 # one\n";
        assert_eq!(ENTRY.remove(Some(moved)), EntryEdit::Write("[b]\nc = 1 # one\n".to_owned()));
        let inline = "mcp_servers = { other = { command = 'x' } }\n";
        assert!(matches!(ENTRY.install(Some(inline)), EntryEdit::Leave { .. }));
        for text in ["a = ", "[mcp_servers.afresh]\ncommand = 'mine'\n", "mcp_servers = 1"] {
            assert!(matches!(ENTRY.install(Some(text)), EntryEdit::Leave { .. }), "{text}");
            assert!(!matches!(ENTRY.remove(Some(text)), EntryEdit::Write(_)), "{text}");
        }
    }
}
