//! The specification that a command is about: a path, standard input, or the only one that is there.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use afresh_planner::spec::layout::{self, NoSpecification, SpecCandidate};
use afresh_planner::spec::{DocumentPart, SpecDocument, SpecKind, Specification};

use crate::error::AppError;
use crate::plan_source::disk::DiskFolder;
use crate::text::files::read_bounded;

/// More than any specification.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// A specification and where it is.
#[derive(Debug)]
pub struct FoundSpecification {
    pub spec: Specification,
    /// As the user would name it.
    pub shown: String,
    /// The file of its first document; none for standard input.
    pub path: Option<PathBuf>,
}

impl FoundSpecification {
    /// The bytes of its first document.
    pub fn first_text(&self) -> &[u8] {
        self.spec.documents.first().map_or(&[], |document| document.text.as_bytes())
    }
}

/// Every specification around a directory.
pub fn candidates(root: &Path) -> Vec<SpecCandidate> {
    layout::candidates(&DiskFolder::open(root))
}

/// The specification at `given`, relative to `directory`; without it, the only one below `root`.
pub fn find(
    directory: &Path,
    root: &Path,
    given: Option<&Path>,
) -> Result<FoundSpecification, AppError> {
    match given {
        Some(given) if given == Path::new("-") => read_stdin(),
        Some(given) => read_path(directory, root, given),
        None => read_folder(root, ""),
    }
}

fn read_stdin() -> Result<FoundSpecification, AppError> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
    read.map_err(|error| unreadable("standard input", &error.to_string()))?;
    let text =
        String::from_utf8(bytes).map_err(|_| unreadable("standard input", "it is not UTF-8"))?;
    if text.trim().is_empty() {
        return Err(unreadable("standard input", "it is empty"));
    }
    let spec = Specification::from_text("spec.md", text);
    Ok(FoundSpecification { spec, shown: "standard input".to_owned(), path: None })
}

fn read_path(directory: &Path, root: &Path, given: &Path) -> Result<FoundSpecification, AppError> {
    let path = directory.join(given);
    let shown = given.display().to_string();
    let path = path.canonicalize().map_err(|error| missing(&shown, root, &error))?;
    if let Ok(inside) = path.strip_prefix(root)
        && let Some(inside) = inside.to_str()
    {
        let found = layout::read(&DiskFolder::open(root), inside);
        // A file whose ending is no plan's is a document all the same.
        if path.is_dir() || found.is_ok() {
            let spec = found.map_err(|why| describe(&why, &shown))?;
            let path = spec.documents.first().map(|document| root.join(&document.path));
            return Ok(FoundSpecification { spec, shown, path });
        }
    }
    if path.is_dir() {
        return read_folder(&path, "");
    }
    let bytes =
        read_bounded(&path, MAX_BYTES).map_err(|error| unreadable(&shown, &error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable(&shown, "it is not UTF-8"))?;
    let named = Specification::from_text(&path.to_string_lossy(), String::new());
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let document = SpecDocument { path: name, text, part: DocumentPart::Statements };
    let spec =
        Specification { kind: SpecKind::Markdown, name: named.name, documents: vec![document] };
    Ok(FoundSpecification { spec, shown, path: Some(path) })
}

fn read_folder(root: &Path, given: &str) -> Result<FoundSpecification, AppError> {
    let spec = layout::read(&DiskFolder::open(root), given)
        .map_err(|why| describe(&why, "this directory"))?;
    let first = spec.documents.first().map(|document| document.path.clone()).unwrap_or_default();
    let path = Some(root.join(&first));
    Ok(FoundSpecification { spec, shown: first, path })
}

fn describe(why: &NoSpecification, shown: &str) -> AppError {
    match why {
        NoSpecification::None => {
            AppError::usage("spec", format!("no specification was found in {shown}"))
                .hint("name a Markdown file that says what is wanted; `afresh new --spec` writes one to start from")
        }
        NoSpecification::Several(found) => {
            let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).take(10).collect();
            AppError::usage("spec", format!("{shown} has {} specifications", found.len()))
                .hint(format!("name one of them: {}", paths.join(", ")))
        }
        NoSpecification::Unreadable { path, why } => unreadable(path, why),
    }
}

fn missing(shown: &str, root: &Path, error: &std::io::Error) -> AppError {
    let failure = unreadable(shown, &error.to_string());
    let found = candidates(root);
    let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).take(5).collect();
    if paths.is_empty() {
        return failure.hint("name a Markdown file that says what is wanted");
    }
    failure.hint(format!("specifications here: {}", paths.join(", ")))
}

fn unreadable(shown: &str, why: &str) -> AppError {
    AppError::usage("spec", format!("cannot read the specification {shown}")).cause(why.to_owned())
}
