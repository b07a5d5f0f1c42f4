//! Cases on disk: clean ones as files, planted ones as edits of them.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_formats::folder::MemoryFolder;
use afresh_formats::project::parse_toml_manifest;
use afresh_formats::{Finding, native};
use afresh_planner::discovery::MemoryFiles;
use afresh_planner::ledger::{PhaseFilter, cut};
use afresh_planner::review::{PlanSubject, ReviewReport, review_whole};
use afresh_planner::spec::Specification;

/// A specification, a plan and a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CleanCase {
    pub(crate) name: String,
    spec: String,
    plan: String,
    files: Vec<(String, String)>,
}

/// A clean case with one defect.
#[derive(Debug, Clone)]
pub(crate) struct PlantedCase {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) base: String,
    /// The code of the finding.
    pub(crate) finds: String,
    /// Codes that follow from the same defect.
    pub(crate) also: Vec<String>,
    edits: Vec<CaseEdit>,
}

#[derive(Debug, Clone)]
struct CaseEdit {
    /// `spec`, `plan`, or the path of a file of the repository.
    place: String,
    from: String,
    to: String,
}

fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted").join(name)
}

fn texts(name: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(directory(name)).expect("a directory of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let stem = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (stem(path), fs::read_to_string(path).expect("text"))).collect()
}

pub(crate) fn clean_cases() -> Vec<CleanCase> {
    texts("clean").into_iter().map(|(name, text)| CleanCase::parse(name, &text)).collect()
}

pub(crate) fn planted_cases() -> Vec<PlantedCase> {
    let mut cases = Vec::new();
    for (file, text) in texts("defects") {
        let toml = parse_toml_manifest(&text).unwrap_or_else(|| panic!("{file} is no TOML"));
        for defect in toml["defect"].as_array().expect("defects") {
            let word = |key: &str| defect[key].as_str().map(str::to_owned);
            let needed =
                |key: &str| word(key).unwrap_or_else(|| panic!("{file}: no {key} in {defect}"));
            let edits = defect["edit"].as_array().expect("edits").iter().map(|edit| {
                let part = |key: &str| {
                    edit[key].as_str().unwrap_or_else(|| panic!("{file}: {edit}")).to_owned()
                };
                CaseEdit { place: part("in"), from: part("from"), to: part("to") }
            });
            let also = defect["also"].as_array().into_iter().flatten();
            cases.push(PlantedCase {
                name: needed("name"),
                class: needed("class"),
                base: needed("base"),
                finds: needed("finds"),
                also: also.filter_map(|code| code.as_str().map(str::to_owned)).collect(),
                edits: edits.collect(),
            });
        }
    }
    cases
}

impl CleanCase {
    /// Parts start with `=== spec.md`, `=== plan.toml`, `=== files` (paths with sizes) or `=== file PATH`.
    fn parse(name: String, text: &str) -> Self {
        let mut case = Self { name, spec: String::new(), plan: String::new(), files: Vec::new() };
        for part in format!("\n{text}").split("\n=== ").skip(1) {
            let (head, body) = part.split_once('\n').expect("a part has a text");
            let body = format!("{}\n", body.trim_end_matches('\n'));
            match head {
                "spec.md" => case.spec = body,
                "plan.toml" => case.plan = body,
                "files" => case
                    .files
                    .extend(body.lines().filter(|line| !line.trim().is_empty()).map(sized_file)),
                head => {
                    let path = head
                        .strip_prefix("file ")
                        .unwrap_or_else(|| panic!("{}: {head}", case.name));
                    case.files.push((path.to_owned(), body));
                }
            }
        }
        case
    }

    pub(crate) fn named<'c>(cases: &'c [Self], name: &str) -> &'c Self {
        cases.iter().find(|case| case.name == name).unwrap_or_else(|| panic!("no case {name}"))
    }

    pub(crate) fn review(&self) -> ReviewReport {
        let ledger =
            cut(&Specification::from_text("spec.md", self.spec.clone()), PhaseFilter::First);
        let folder = MemoryFolder::new([
            ("p.plan.toml", self.plan.as_str()),
            ("spec.md", self.spec.as_str()),
        ]);
        let reading = native::read("p.plan.toml", self.plan.as_bytes());
        let repository =
            MemoryFiles::new(self.files.iter().map(|(path, text)| (path.clone(), text.clone())));
        review_whole(PlanSubject {
            reading: &reading,
            folder: &folder,
            ledger: &ledger,
            repository: &repository,
            window: 200_000,
            soft: 50,
        })
    }
}

impl PlantedCase {
    pub(crate) fn edited(&self, clean: &[CleanCase]) -> CleanCase {
        let mut case = CleanCase::named(clean, &self.base).clone();
        for edit in &self.edits {
            let text = match edit.place.as_str() {
                "spec" => &mut case.spec,
                "plan" => &mut case.plan,
                path => {
                    if !case.files.iter().any(|(known, _)| known == path) {
                        case.files.push((path.to_owned(), String::new()));
                    }
                    &mut case
                        .files
                        .iter_mut()
                        .find(|(known, _)| known == path)
                        .expect("just added")
                        .1
                }
            };
            assert!(
                text.contains(&edit.from),
                "{}: {:?} is not in {}",
                self.name,
                edit.from,
                edit.place
            );
            *text = if edit.from.is_empty() {
                format!("{text}{}", edit.to)
            } else {
                text.replacen(&edit.from, &edit.to, 1)
            };
        }
        case
    }

    pub(crate) fn errors(&self, clean: &[CleanCase]) -> Vec<Finding> {
        let findings = self.edited(clean).review().findings;
        findings.into_iter().filter(Finding::is_error).collect()
    }
}

/// `src/a.py 1200`: a file of that size.
fn sized_file(line: &str) -> (String, String) {
    let (path, size) = line.rsplit_once(' ').expect("a path and a size");
    let size: usize = size.parse().expect("a size");
    (path.to_owned(), "total = count(first, second)\n".repeat(size / 29))
}
