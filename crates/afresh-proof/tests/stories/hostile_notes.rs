//! Notes from anywhere.

use afresh_proof::{MAX_NOTE_BYTES, NoteLine, Statement, add_line, parse_note, patch_text};
use proptest::prelude::*;

use crate::scene::statement;

/// TR-06: what cannot be read is one line with a problem, and costs the others nothing.
#[test]
fn a_damaged_line_says_nothing_about_the_others() {
    let good = statement(2).render();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let empty_envelope =
        r#"{"payloadType":"application/vnd.in-toto+json","payload":"","signatures":[]}"#;
    let other_type = good.replace("receipt:v1", "receipt:v9");
    let bad = ["{", "null", "\u{feff}", deep.as_str(), empty_envelope, other_type.as_str()];
    let note = format!("{}\r\n\n{good}\n{}", bad[..3].join("\n"), bad[3..].join("\n"));
    let lines = parse_note(note.as_bytes());
    assert_eq!(lines.len(), 7);
    let read = lines.iter().filter(|line| matches!(line, NoteLine::Unsigned(_))).count();
    assert_eq!(read, 1);
}

/// TR-06: a note of many lines is read up to a limit, and says so.
#[test]
fn only_so_many_lines_are_read() {
    let good = statement(2).render();
    let note = vec![good; 5_000].join("\n");
    assert!(note.len() < MAX_NOTE_BYTES);
    let lines = parse_note(note.as_bytes());
    assert_eq!(lines.len(), 101);
    assert!(matches!(lines.last(), Some(NoteLine::Malformed(why)) if why.contains("100 lines")));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let lines = parse_note(&bytes);
        let readable = lines.iter().any(|line| !matches!(line, NoteLine::Malformed(_)));
        prop_assert!(!readable);
        let _ = patch_text::render(&[bytes]);
    }

    /// TR-06: one changed byte either changes nothing that counts, or is noticed, and never panics.
    #[test]
    fn a_statement_with_a_changed_byte_is_no_copy(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = statement(2).render().into_bytes();
        let at = at.index(bytes.len());
        let changed = bytes[at] != byte;
        bytes[at] = byte;
        for line in parse_note(&bytes) {
            if let NoteLine::Unsigned(read) = line {
                let _ = (read.commit(), read.tree(), add_line(Some(&bytes), &read.render()));
                // Names of fields that have a default, and of fields that are ignored, may vanish.
                prop_assert!(!changed || Statement::parse(&bytes).is_ok());
            }
        }
    }
}
