//! Where in a text an answer may be.
//!
//! One pass over the lines, and each candidate is parsed once. Lines that start with `>` are
//! neither markers nor fences, so what is quoted is never found.

use crate::findings::SourceText;
use crate::result::{NoResult, claim, line};
use crate::text::json;
use crate::text::markdown::{Frontmatter, TextLine, fence, headings, lines};
use crate::text::node::{Node, Value};
use crate::text::yaml;

const START: &str = "OUTPUT_JSON_START";
const END: &str = "OUTPUT_JSON_END";
const CHECKPOINT: &str = "CHECKPOINT REACHED";

/// How plainly a text says that it is an answer; plainest first.
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
    /// What should have ended it; none where it is whole.
    unended: Option<&'static str>,
}

impl ResultCandidate<'_> {
    pub(super) fn is_checkpoint(&self) -> bool {
        self.notation == ResultNotation::Markdown
    }

    /// The values in it.
    pub(super) fn parse(&self) -> Result<Node, NoResult> {
        if let Some(end) = self.unended {
            return Err(NoResult::Broken(format!("no {end}: the answer was cut off")));
        }
        match self.notation {
            ResultNotation::Json => {
                let source = SourceText::new("the answer", self.text.trim());
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

/// As lenient as with a frontmatter: an error message with a bare colon is no reason to lose it.
fn parse_yaml(text: &str) -> Result<Node, NoResult> {
    let bare = text.trim_end().trim_start_matches(['\n', '\r']);
    let bare = bare.strip_prefix("---\n").unwrap_or(bare);
    let framed = format!("---\n{bare}\n---\n");
    let block = Frontmatter::first(&framed);
    let (node, trouble) = match &block {
        Some(block) => yaml::frontmatter(&SourceText::new("the answer", &framed), block),
        None => return Err(NoResult::Broken("not YAML".to_owned())),
    };
    match (&node.value, trouble) {
        (Value::Table(entries), Some(trouble)) if entries.is_empty() => Err(NoResult::Broken(
            format!("not YAML: {} (line {})", trouble.message, trouble.line - 1),
        )),
        _ => Ok(node),
    }
}

/// What follows the last copy of the prompt: an agent may print what it was told.
pub(super) fn after_echo<'t>(text: &'t str, prompt: &str) -> &'t str {
    let prompt = prompt.trim();
    match text.rfind(prompt) {
        Some(at) if !prompt.is_empty() => &text[at + prompt.len()..],
        _ => text,
    }
}

/// Everything in a text that may be an answer to this task, in order.
pub(super) fn candidates<'t>(text: &'t str, task: &str) -> Vec<ResultCandidate<'t>> {
    let mut found = marked(text);
    found.extend(at_the_end(text));
    let mut embedded = fenced(text);
    embedded.extend(checkpoints(text));
    // The one that begins last counts.
    embedded.sort_by_key(|candidate| candidate.text.as_ptr() as usize);
    found.extend(embedded);
    let own = lines(text).map(|line| line.text).filter(|line| line::read(line, task).is_some());
    let line = |text| ResultCandidate {
        form: ResultForm::Line,
        notation: ResultNotation::Markdown,
        text,
        unended: None,
    };
    found.extend(own.map(line));
    found
}

/// The texts between a start marker and the next end marker; a new start begins anew.
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
    // Whatever came before it was an answer; only what was cut off last is none.
    if found.is_empty() {
        found.extend(open.map(|start| block(&text[start..], Some(END))));
    }
    found
}

/// A file that holds one object, in either notation.
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

/// An object that is all of a text, or stands at its end.
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
    let tells = |key: &&str| object.contains(&format!("\"{key}\""));
    (object.contains("\"status\"")
        && claim::TELLING.iter().any(tells)
        && (object.ends_with('}') || text[..start].trim().is_empty()))
    .then_some(candidate)
}

/// Fenced blocks that say what they are, or look like an answer. A fence that was never closed
/// must not hide those after it, so every mark may open one.
fn fenced(text: &str) -> Vec<ResultCandidate<'_>> {
    let all: Vec<TextLine<'_>> =
        lines(text).filter(|line| fence::info(line.text).is_some()).collect();
    let mut found = Vec::new();
    for (at, opening) in all.iter().enumerate() {
        let start = (opening.end() + 1).min(text.len());
        let closing = all.get(at + 1).filter(|line| fence::info(line.text) == Some(""));
        let unended = closing.is_none().then_some("closing fence");
        // Up to the next mark of any kind, so that the whole is looked at once.
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
        if looks_like_an_answer(&candidate) {
            found.push(candidate);
        }
    }
    found
}

/// A status, and something that nothing but an answer has.
fn looks_like_an_answer(candidate: &ResultCandidate<'_>) -> bool {
    let keys = || candidate.text.lines().flat_map(|line| keys_of(line, candidate.notation));
    let telling = || keys().any(|key| claim::TELLING.contains(&key));
    let plain = || candidate.notation == ResultNotation::Yaml && keys().all(claim::is_known);
    keys().any(|key| key == "status") && (telling() || plain())
}

/// The keys that stand in a line: at its start in YAML, in quotes before a colon in JSON.
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

/// The status of an answer that cannot be read as a whole.
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
