//! Paths in the texts of tasks.
//!
//! A path that neither the repository nor a task has is missing where a slip is likely: a file of almost that name
//! exists, or the sentence says that it exists already. Else it cannot be checked: a program may make it.

use afresh_formats::text::markdown::{FenceTracker, LineKind, lines};
use afresh_import::prose::paths;

use super::claims::{ExistenceClaim, claim_before};
use super::tree::{PlannedPath, TaskTree, is_generated};
use super::{GroundingState, PlanReference, ReferenceKind};

pub(super) fn references(text: &str, view: &TaskTree<'_, '_>) -> Vec<PlanReference> {
    let mut fences = FenceTracker::within(text, 0..text.len());
    let mut found = Vec::new();
    for line in lines(text) {
        // Code shows what files may contain.
        if fences.kind(&line) != LineKind::Text {
            continue;
        }
        for path in paths(&line) {
            let before = &line.text[..path.start - line.start];
            let name = path.text.trim_start_matches("./").trim_end_matches('/');
            let state = resolve(name, claim_before(before), view);
            found.push(PlanReference { kind: ReferenceKind::Path, name: name.to_owned(), state });
        }
    }
    found
}

fn resolve(path: &str, claim: ExistenceClaim, view: &TaskTree<'_, '_>) -> GroundingState {
    match view.state(path) {
        PlannedPath::Exists | PlannedPath::Planned | PlannedPath::PlannedElsewhere(_) => {
            return GroundingState::Verified;
        }
        PlannedPath::Deleted(_) | PlannedPath::Absent => {}
    }
    // A listed pattern may be meant.
    if path.contains(['*', '{', '[']) || is_generated(path) || claim == ExistenceClaim::Excluded {
        return GroundingState::Uncheckable;
    }
    match view.tree.ending_like(path).as_slice() {
        // `cli.py` means the only file of that name.
        [_] => return GroundingState::Verified,
        [] => {}
        several => {
            let candidates = several.iter().map(|path| (*path).to_owned()).collect();
            return GroundingState::Ambiguous { candidates };
        }
    }
    // A bare name may be anything that the program reads or writes.
    if !path.contains('/') {
        return GroundingState::Uncheckable;
    }
    let near = view.tree.nearest(path);
    let is_code = is_source(path);
    match (near, claim) {
        (Some(near), _) if is_slip(path, &near) => GroundingState::Missing {
            hint: format!("did you mean {near:?}? Or list it in `files` with action = \"create\""),
        },
        (near, ExistenceClaim::Exists) if is_code => {
            let near = near.map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
            GroundingState::Missing { hint: format!("{near}No file of that path exists, and no task creates it") }
        }
        (_, ExistenceClaim::Made) if is_code => GroundingState::Missing {
            hint: "list it in `files` with action = \"create\": a worker writes only what its task lists".to_owned(),
        },
        _ => GroundingState::Uncheckable,
    }
}

/// Whether one path is likely meant by the other: the same name elsewhere, or almost the same path.
fn is_slip(path: &str, near: &str) -> bool {
    let parts = |path: &str| path.rsplit('/').map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (parts(path), parts(near));
    // Names that every directory may have say nothing.
    let is_common =
        ["index", "mod", "main", "__init__", "lib", "types", "README", "setup", "conftest"]
            .iter()
            .any(|name| one[0].split('.').next() == Some(name));
    if one[0] == other[0] {
        return !is_common || one.len() == other.len();
    }
    one[1..] == other[1..] && !differ_by_number(&one[0], &other[0])
}

fn differ_by_number(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    one != other && letters(one) == letters(other)
}

/// Files that people write, by their endings.
const SOURCES: &[&str] = &[
    "py", "rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "go", "java", "kt", "rb", "php", "cs",
    "swift", "c", "cc", "cpp", "h", "hpp", "ex", "exs", "scala", "sh", "sql", "vue", "svelte",
    "dart", "lua", "zig", "hs", "ml", "clj", "tf", "proto", "graphql", "css", "scss", "html",
    "erb",
];

pub(super) fn is_source(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| SOURCES.contains(&ending))
}
