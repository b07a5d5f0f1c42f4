//! Task ids in a sentence: `G2`, `G2a`, `G2-S1`, `SPEC-057a`, `T012`, a bare `3`, and ranges of them
//! (`G2-G4`, `1 to 3`).

use afresh_formats::text::markdown::TextLine;

/// An id, or the first of a range of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskMention<'a> {
    pub id: TextLine<'a>,
    /// Its letters; empty for a bare number.
    pub letters: &'a str,
    pub number: u64,
    /// The number of the last one, if this is a range.
    pub through: Option<u64>,
}

impl TaskMention<'_> {
    /// Whether a number is this one or in the range.
    pub fn covers(&self, number: u64) -> bool {
        (self.number..=self.through.unwrap_or(self.number)).contains(&number)
    }

    /// The id without the segment that `G2-S1` names.
    pub fn without_segment(&self) -> &str {
        let tail = self.id.text.rfind("-S").filter(|at| *at > self.letters.len());
        tail.map_or(self.id.text, |at| &self.id.text[..at])
    }
}

/// The ids whose letters are wanted, in order. Letters are uppercase; `""` means bare numbers.
pub fn mentions<'a>(line: &TextLine<'a>, wanted: impl Fn(&str) -> bool) -> Vec<TaskMention<'a>> {
    let text = line.text;
    let mut found: Vec<TaskMention<'a>> = Vec::new();
    let mut end_of_last = 0;
    let mut at = 0;
    while let Some(next) = text[at..].find(|c: char| c.is_ascii_alphanumeric()) {
        let start = at + next;
        at = word_end(text, start);
        let Some((letters, number, end)) = id(text, start).filter(|(l, ..)| wanted(l)) else {
            continue;
        };
        at = end;
        let span = found.last_mut().filter(|last| {
            last.letters == letters && last.through.is_none() && is_span(&text[end_of_last..start])
        });
        end_of_last = end;
        match span {
            Some(first) if first.number < number => first.through = Some(number),
            _ => found.push(TaskMention {
                id: line.part(&text[start..end]),
                letters,
                number,
                through: None,
            }),
        }
    }
    found
}

/// Whether the text between two ids makes them a range.
fn is_span(between: &str) -> bool {
    matches!(between.trim(), "-" | "–" | "—" | "to" | "through" | ".." | "..." | "…")
}

/// Letters, number and end of the id that starts here.
fn id(text: &str, start: usize) -> Option<(&str, u64, usize)> {
    let rest = &text[start..];
    let letters = rest.bytes().take_while(u8::is_ascii_uppercase).count();
    let dash = usize::from(letters > 0 && rest[letters..].starts_with('-'));
    let digits = rest[letters + dash..].bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[letters + dash..letters + dash + digits].parse().ok()?;
    let mut end = letters + dash + digits;
    if letters > 0 && rest[end..].starts_with(|c: char| c.is_ascii_alphabetic()) {
        end += 1;
    }
    if let Some(segment) = rest[end..].strip_prefix("-S").filter(|_| letters > 0) {
        let digits = segment.bytes().take_while(u8::is_ascii_digit).count();
        end += if digits > 0 { 2 + digits } else { 0 };
    }
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    end += suffix(&rest[end..], letters > 0 && digits > 2);
    let whole = letters <= 5 && !rest[end..].starts_with(goes_on);
    whole.then(|| (&rest[..letters], number, start + end))
}

/// The length of a suffix: `-A` of `T071-A`, `-1` or `.2` of `T158-1`. `T004-T007` and `T004-007` are
/// ranges.
fn suffix(rest: &str, long_number: bool) -> usize {
    let Some(tail) = rest.strip_prefix(['-', '.']).filter(|_| long_number) else { return 0 };
    let length = tail.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = &tail[..length];
    let letter =
        rest.starts_with('-') && word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase();
    let number = (1..3).contains(&length) && word.bytes().all(|byte| byte.is_ascii_digit());
    if letter || number { 1 + length } else { 0 }
}

/// The end of the word that starts here.
fn word_end(text: &str, start: usize) -> usize {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    text[start..].find(|c| !goes_on(c)).map_or(text.len(), |length| start + length)
}

/// The parts of a line outside of brackets, because brackets contain explanations. An unclosed bracket
/// is an ordinary character, so that the text after it is not lost.
pub fn outside_brackets<'a>(line: &TextLine<'a>) -> Vec<TextLine<'a>> {
    let mut open = Vec::new();
    let mut asides: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in line.text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => {
                if let Some(start) = open.pop() {
                    // An outer pair replaces those inside it.
                    while asides.pop_if(|inner| inner.0 > start).is_some() {}
                    asides.push((start, at + 1));
                }
            }
            _ => {}
        }
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (start, end) in asides {
        parts.push(line.part(&line.text[from..start]));
        from = end;
    }
    parts.push(line.part(&line.text[from..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let line = TextLine { text, start: 0 };
        let shown = |m: &TaskMention| match m.through {
            Some(to) => format!("{}..{to}", m.id.text),
            None => m.id.text.to_owned(),
        };
        mentions(&line, |letters| letters == "G").iter().map(shown).collect()
    }

    #[test]
    fn ids_are_whole_words() {
        assert_eq!(found("G1, G2a and G10; not G, aG1, G1x2, G_1 or SPEC-1"), ["G1", "G2a", "G10"]);
        assert_eq!(found("G2-S1, `G3`"), ["G2-S1", "G3"]);
        let line = TextLine { text: "G2-S12", start: 0 };
        assert_eq!(mentions(&line, |l| l == "G")[0].without_segment(), "G2");
    }

    #[test]
    fn ranges_are_distinguished_from_lists() {
        assert_eq!(found("G1-G3, G5"), ["G1..3", "G5"]);
        assert_eq!(found("G1 – G3"), ["G1..3"]);
        assert_eq!(found("G4 to G6"), ["G4..6"]);
        assert_eq!(found("G3-G1"), ["G3", "G1"]);
        let line = TextLine { text: "Task Groups 1-3 and 07", start: 0 };
        let numbers: Vec<_> = mentions(&line, str::is_empty)
            .iter()
            .map(|m| (m.id.text, m.number, m.through))
            .collect();
        assert_eq!(numbers, [("1", 1, Some(3)), ("07", 7, None)]);
    }

    /// FO-11: ids with a suffix are ids of their own.
    #[test]
    fn suffixes_belong_to_ids() {
        let ids = |text| -> Vec<String> {
            let line = TextLine { text, start: 0 };
            let shown = |m: &TaskMention| match m.through {
                Some(to) => format!("{}..{to}", m.id.text),
                None => m.id.text.to_owned(),
            };
            mentions(&line, |letters| letters == "T").iter().map(shown).collect()
        };
        assert_eq!(
            ids("T071-A, T071-B; T158-1. T019A and T019a"),
            ["T071-A", "T071-B", "T158-1", "T019A", "T019a"]
        );
        assert_eq!(ids("T004-T007, T010-T012 then T082.2."), ["T004..7", "T010..12", "T082.2"]);
        assert_eq!(ids("T003. Then T004-based T1-3"), ["T003", "T004", "T1"]);
    }

    #[test]
    fn text_in_brackets_is_skipped() {
        let parts = |text| -> String {
            outside_brackets(&TextLine { text, start: 0 }).iter().map(|part| part.text).collect()
        };
        assert_eq!(parts("G1 (like G2 (and G3)), G4 (x)"), "G1 , G4 ");
        assert_eq!(parts("G1 (open, G2"), "G1 (open, G2");
        assert_eq!(parts("a) G1 (b)"), "a) G1 ");
    }
}
