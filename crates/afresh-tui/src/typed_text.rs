//! A line of text that is being typed.

use afresh_core::printable;

use crate::input::ScreenKey;

/// Longer texts are refused when they are sent; this bounds what a paste can add.
const MAX_CHARS: usize = 16 * 1024;

/// The text, and where the next character goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypedText {
    chars: Vec<char>,
    cursor: usize,
}

impl TypedText {
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// What stands before the cursor.
    pub fn before_cursor(&self) -> String {
        self.chars[..self.cursor].iter().collect()
    }

    pub fn after_cursor(&self) -> String {
        self.chars[self.cursor..].iter().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Inserts a text; line breaks become blanks.
    pub fn insert(&mut self, text: &str) {
        for c in text.chars() {
            let c = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
            if !printable::is_unprintable(c) && self.chars.len() < MAX_CHARS {
                self.chars.insert(self.cursor, c);
                self.cursor += 1;
            }
        }
    }

    /// Edits the text; false if the key edits none.
    pub fn edit(&mut self, key: ScreenKey) -> bool {
        match key {
            ScreenKey::Char(c) => self.insert(&c.to_string()),
            ScreenKey::Backspace | ScreenKey::Ctrl('h') => {
                if self.cursor > 0 {
                    self.cursor -= 1;
                    self.chars.remove(self.cursor);
                }
            }
            ScreenKey::Delete => {
                if self.cursor < self.chars.len() {
                    self.chars.remove(self.cursor);
                }
            }
            ScreenKey::Ctrl('u') => {
                self.chars.drain(..self.cursor);
                self.cursor = 0;
            }
            ScreenKey::Ctrl('w') => self.delete_word(),
            ScreenKey::Left => self.cursor = self.cursor.saturating_sub(1),
            ScreenKey::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            ScreenKey::Home | ScreenKey::Ctrl('a') => self.cursor = 0,
            ScreenKey::End | ScreenKey::Ctrl('e') => self.cursor = self.chars.len(),
            _ => return false,
        }
        true
    }

    fn delete_word(&mut self) {
        let before = &self.chars[..self.cursor];
        let word_end = before.iter().rposition(|c| !c.is_whitespace()).map_or(0, |at| at + 1);
        let start = before[..word_end].iter().rposition(|c| c.is_whitespace());
        let start = start.map_or(0, |at| at + 1);
        self.chars.drain(start..self.cursor);
        self.cursor = start;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[ScreenKey]) -> TypedText {
        let mut text = TypedText::default();
        text.insert("keep the list");
        for key in keys {
            text.edit(*key);
        }
        text
    }

    #[test]
    fn a_line_is_edited_at_its_cursor() {
        assert_eq!(typed(&[ScreenKey::Ctrl('w'), ScreenKey::Char('x')]).text(), "keep the x");
        let keys = [ScreenKey::Home, ScreenKey::Delete, ScreenKey::Char('K')];
        assert_eq!(typed(&keys).text(), "Keep the list");
        let keys = [ScreenKey::Left, ScreenKey::Left, ScreenKey::Ctrl('u')];
        assert_eq!(typed(&keys).text(), "st");
        assert_eq!(typed(&[ScreenKey::Home, ScreenKey::Backspace]).text(), "keep the list");
        assert!(!TypedText::default().edit(ScreenKey::Enter));
    }

    /// B35: what is pasted brings no control characters.
    #[test]
    fn a_paste_becomes_one_printable_line() {
        let mut text = TypedText::default();
        text.insert("a\nb\x1b[2Jc\u{202e}");
        assert_eq!(text.text(), "a b[2Jc");
    }
}
