//! One entry in a JSON file, put there and taken away as text: every other byte stays.
//!
//! Taking away is checked by putting back: what is left is the text that it was put into.

use serde_json::Value;

use super::EntryEdit;

/// An entry in an object of a document, such as `afresh` in `mcpServers`.
#[derive(Debug, Clone)]
pub(crate) struct JsonEntry {
    pub(crate) section: &'static str,
    pub(crate) name: &'static str,
    /// JSON on one line, as people write it.
    pub(crate) text: &'static str,
    /// Fields that a new file has besides.
    pub(crate) first: Option<(&'static str, &'static str)>,
}

impl JsonEntry {
    /// The text with the entry; `None` is a file that does not exist.
    pub(crate) fn install(&self, text: Option<&str>) -> EntryEdit {
        let Some(text) = text else { return EntryEdit::Write(self.new_file()) };
        match self.find(text) {
            Err(edit) => edit,
            Ok(Some(found)) if found == self.value() => EntryEdit::Same,
            Ok(Some(_)) => self.leave_changed(),
            Ok(None) => match self.insert(text) {
                Some(edited) if self.find(&edited) == Ok(Some(self.value())) => {
                    EntryEdit::Write(edited)
                }
                _ => self.leave_unreadable(),
            },
        }
    }

    /// The text without the entry.
    pub(crate) fn remove(&self, text: Option<&str>) -> EntryEdit {
        let Some(text) = text else { return EntryEdit::Same };
        if text == self.new_file() {
            return EntryEdit::Delete;
        }
        match self.find(text) {
            Err(edit) => edit,
            Ok(None) => EntryEdit::Same,
            Ok(Some(found)) if found != self.value() => self.leave_changed(),
            Ok(Some(_)) => match self.cut(text) {
                Some(edited) => EntryEdit::Write(edited),
                None => self.leave_unreadable(),
            },
        }
    }

    /// The entry's value, if there is one.
    fn find(&self, text: &str) -> Result<Option<Value>, EntryEdit> {
        let document: Value = serde_json::from_str(text).map_err(|_| self.leave_unreadable())?;
        let root = document.as_object().ok_or_else(|| self.leave_unreadable())?;
        if self.is_ambiguous(text) {
            return Err(self.leave_unreadable());
        }
        match root.get(self.section) {
            None => Ok(None),
            Some(Value::Object(section)) => Ok(section.get(self.name).cloned()),
            Some(_) => Err(self.leave_unreadable()),
        }
    }

    /// Whether a name occurs twice: then readers differ about which one counts.
    fn is_ambiguous(&self, text: &str) -> bool {
        let is_twice = |object: &JsonObject, name: &str| {
            object.members.iter().filter(|member| member.name == name).count() > 1
        };
        let Some(root) = JsonObject::parse(text, 0) else { return true };
        let section = root.member(self.section);
        let section = section.and_then(|member| JsonObject::parse(text, member.value.0));
        is_twice(&root, self.section) || section.is_some_and(|it| is_twice(&it, self.name))
    }

    fn insert(&self, text: &str) -> Option<String> {
        let root = JsonObject::parse(text, 0)?;
        let entry = self.entry();
        if let Some(section) = root.member(self.section) {
            let section = JsonObject::parse(text, section.value.0)?;
            return Some(match section.members.last() {
                Some(last) => add_after(text, last, &entry),
                None => splice(text, section.open + 1, &entry),
            });
        }
        let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Some(match root.members.last() {
            Some(last) => {
                let indent = last.indent(text).unwrap_or("  ");
                let section = self.new_section(line, indent);
                splice(text, last.value.1, &format!(",{line}{indent}{section}"))
            }
            // On the line of the brace: otherwise it would look like a file of ours.
            None => splice(text, root.open + 1, &format!(" {}", self.new_section(line, "  "))),
        })
    }

    /// What it was put into, if putting it back gives this text; else only the entry goes: a person moved it, or wrote it
    /// otherwise.
    fn cut(&self, text: &str) -> Option<String> {
        let root = JsonObject::parse(text, 0)?;
        let member = root.member(self.section)?;
        let section = JsonObject::parse(text, member.value.0)?;
        let entry = section.member(self.name)?;
        let whole = (section.members.len() == 1).then(|| root.without(text, member));
        let candidates = whole.into_iter().flatten().chain(section.without(text, entry));
        let candidates: Vec<String> = candidates.collect();
        let restored = candidates.iter().find(|it| self.insert(it).as_deref() == Some(text));
        restored
            .or(section.without(text, entry).first().filter(|it| self.find(it) == Ok(None)))
            .cloned()
    }

    fn entry(&self) -> String {
        format!("{}: {}", quoted(self.name), self.text)
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.text).expect("the text of an entry is JSON")
    }

    fn new_section(&self, line: &str, indent: &str) -> String {
        let (section, entry) = (quoted(self.section), self.entry());
        format!("{section}: {{{line}{indent}  {entry}{line}{indent}}}")
    }

    fn new_file(&self) -> String {
        let first =
            self.first.map(|(name, value)| format!("  {}: {},\n", quoted(name), quoted(value)));
        format!("{{\n{}  {}\n}}\n", first.unwrap_or_default(), self.new_section("\n", "  "))
    }

    fn leave_changed(&self) -> EntryEdit {
        EntryEdit::Leave {
            reason: format!(
                "its entry {} in {} is not the one that afresh writes",
                self.name, self.section
            ),
            hint: format!(
                "if it is no longer wanted, remove it there; afresh would write {}",
                self.entry()
            ),
        }
    }

    fn leave_unreadable(&self) -> EntryEdit {
        EntryEdit::Leave {
            reason: "it is not plain JSON: it may have comments".to_owned(),
            hint: format!("add or remove by hand, in {}: {}", quoted(self.section), self.entry()),
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn splice(text: &str, at: usize, added: &str) -> String {
    format!("{}{added}{}", &text[..at], &text[at..])
}

/// As the members before it: on a line of its own, or on theirs.
fn add_after(text: &str, last: &JsonMember, entry: &str) -> String {
    let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let separator = match last.indent(text) {
        Some(indent) => format!(",{line}{indent}"),
        None => ", ".to_owned(),
    };
    splice(text, last.value.1, &format!("{separator}{entry}"))
}

/// An object in a text that is valid JSON: where it and its members are.
struct JsonObject {
    open: usize,
    close: usize,
    members: Vec<JsonMember>,
}

/// Offsets of a key and a value.
struct JsonMember {
    key: (usize, usize),
    value: (usize, usize),
    name: String,
}

impl JsonMember {
    /// The white space before the key, if it is first on its line.
    fn indent<'t>(&self, text: &'t str) -> Option<&'t str> {
        let before = &text[..self.key.0];
        let indent = &before[before.rfind('\n')? + 1..];
        indent.trim().is_empty().then_some(indent)
    }
}

impl JsonObject {
    /// The object that starts after white space at this offset.
    fn parse(text: &str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let open = skip_space(bytes, from);
        let mut members = Vec::new();
        let mut at = skip_space(bytes, open + 1);
        if bytes.get(open) != Some(&b'{') {
            return None;
        }
        while bytes.get(at) != Some(&b'}') {
            let key = (at, skip_value(bytes, at)?);
            let colon = skip_space(bytes, key.1);
            let start = skip_space(bytes, colon + 1);
            let value = (start, skip_value(bytes, start)?);
            let name = serde_json::from_str(&text[key.0..key.1]).ok()?;
            members.push(JsonMember { key, value, name });
            at = skip_space(bytes, value.1);
            if bytes.get(at) == Some(&b',') {
                at = skip_space(bytes, at + 1);
            }
        }
        Some(Self { open, close: at, members })
    }

    fn member(&self, name: &str) -> Option<&JsonMember> {
        self.members.iter().find(|member| member.name == name)
    }

    /// The texts without this member, with less and with more of the white space around it.
    fn without(&self, text: &str, member: &JsonMember) -> Vec<String> {
        let at = self.members.iter().position(|it| it.key == member.key).unwrap_or_default();
        let cut = |from: usize, to: usize| format!("{}{}", &text[..from], &text[to..]);
        match (at.checked_sub(1).map(|before| &self.members[before]), self.members.get(at + 1)) {
            (Some(before), _) => vec![cut(before.value.1, member.value.1)],
            (None, Some(after)) => vec![cut(member.key.0, after.key.0)],
            (None, None) => {
                let ends = [member.value.1, self.close];
                ends.into_iter().map(|end| cut(self.open + 1, end)).collect()
            }
        }
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The offset after the value that starts here.
fn skip_value(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut depth, mut at, mut in_text) = (0_usize, from, false);
    loop {
        let byte = *bytes.get(at)?;
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b':' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ if byte.is_ascii_whitespace() && depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
        if depth == 0 && !in_text && matches!(byte, b'"' | b'}' | b']') {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> JsonEntry {
        let text = "{\"command\": \"afresh\", \"args\": [\"mcp\"]}";
        JsonEntry { section: "mcpServers", name: "afresh", text, first: None }
    }

    fn written(edit: EntryEdit) -> String {
        match edit {
            EntryEdit::Write(text) => text,
            other => panic!("{other:?}"),
        }
    }

    /// HU-04: whatever the file looked like, taking the entry away restores it byte for byte, and the entry is there
    /// between: with the order of its keys, its numbers and its white space.
    #[test]
    fn every_other_byte_stays() {
        let texts = [
            "{}",
            "{}\n",
            "{ }",
            "{\n}\n",
            "{\"mcpServers\": {}}",
            "{\"mcpServers\":{ }}\n",
            "{\n  \"mcpServers\": {\n  }\n}\n",
            "{\"z\": 1.50e3, \"a\": \"\\u00e9 \\\" } { ,\"}",
            "{\n\t\"a\": [1, {\"b\": 2}],\n\t\"z\": 1.0\n}",
            "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  },\n  \"b\": null\n}\n",
            "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}",
            "{\r\n    \"a\": true\r\n}\r\n",
            "{\r\n  \"mcpServers\": {\r\n    \"other\": 1\r\n  }\r\n}\r\n",
            "  {\"a\": 1}  \n\n",
            "{\"mcpServers\": {\"other\": 1\n}}",
        ];
        for text in texts {
            let edited = written(entry().install(Some(text)));
            assert_ne!(edited, text);
            assert_eq!(entry().install(Some(&edited)), EntryEdit::Same, "{edited}");
            assert_eq!(
                entry().remove(Some(&edited)),
                EntryEdit::Write(text.to_owned()),
                "{edited}"
            );
            assert_eq!(entry().remove(Some(text)), EntryEdit::Same);
        }
    }

    #[test]
    fn a_new_file_is_removed_again() {
        let new = written(entry().install(None));
        assert_eq!(
            new,
            "{\n  \"mcpServers\": {\n    \"afresh\": {\"command\": \"afresh\", \"args\": [\"mcp\"]}\n  }\n}\n"
        );
        assert_eq!(entry().remove(Some(&new)), EntryEdit::Delete);
        assert_eq!(entry().remove(None), EntryEdit::Same);
    }

    /// An entry that a person moved, or a formatter wrote otherwise, is still ours; the rest of the file stays.
    #[test]
    fn a_moved_entry_is_taken_away_alone() {
        let moved = "{\"mcpServers\": {\n  \"afresh\": {\n \"command\": \"afresh\",\n \"args\": [ \"mcp\" ] },\n  \"other\": 1 }}";
        let left = "{\"mcpServers\": {\n  \"other\": 1 }}";
        assert_eq!(entry().remove(Some(moved)), EntryEdit::Write(left.to_owned()));
        let alone = "{\"mcpServers\":\n {\n \"afresh\": {\"command\": \"afresh\", \"args\": [\"mcp\"] }\n }, \"x\": 1}";
        let left = written(entry().remove(Some(alone)));
        let left: Value = serde_json::from_str(&left).expect("JSON");
        assert_eq!(left["x"], 1);
        assert!(left["mcpServers"].get("afresh").is_none());
    }

    /// What a person changed, or what is not plain JSON, is left alone with a hint.
    #[test]
    fn what_is_not_ours_is_left_alone() {
        for text in [
            "{\"mcpServers\": {\"afresh\": {\"command\": \"other\"}}}",
            "// mine\n{}",
            "{\"a\": 1,}",
            "[]",
            "",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
        ] {
            assert!(matches!(entry().install(Some(text)), EntryEdit::Leave { .. }), "{text}");
            let removed = entry().remove(Some(text));
            let is_kept = matches!(removed, EntryEdit::Leave { .. } | EntryEdit::Same);
            assert!(is_kept, "{text}: {removed:?}");
        }
    }
}
