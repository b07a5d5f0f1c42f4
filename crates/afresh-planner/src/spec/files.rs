//! The files that a specification names, and what is to be done with them.
//!
//! A heading such as `Files to Create` says it for its whole section, a verb for its own line. What neither says is
//! decided by the repository: a file that is missing there is to be created, one that exists is read.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::FileAction;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine, lines_from};
use afresh_import::prose::paths;
use afresh_import::requirements::SectionRole;

use super::{DocumentPart, Specification, outline};

/// The most files of one specification.
const MAX_FILES: usize = 1_000;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecFileAction {
    Create,
    Modify,
    Delete,
    /// It is named, and nothing says that it changes.
    Read,
}

impl SpecFileAction {
    pub fn writes(self) -> bool {
        self != Self::Read
    }

    /// As plans have it; none for a file that is only read.
    pub fn to_plan(self) -> Option<FileAction> {
        match self {
            Self::Create => Some(FileAction::Create),
            Self::Modify => Some(FileAction::Modify),
            Self::Delete => Some(FileAction::Delete),
            Self::Read => None,
        }
    }
}

/// A file that a specification names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecFile {
    pub path: String,
    pub action: SpecFileAction,
    /// Whether the specification says so itself, and not only the repository.
    pub is_stated: bool,
    /// What the row of a table says about it.
    pub purpose: Option<String>,
    /// Where it is named: the document by its position, and the line.
    pub places: Vec<FilePlace>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlace {
    pub document: usize,
    /// Bytes of the line.
    pub at: Range<usize>,
}

/// The files of a specification, sorted by path. `exists` answers for the repository.
pub fn files(spec: &Specification, exists: impl Fn(&str) -> bool) -> Vec<SpecFile> {
    let mut found: BTreeMap<String, SpecFile> = BTreeMap::new();
    for (position, document) in spec.documents.iter().enumerate() {
        for section in outline(&document.text) {
            if matches!(
                section.role,
                SectionRole::Other | SectionRole::OutOfScope | SectionRole::Deferred
            ) {
                continue;
            }
            let mut fences = FenceTracker::within(&document.text, section.own.clone());
            let stated = action_of_heading(section.heading)
                .or_else(|| section.above.iter().rev().find_map(|above| action_of_heading(above)));
            for line in lines_from(&document.text[section.own.clone()], section.own.start) {
                if fences.kind(&line) != LineKind::Text {
                    continue;
                }
                let is_design = document.part == DocumentPart::Design;
                let said = stated.or_else(|| action_of_line(&line).filter(|_| !is_design));
                for path in paths(&line) {
                    if found.len() < MAX_FILES || found.contains_key(path.text) {
                        let place = FilePlace { document: position, at: line.range() };
                        note(&mut found, &line, path.text, said, place, &exists);
                    }
                }
            }
        }
    }
    found.into_values().collect()
}

fn note(
    found: &mut BTreeMap<String, SpecFile>,
    line: &TextLine<'_>,
    path: &str,
    said: Option<SpecFileAction>,
    place: FilePlace,
    exists: &impl Fn(&str) -> bool,
) {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part == "..") {
        return;
    }
    let action =
        said.unwrap_or(if exists(path) { SpecFileAction::Read } else { SpecFileAction::Create });
    let file = found.entry(path.to_owned()).or_insert_with(|| SpecFile {
        path: path.to_owned(),
        action,
        is_stated: said.is_some(),
        purpose: None,
        places: Vec::new(),
    });
    if let Some(said) = said.filter(|_| !file.is_stated || file.action == SpecFileAction::Read) {
        (file.action, file.is_stated) = (said, true);
    }
    if file.purpose.is_none() {
        file.purpose = purpose(line, path);
    }
    file.places.push(place);
}

/// The other cells of a row, or the words after a dash.
fn purpose(line: &TextLine<'_>, path: &str) -> Option<String> {
    let text = line.text.trim();
    let after = text.split_once(path)?.1.trim_start_matches(['`', '*', ')', ' ']);
    let words = if text.starts_with('|') {
        after.trim_matches(['|', ' ']).rsplit('|').next().unwrap_or_default().trim()
    } else {
        after.strip_prefix(['-', '—', '–', ':'])?.trim()
    };
    (!words.is_empty()).then(|| words.chars().take(200).collect())
}

fn action_of_heading(heading: &str) -> Option<SpecFileAction> {
    let lower = heading.to_lowercase();
    if !lower.contains("file") {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["delete", "remove"]) {
        Some(SpecFileAction::Delete)
    } else if has(&["create", "new file", "add"]) {
        Some(SpecFileAction::Create)
    } else if has(&["modify", "modified", "change", "update", "edit"]) {
        Some(SpecFileAction::Modify)
    } else {
        None
    }
}

const VERBS: &[(SpecFileAction, &[&str])] = &[
    (SpecFileAction::Delete, &["delete", "remove", "drop"]),
    (
        SpecFileAction::Create,
        &["create", "creates", "add a new", "new file", "new module", "write a new", "generate"],
    ),
    (
        SpecFileAction::Modify,
        &[
            "modify", "modifies", "update", "updates", "change", "changes", "edit", "extend",
            "extends", "refactor", "fix", "rewrite", "rename", "wire", "register", "replace",
        ],
    ),
];

/// The first verb of a line that says what happens to its files. In the row of a table, a cell may be the verb.
fn action_of_line(line: &TextLine<'_>) -> Option<SpecFileAction> {
    let lower = line.text.to_lowercase();
    let words: String = lower
        .chars()
        .map(|c| if c.is_alphanumeric() || "/._-`".contains(c) { c } else { ' ' })
        .collect();
    let words = format!(" {} ", words.split_whitespace().collect::<Vec<_>>().join(" "));
    let verbs =
        VERBS.iter().flat_map(|(action, verbs)| verbs.iter().map(move |verb| (*action, *verb)));
    let found =
        verbs.filter_map(|(action, verb)| Some((words.find(&format!(" {verb} "))?, action)));
    found.min_by_key(|(at, _)| *at).map(|(_, action)| action)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let spec = Specification::from_text("spec.md", text.to_owned());
        let found = files(&spec, |path| path.starts_with("src/old"));
        found
            .iter()
            .map(|file| format!("{:?} {} {:?}", file.action, file.path, file.purpose))
            .collect()
    }

    /// AU-01: headings, verbs and the repository say what happens to a file.
    #[test]
    fn files_are_created_changed_or_read() {
        let text = "# S\n\n## Files to Create\n\n| File | Purpose |\n|---|---|\n| `src/a.ts` | types |\n\n\
            ## Behaviour\n\n- Modify `src/old_b.ts` to call it\n- It uses `src/old_c.ts`\n- Results go to `out/d.json`\n\
            - Delete `src/old_e.ts`\n\n```\nsrc/code.ts\n```\n\n## Out of scope\n\n- src/never.ts\n";
        assert_eq!(
            shown(text),
            [
                "Create out/d.json None",
                "Create src/a.ts Some(\"types\")",
                "Modify src/old_b.ts None",
                "Read src/old_c.ts None",
                "Delete src/old_e.ts None",
            ]
        );
    }

    /// B02 and similar: paths outside of the repository are no files of it.
    #[test]
    fn paths_outside_are_left_out() {
        assert_eq!(shown("## A\n\n- Create `../x.ts` and `/etc/y.conf`\n"), Vec::<String>::new());
    }
}
