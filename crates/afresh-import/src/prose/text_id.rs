//! Ids of tasks: the one that a text starts with, or one made from the text.

/// The longest slug, in characters.
const MAX_SLUG_CHARS: usize = 32;

/// The number that a text starts with, such as `1.2`, `3.` or `7.3.5a`, and the text after it.
pub fn leading_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let rest = &text[number.len()..];
    let whole = rest.is_empty() || rest.starts_with(['.', ' ', ':', ')', '*', '\t']);
    let parts = number.split('.').all(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let tail = &part[digits..];
        (1..6).contains(&digits) && tail.len() < 2 && tail.bytes().all(|b| b.is_ascii_lowercase())
    });
    (whole && parts && number.len() < 24)
        .then(|| (number, rest.trim_start_matches(['.', ')', ':', '*', ' ', '\t'])))
}

/// The label that a text starts with: `T1`, `T-2`, `M001`, `US-003`, `#8`; and the text after it.
pub fn leading_label(text: &str) -> Option<(&str, &str)> {
    let text = text
        .strip_prefix('#')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        .unwrap_or(text);
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    let label = text[..end.unwrap_or(text.len())].trim_end_matches(['.', '-', '_']);
    let letters = label.bytes().take_while(u8::is_ascii_uppercase).count();
    let bare = label[letters..].trim_start_matches(['-', '_']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[label.len()..];
    let marked = rest.is_empty() || rest.starts_with([' ', ':', '*', ')', '.', ']', '\t']);
    (letters < 6 && digits > 0 && digits < 6 && label.len() < 24 && marked)
        .then(|| (label, rest.trim_start_matches([':', '*', ')', '.', ']', ' ', '\t'])))
}

/// An id from the words of a text and its hash: it stays the same while the text does.
pub fn text_id(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars() {
        if slug.len() >= MAX_SLUG_CHARS {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let short = (hash ^ (hash >> 32)) & 0xffff;
    if slug.is_empty() { format!("task-{short:04x}") } else { format!("{slug}-{short:04x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_labels_are_told_from_words() {
        assert_eq!(leading_number("1.2 Add it"), Some(("1.2", "Add it")));
        assert_eq!(leading_number("3. Add it"), Some(("3", "Add it")));
        assert_eq!(leading_number("7.3.5a Add"), Some(("7.3.5a", "Add")));
        assert_eq!(leading_number("2024-01 x"), None);
        assert_eq!(leading_number("3rd try"), None);
        assert_eq!(leading_number("Add 1.2"), None);
        assert_eq!(leading_label("T1: Add it"), Some(("T1", "Add it")));
        assert_eq!(leading_label("T-2 Add it"), Some(("T-2", "Add it")));
        assert_eq!(leading_label("M001 Add it"), Some(("M001", "Add it")));
        assert_eq!(leading_label("#8** Add it"), Some(("8", "Add it")));
        assert_eq!(leading_label("Add it"), None);
        assert_eq!(leading_label("ESLint 9"), None);
    }

    #[test]
    fn an_id_follows_from_its_text() {
        assert_eq!(text_id("Add a login"), text_id("Add a login"));
        assert_ne!(text_id("Add a login"), text_id("Add a login."));
        assert!(text_id("Übung — ünïcode").starts_with("bung-n-code-"));
        assert!(text_id("日本").starts_with("task-"));
        assert!(text_id(&"x".repeat(500)).len() < 48);
    }
}
