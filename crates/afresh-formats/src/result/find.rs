//! Finds the parts of a text that may be a result.
//!
//! One pass over the lines, and each candidate is parsed once. Lines that start with `>` are neither
//! markers nor fences, so quoted results are never found.

use crate::findings::SourceText;
use crate::result::{NoResult, claim, status_line};
use crate::text::json;
use crate::text::markdown::{Frontmatter, TextLine, fence, headings, lines};
use crate::text::node::{Node, Value};
use crate::text::yaml;

const START: &str = "OUTPUT_JSON_START";
const END: &str = "OUTPUT_JSON_END";
const CHECKPOINT: &str = "CHECKPOINT REACHED";

/// How clearly a text is marked as a result, clearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultForm {
    /// Between the two markers.
    Marked,
    /// A JSON object that is the whole text, or its end.
    Whole,
    /// A fenced block, or the block of a checkpoint.
    Embedded,
    /// `T001: SUCCESS`.
    Line,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultNotation {
    Json,
    Yaml,
    Markdown,
}

impl ResultNotation {
    pub(super) fn article(self) -> &'static str {
        match self {
            Self::Json => "a JSON",
            Self::Yaml => "a YAML",
            Self::Markdown => "a Markdown",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResultCandidate<'a> {
    pub(super) form: ResultForm,
    pub(super) notation: ResultNotation,
    pub(super) text: &'a str,
    /// The missing end marker, if the candidate is cut off.
    unended: Option<&'static str>,
}

impl ResultCandidate<'_> {
    pub(super) fn is_checkpoint(&self) -> bool {
        self.notation == ResultNotation::Markdown
    }

    /// Parses its values.
    pub(super) fn parse(&self) -> Result<Node, NoResult> {
        if let Some(end) = self.unended {
            return Err(NoResult::Broken(format!("no {end}: the result was cut off")));
        }
        match self.notation {
            ResultNotation::Json => {
                let source = SourceText::new("the result", self.text.trim());
                json::parse(&source).map_err(|found| {
                    let (line, column) = (found.line, found.column);
                    let what = found.message;
                    NoResult::Broken(format!("not JSON: {what} (line {line}, column {column})"))
                })
            }
            ResultNotation::Yaml | ResultNotation::Markdown => parse_yaml(self.text),
        }
    }
}

/// As lenient as for a frontmatter: an error message with a bare colon must not lose the result.
fn parse_yaml(text: &str) -> Result<Node, NoResult> {
    let bare = text.trim_end().trim_start_matches(['\n', '\r']);
    let bare = bare.strip_prefix("---\n").unwrap_or(bare);
    let framed = format!("---\n{bare}\n---\n");
    let block = Frontmatter::first(&framed);
    let (node, trouble) = match &block {
        Some(block) => yaml::frontmatter(&SourceText::new("the result", &framed), block),
        None => return Err(NoResult::Broken("not YAML".to_owned())),
    };
    match (&node.value, trouble) {
        (Value::Table(entries), Some(trouble)) if entries.is_empty() => Err(NoResult::Broken(
            format!("not YAML: {} (line {})", trouble.message, trouble.line - 1),
        )),
        _ => Ok(node),
    }
}

/// The text after the last copy of the prompt, because an agent may echo its prompt.
pub(super) fn after_echo<'t>(text: &'t str, prompt: &str) -> &'t str {
    let prompt = prompt.trim();
    match text.rfind(prompt) {
        Some(at) if !prompt.is_empty() => &text[at + prompt.len()..],
        _ => text,
    }
}

/// Everything in a text that may be a result for this task, in order.
pub(super) fn candidates<'t>(text: &'t str, task: &str) -> Vec<ResultCandidate<'t>> {
    let mut found = marked(text);
    found.extend(at_the_end(text));
    let mut embedded = fenced(text);
    embedded.extend(checkpoints(text));
    // The one that starts last wins.
    embedded.sort_by_key(|candidate| candidate.text.as_ptr() as usize);
    found.extend(embedded);
    let own =
        lines(text).map(|line| line.text).filter(|line| status_line::read(line, task).is_some());
    let line = |text| ResultCandidate {
        form: ResultForm::Line,
        notation: ResultNotation::Markdown,
        text,
        unended: None,
    };
    found.extend(own.map(line));
    found
}

/// Everything in a text that may be a review, the clearest last.
pub(super) fn reviews(text: &str) -> Vec<ResultCandidate<'_>> {
    let is_review = |text: &str| text.contains("\"verdict\"");
    let mut found: Vec<ResultCandidate<'_>> = fenced_json(text);
    let start = lines(text).filter(|line| line.text.starts_with('{')).last();
    let at_the_end = start.filter(|_| text.trim_end().ends_with('}'));
    found.extend(at_the_end.map(|line| ResultCandidate {
        form: ResultForm::Whole,
        notation: ResultNotation::Json,
        text: text[line.start..].trim_end(),
        unended: None,
    }));
    found.retain(|candidate| is_review(candidate.text));
    found.extend(marked(text));
    found
}

/// Fenced blocks that hold an object.
fn fenced_json(text: &str) -> Vec<ResultCandidate<'_>> {
    let all: Vec<TextLine<'_>> =
        lines(text).filter(|line| fence::info(line.text).is_some()).collect();
    let inner = |pair: &[TextLine<'_>]| {
        let start = (pair[0].end() + 1).min(text.len());
        &text[start.min(pair[1].start)..pair[1].start]
    };
    let blocks = all.windows(2).map(inner).filter(|inner| inner.trim_start().starts_with('{'));
    blocks
        .map(|text| ResultCandidate {
            form: ResultForm::Embedded,
            notation: ResultNotation::Json,
            text,
            unended: None,
        })
        .collect()
}

/// The texts between a start marker and the next end marker; another start marker starts over.
fn marked(text: &str) -> Vec<ResultCandidate<'_>> {
    let block = |text, unended| ResultCandidate {
        form: ResultForm::Marked,
        notation: ResultNotation::Json,
        text,
        unended,
    };
    let mut found = Vec::new();
    let mut open = None;
    for line in lines(text) {
        match line.text.trim() {
            START => open = Some((line.end() + 1).min(text.len())),
            END => {
                let start: Option<usize> = open.take();
                found.extend(start.map(|start| block(&text[start..line.start], None)));
            }
            _ => {}
        }
    }
    // A block that was cut off only matters if there is no complete one.
    if found.is_empty() {
        found.extend(open.map(|start| block(&text[start..], Some(END))));
    }
    found
}

/// A file with one object, in either notation.
pub(super) fn whole(text: &str) -> Option<ResultCandidate<'_>> {
    let bare = text.trim();
    let notation = match bare {
        _ if bare.starts_with('{') => ResultNotation::Json,
        _ if bare.lines().any(|line| line.starts_with("status:")) && !bare.contains("```") => {
            ResultNotation::Yaml
        }
        _ => return None,
    };
    Some(ResultCandidate { form: ResultForm::Whole, notation, text, unended: None })
}

/// An object that is the whole text, or at its end.
fn at_the_end(text: &str) -> Option<ResultCandidate<'_>> {
    let opening = |line: &TextLine<'_>| line.text.starts_with('{');
    let start = lines(text).filter(opening).last()?.start;
    let object = text[start..].trim_end();
    let candidate = ResultCandidate {
        form: ResultForm::Whole,
        notation: ResultNotation::Json,
        text: object,
        unended: None,
    };
    let has_key = |key: &&str| object.contains(&format!("\"{key}\""));
    (object.contains("\"status\"")
        && claim::RESULT_ONLY_FIELDS.iter().any(has_key)
        && (object.ends_with('}') || text[..start].trim().is_empty()))
    .then_some(candidate)
}

/// Fenced blocks that are labelled as JSON or YAML, or look like a result. An unclosed block must not
/// hide those after it, so every fence may open one.
fn fenced(text: &str) -> Vec<ResultCandidate<'_>> {
    let all: Vec<TextLine<'_>> =
        lines(text).filter(|line| fence::info(line.text).is_some()).collect();
    let mut found = Vec::new();
    for (at, opening) in all.iter().enumerate() {
        let start = (opening.end() + 1).min(text.len());
        let closing = all.get(at + 1).filter(|line| fence::info(line.text) == Some(""));
        let unended = closing.is_none().then_some("closing fence");
        // Up to the next fence of any kind, so that the text is scanned only once.
        let end = all.get(at + 1).map_or(text.len(), |next| next.start);
        let inner = &text[start.min(end)..end];
        let info = fence::info(opening.text).unwrap_or_default().to_ascii_lowercase();
        let notation = match info.split_whitespace().next() {
            Some("json" | "jsonc") => ResultNotation::Json,
            Some("yaml" | "yml") | None if inner.trim_start().starts_with('{') => {
                ResultNotation::Json
            }
            Some("yaml" | "yml") => ResultNotation::Yaml,
            None if inner.trim_start().starts_with("status:") => ResultNotation::Yaml,
            _ => continue,
        };
        let candidate =
            ResultCandidate { form: ResultForm::Embedded, notation, text: inner, unended };
        if looks_like_a_result(&candidate) {
            found.push(candidate);
        }
    }
    found
}

/// Whether it has a status and a field that only occurs in results.
fn looks_like_a_result(candidate: &ResultCandidate<'_>) -> bool {
    let keys = || candidate.text.lines().flat_map(|line| keys_of(line, candidate.notation));
    let has_result_field = || keys().any(|key| claim::RESULT_ONLY_FIELDS.contains(&key));
    let plain = || candidate.notation == ResultNotation::Yaml && keys().all(claim::is_known);
    keys().any(|key| key == "status") && (has_result_field() || plain())
}

/// The keys in a line: at its start in YAML, in quotes before a colon in JSON.
fn keys_of(line: &str, notation: ResultNotation) -> Vec<&str> {
    match notation {
        ResultNotation::Json => {
            let parts: Vec<&str> = line.split('"').collect();
            let pairs = parts.windows(2).skip(1).step_by(2);
            pairs.filter(|pair| pair[1].trim_start().starts_with(':')).map(|pair| pair[0]).collect()
        }
        ResultNotation::Yaml | ResultNotation::Markdown => {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let key = line.split_once(':').map(|(key, _)| key).filter(|key| !key.is_empty());
            key.filter(|key| key.chars().all(word)).into_iter().collect()
        }
    }
}

fn checkpoints(text: &str) -> Vec<ResultCandidate<'_>> {
    let found = headings(text)
        .into_iter()
        .filter(|heading| heading.level == 2 && heading.text.eq_ignore_ascii_case(CHECKPOINT));
    let candidate = |text| ResultCandidate {
        form: ResultForm::Embedded,
        notation: ResultNotation::Markdown,
        text,
        unended: None,
    };
    found.map(|heading| candidate(&text[heading.body])).collect()
}

/// The status of a result that cannot be parsed.
pub(super) fn readable_status(text: &str) -> Option<String> {
    let after = text.split_once("status").map(|(_, after)| after)?;
    let value = after.trim_start_matches('"').trim_start().strip_prefix(':')?.trim_start();
    let word: String = value
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        .take(40)
        .collect();
    (!word.is_empty()).then_some(word)
}
