//! Output without what differs from run to run: object ids, durations, times, the machine's size.

/// The text with `[ID]`, `[SPAN]`, `[MOMENT]` and `[MACHINE]` in their places.
pub(crate) fn without_chance(text: &str) -> String {
    text.split_inclusive('\n').map(line_without_chance).collect()
}

fn line_without_chance(text: &str) -> String {
    for start in ["limits: ", "- limits: "] {
        if text.starts_with(start) {
            return format!("{start}[MACHINE]\n");
        }
    }
    let part = |c: char| c.is_ascii_alphanumeric() || ".-:".contains(c);
    text.split_inclusive(|c: char| !part(c))
        .map(|piece| {
            let word = piece.trim_end_matches(|c: char| !part(c));
            let bare = word.trim_end_matches([':', '.']);
            let rest = &piece[bare.len()..];
            match kind(bare) {
                Some(mark) => format!("{mark}{rest}"),
                None => piece.to_owned(),
            }
        })
        .collect()
}

fn kind(word: &str) -> Option<&'static str> {
    let span = |unit: &str| word.strip_suffix(unit).is_some_and(|n| n.parse::<f64>().is_ok());
    let hex = word.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if span("s") || span("ms") {
        return Some("[SPAN]");
    }
    if hex && matches!(word.len(), 10 | 40) {
        return Some("[ID]");
    }
    (word.ends_with('Z') && word.contains('T') && word.starts_with("20")).then_some("[MOMENT]")
}
