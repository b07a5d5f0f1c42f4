//! What the user types, edited by us: the terminal's own echo would be painted over.

/// Longer lines are no answers.
const MAX_BYTES: usize = 64 * 1024;

/// The line that is being typed.
#[derive(Debug, Default)]
pub(crate) struct TypedLine {
    text: String,
    /// The start of a character whose end has not arrived.
    open: Vec<u8>,
    escape: EscapeState,
}

/// Keys such as arrows arrive as several bytes; we ignore them whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum EscapeState {
    #[default]
    None,
    Started,
    InSequence,
}

/// What typed bytes amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TypedEvent {
    Line(String),
    /// Ctrl-D on an empty line, or the end of the input.
    End,
}

impl TypedLine {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<TypedEvent> {
        bytes.iter().filter_map(|byte| self.feed_byte(*byte)).collect()
    }

    /// The input is closed: what was typed without Enter counts, as in a file without a final line break.
    pub(crate) fn end(&mut self) -> Vec<TypedEvent> {
        let rest = std::mem::take(&mut self.text);
        let line = (!rest.is_empty()).then_some(TypedEvent::Line(rest));
        line.into_iter().chain([TypedEvent::End]).collect()
    }

    fn feed_byte(&mut self, byte: u8) -> Option<TypedEvent> {
        if self.skips(byte) {
            return None;
        }
        match byte {
            b'\r' | b'\n' => {
                self.open.clear();
                return Some(TypedEvent::Line(std::mem::take(&mut self.text)));
            }
            0x04 if self.text.is_empty() => return Some(TypedEvent::End),
            0x08 | 0x7f => {
                self.text.pop();
            }
            0x15 => self.text.clear(),
            0x17 => self.delete_word(),
            0x1b => self.escape = EscapeState::Started,
            b'\t' => self.push(' '),
            0x20..=0x7e => self.push(char::from(byte)),
            0x80.. => self.feed_part(byte),
            _ => {}
        }
        None
    }

    /// Whether the byte belongs to a key that means nothing here.
    fn skips(&mut self, byte: u8) -> bool {
        let (skips, next) = match (self.escape, byte) {
            (EscapeState::Started, b'[' | b'O') => (true, EscapeState::InSequence),
            // The last byte of a sequence.
            (EscapeState::Started, 0x20..) | (EscapeState::InSequence, 0x40..=0x7e) => {
                (true, EscapeState::None)
            }
            (EscapeState::InSequence, 0x20..) => (true, EscapeState::InSequence),
            // Text, or a control character, which ends whatever was before it.
            (_, _) => (false, EscapeState::None),
        };
        self.escape = next;
        skips
    }

    fn feed_part(&mut self, byte: u8) {
        self.open.push(byte);
        match std::str::from_utf8(&self.open) {
            Ok(text) => {
                let text = text.to_owned();
                self.open.clear();
                text.chars().for_each(|c| self.push(c));
            }
            Err(error) if error.error_len().is_some() || self.open.len() >= 4 => self.open.clear(),
            Err(_) => {}
        }
    }

    fn push(&mut self, c: char) {
        if self.text.len() < MAX_BYTES {
            self.text.push(c);
        }
    }

    fn delete_word(&mut self) {
        let kept = self.text.trim_end().rfind(' ').map_or(0, |at| at + 1);
        self.text.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> TypedEvent {
        TypedEvent::Line(text.to_owned())
    }

    #[test]
    fn a_line_is_edited_as_in_a_terminal() {
        let mut typed = TypedLine::default();
        assert_eq!(typed.feed(b"retri\x7fy\n"), [line("retry")]);
        assert_eq!(typed.feed(b"all of it\x17this\r"), [line("all of this")]);
        assert_eq!(typed.feed(b"gone\x15\x04"), [TypedEvent::End]);
        assert_eq!(typed.feed(b"a\x04b\n"), [line("ab")]);
        assert_eq!(typed.feed("grün\u{1F600}\n".as_bytes()), [line("grün\u{1F600}")]);
    }

    /// Arrows and other keys leave nothing in the answer, however their bytes are cut.
    #[test]
    fn keys_that_mean_nothing_here_leave_nothing() {
        let mut typed = TypedLine::default();
        for byte in b"a\x1b[A\x1b[1;5C\x1bOPb\n" {
            let events = typed.feed(&[*byte]);
            assert!(events.is_empty() || events == [line("ab")], "{events:?}");
        }
        typed.feed(b"\xff\xc3\x28x");
        assert_eq!(typed.text(), "(x");
    }
}
