//! Carrying out what findings propose, on the text of one file.

use crate::finding::Fix;

/// The bytes of a file with these changes made; of changes that overlap only the first is. Line
/// breaks and a byte order mark stay as they were. None where the file is not text.
pub fn apply(bytes: &[u8], fixes: &[Fix]) -> Option<Vec<u8>> {
    let whole = std::str::from_utf8(bytes).ok()?;
    let (mark, text) = match whole.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", whole),
    };
    let windows = text.contains("\r\n");
    let plain = text.replace("\r\n", "\n");
    let mut sorted: Vec<&Fix> = fixes.iter().collect();
    sorted.sort_by_key(|fix| (fix.range.start, fix.range.end));
    let mut fixed = String::with_capacity(plain.len());
    let mut at = 0;
    for fix in sorted {
        let fits = fix.range.start >= at && fix.range.start <= fix.range.end;
        if !fits || plain.get(fix.range.clone()).is_none() {
            continue;
        }
        fixed.push_str(&plain[at..fix.range.start]);
        fixed.push_str(&fix.text);
        at = fix.range.end;
    }
    fixed.push_str(&plain[at..]);
    let fixed = if windows { fixed.replace('\n', "\r\n") } else { fixed };
    Some(format!("{mark}{fixed}").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(range: std::ops::Range<usize>, text: &str) -> Fix {
        Fix { range, text: text.to_owned() }
    }

    #[test]
    fn changes_are_made_and_everything_else_stays_as_it_was() {
        let bytes = "\u{feff}one\r\ntwo\r\nthree".as_bytes();
        let fixes = [fix(4..7, "2"), fix(0..3, "1"), fix(5..6, "lost"), fix(99..100, "beyond")];
        let fixed = apply(bytes, &fixes).expect("text");
        assert_eq!(String::from_utf8_lossy(&fixed), "\u{feff}1\r\n2\r\nthree");
        assert_eq!(apply(b"\xff", &fixes), None);
    }

    #[test]
    fn a_place_inside_a_character_is_left_alone() {
        let fixed = apply("ä".as_bytes(), &[fix(1..2, "x")]).expect("text");
        assert_eq!(fixed, "ä".as_bytes());
    }
}
