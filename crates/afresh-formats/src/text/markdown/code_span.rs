//! Code spans: text between backticks within a line.

use super::lines::TextLine;

/// The longest run of backticks that opens a span. Each run that is never closed costs one scan of
/// the rest of the line.
const MAX_TICKS: usize = 3;

/// The code spans of a line, in order.
pub fn code_spans<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let mut found = Vec::new();
    let mut rest = line.text;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..].bytes().take_while(|byte| *byte == b'`').count();
        let inner = &rest[open + ticks..];
        let Some(length) = (ticks <= MAX_TICKS).then(|| closing(inner, ticks)).flatten() else {
            rest = inner;
            continue;
        };
        found.push(line.part(inner[..length].trim()));
        rest = &inner[length + ticks..];
    }
    found
}

/// The position of a run of exactly `ticks` backticks.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let run = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        if run == ticks {
            return Some(start);
        }
        at = start + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_source_positions() {
        let text = "a `src/a.rs` and ``x ` y``, then `open";
        let spans = code_spans(&TextLine { text, start: 10 });
        let shown: Vec<_> = spans.iter().map(|span| (span.text, span.start)).collect();
        assert_eq!(shown, [("src/a.rs", 13), ("x ` y", 29)]);
    }
}
