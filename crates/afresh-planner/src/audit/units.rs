//! The parts of the work: each statement with the files that it names, and each file that no statement names.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use afresh_import::requirements::SourceDocument;

use super::metrics::requirements;
use crate::ledger::Ledger;
use crate::spec::files::{SpecFile, SpecFileAction};
use crate::spec::{SpecDocument, Specification, outline};

/// What a part is to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnitRole {
    /// Types and interfaces: first.
    Foundation,
    /// Independent of other parts.
    Part,
    /// Connects the others: last.
    Wiring,
}

/// A part of the work that is not divided.
#[derive(Debug, Clone)]
pub(super) struct AuditUnit {
    pub(super) title: String,
    pub(super) role: UnitRole,
    pub(super) statements: Vec<String>,
    /// Positions in the list of files.
    pub(super) files: BTreeSet<usize>,
    /// The section that it stands in; neighbours stay together.
    pub(super) section: String,
}

const FOUNDATION: &[&str] = &[
    "type",
    "types",
    "interface",
    "interfaces",
    "schema",
    "schemas",
    "model",
    "models",
    "constants",
    "protocol",
    "migration",
    "migrations",
    "scaffold",
    "skeleton",
    "foundation",
    "foundations",
    "setup",
    "config",
    "configuration",
];
const WIRING: &[&str] = &[
    "wire",
    "wires",
    "wiring",
    "integrate",
    "integration",
    "register",
    "registers",
    "router",
    "routes",
    "hook",
    "connect",
    "entrypoint",
    "main",
    "end-to-end",
];

/// How many words of a statement say what it is about.
const TITLE_WORDS: usize = 8;

/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 90;

/// The most statements that become parts; a specification with more cannot be divided by rule anyway.
const MAX_UNITS: usize = 600;

pub(super) fn units(spec: &Specification, ledger: &Ledger, files: &[SpecFile]) -> Vec<AuditUnit> {
    let mut units: Vec<AuditUnit> = Vec::new();
    let lines: Vec<DocumentLines<'_>> = spec.documents.iter().map(DocumentLines::new).collect();
    let written: Vec<NamedFile> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.action.writes())
        .map(|(at, file)| NamedFile::new(at, file, &lines))
        .collect();
    let mut owned = BTreeSet::new();
    for statement in requirements(ledger).into_iter().take(MAX_UNITS) {
        let place = lines.iter().position(|document| document.path == statement.file);
        let own = place.map(|place| (place, lines[place].lines_of(statement.line)));
        let lower = statement.quote.to_lowercase();
        let named = written.iter().filter(|file| file.is_named_in(&lower, own.as_ref()));
        let named: BTreeSet<usize> = named.map(|file| file.at).collect();
        owned.extend(named.iter().copied());
        units.push(AuditUnit {
            title: cut_title(&statement.quote),
            role: role(&statement.quote, named.iter().map(|at| files[*at].path.as_str())),
            statements: vec![statement.id.as_str().to_owned()],
            files: named,
            section: statement.section.join(" > "),
        });
    }
    let rest = written.iter().filter(|file| !owned.contains(&file.at));
    units.extend(rest.map(|file| file_unit(file.at, &files[file.at])));
    units
}

/// A document whose statements have lines.
struct DocumentLines<'t> {
    path: &'t str,
    text: &'t str,
    source: SourceDocument<'t>,
    /// The lines of each section, by the line of its heading.
    sections: BTreeMap<usize, Range<usize>>,
}

impl<'t> DocumentLines<'t> {
    fn new(document: &'t SpecDocument) -> Self {
        let source = SourceDocument::new(&document.path, &document.text);
        let sections = outline(&document.text).into_iter().filter(|section| section.level > 0);
        let sections = sections.map(|section| {
            let first = source.line(section.at.start);
            (first, first..source.line(section.body.end.saturating_sub(1)) + 1)
        });
        Self { path: &document.path, text: &document.text, sections: sections.collect(), source }
    }

    /// The lines of the statement that starts here: a whole section, or an item with what is indented below it.
    fn lines_of(&self, line: usize) -> Range<usize> {
        if let Some(section) = self.sections.get(&line) {
            return section.clone();
        }
        let start = self.source.start_of(line);
        let mut lines = self.text[start..].lines();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let own = lines.next().map_or(0, indent);
        let below = lines.take_while(|line| !line.trim().is_empty() && indent(line) > own).count();
        line..line + 1 + below
    }
}

/// A file that the work writes, and how statements name it.
struct NamedFile {
    at: usize,
    name: String,
    /// The words of its name, if it has several.
    words: Option<String>,
    /// Documents and lines.
    places: Vec<(usize, usize)>,
}

impl NamedFile {
    fn new(at: usize, file: &SpecFile, documents: &[DocumentLines<'_>]) -> Self {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
        let words = stem_words(&name);
        let words = (words.len() > 1).then(|| words.join(" "));
        let places = file.places.iter();
        let places = places
            .map(|place| (place.document, documents[place.document].source.line(place.at.start)));
        Self { at, name, words, places: places.collect() }
    }

    fn is_named_in(&self, lower: &str, own: Option<&(usize, Range<usize>)>) -> bool {
        let in_lines = own.is_some_and(|(document, lines)| {
            self.places.iter().any(|(place, line)| place == document && lines.contains(line))
        });
        in_lines
            || lower.contains(&self.name)
            || self.words.as_ref().is_some_and(|words| lower.contains(words))
    }
}

fn file_unit(at: usize, file: &SpecFile) -> AuditUnit {
    let verb = match file.action {
        SpecFileAction::Create => "Create",
        SpecFileAction::Delete => "Delete",
        SpecFileAction::Modify | SpecFileAction::Read => "Change",
    };
    let purpose = file.purpose.as_deref().map(|words| format!(": {words}")).unwrap_or_default();
    let title = cut_title(&format!("{verb} {}{purpose}", file.path));
    AuditUnit {
        role: role(&title, std::iter::once(file.path.as_str())),
        title,
        statements: Vec::new(),
        files: BTreeSet::from([at]),
        section: String::new(),
    }
}

/// `partition handler` of `partition-handler.ts`.
fn stem_words(name: &str) -> Vec<String> {
    let stem = name.split('.').next().unwrap_or(name);
    stem.split(['-', '_']).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn role<'f>(title: &str, files: impl Iterator<Item = &'f str>) -> UnitRole {
    let lower = title.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    let words: BTreeSet<&str> = words.filter(|word| !word.is_empty()).take(TITLE_WORDS).collect();
    let files: Vec<Vec<String>> =
        files.map(|path| stem_words(path.rsplit('/').next().unwrap_or(path))).collect();
    let all_are = |set: &[&str]| {
        !files.is_empty()
            && files.iter().all(|words| words.iter().any(|word| set.contains(&word.as_str())))
    };
    if WIRING.iter().any(|word| words.contains(word)) {
        UnitRole::Wiring
    } else if all_are(FOUNDATION) || FOUNDATION.iter().take(4).any(|word| words.contains(word)) {
        UnitRole::Foundation
    } else {
        UnitRole::Part
    }
}

fn cut_title(text: &str) -> String {
    let plain = text.replace(['|', '#'], " ").replace('`', "");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let joined = words.join(" ");
    if joined.chars().count() <= MAX_TITLE_CHARS {
        return joined;
    }
    let cut: String = joined.chars().take(MAX_TITLE_CHARS - 1).collect();
    format!("{}…", cut.rsplit_once(' ').map_or(cut.as_str(), |(front, _)| front))
}
