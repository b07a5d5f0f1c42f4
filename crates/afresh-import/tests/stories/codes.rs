//! Every code is explained, and its example is right: the wrong file has the finding, the fixed one does
//! not (BE-01).

use std::collections::BTreeSet;
use std::path::Path;

use afresh_formats::findings::Finding;
use afresh_formats::findings::codes;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::lint::{self, LintSubject};
use afresh_formats::native;
use afresh_import::detect::{ReadOptions, detect_formats};

/// All findings of a file, in a repository with two files.
fn found(file: &str, text: &str) -> Vec<Finding> {
    let folder = MemoryFolder::new([(file, text)]);
    let (format, reading) = match detect_formats(&folder).first() {
        Some(format) => (format.name, (format.read)(&folder, &ReadOptions::default())),
        None => ("native", native::read(file, text.as_bytes())),
    };
    let mut findings = reading.findings;
    if let Some(plan) = &reading.plan {
        let repository = BTreeSet::from(["README.md".to_owned(), "src/app.py".to_owned()]);
        let (places, reads) = (&reading.places, &reading.reads);
        let repository = Some(&repository);
        let subject = LintSubject { plan, format, places, reads, repository };
        findings.extend(lint::lint_plan(&folder, subject));
    }
    findings
}

/// BE-01: one example per code; each finding has a position and a hint.
#[test]
fn only_the_wrong_example_has_the_finding() {
    let mut wrong = Vec::new();
    for known in codes::all() {
        let Some(example) = known.example else { continue };
        let code = known.code;
        let all = found(example.file, example.wrong);
        let hits: Vec<&Finding> = all.iter().filter(|finding| finding.code == code).collect();
        if hits.is_empty() {
            let others: Vec<&str> = all.iter().map(|finding| finding.code.as_str()).collect();
            wrong.push(format!("{code}: not found, but {others:?}"));
        }
        for hit in hits.iter().filter(|hit| hit.hint.is_none()) {
            wrong.push(format!("{code}: no hint: {}", hit.message));
        }
        for other in all.iter().filter(|finding| codes::explain(&finding.code).is_none()) {
            wrong.push(format!("{} is not explained", other.code));
        }
        for finding in found(example.file, example.right) {
            if finding.code == code || finding.is_error() {
                wrong.push(format!("{code}: the right one has {}", finding.render()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// BE-01: every explained code is used.
#[test]
fn every_explained_code_is_used() {
    let explained: BTreeSet<&str> = codes::all().iter().map(|known| known.code).collect();
    assert_eq!(explained.len(), codes::all().len(), "a code is explained twice");
    let mut source = String::new();
    for place in [
        "src",
        "../afresh-formats/src",
        "../afresh-core/src/plan",
        "../afresh-app/src/plan_source",
        "../afresh-app/src/session",
        "../afresh-planner/src",
    ] {
        gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join(place), &mut source);
    }
    let unused: Vec<&&str> =
        explained.iter().filter(|code| !source.contains(&format!("\"{code}\""))).collect();
    assert!(unused.is_empty(), "explained, and never found: {unused:?}");
}

/// BE-01: every code of a problem that makes a plan unusable is explained.
#[test]
fn every_problem_of_a_plan_is_explained() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-core/src/plan/problem.rs");
    let source = std::fs::read_to_string(file).expect("text");
    let named =
        source.lines().filter_map(|line| line.trim().split_once(" => \"")?.1.strip_suffix("\","));
    let unexplained: Vec<&str> = named.filter(|code| codes::explain(code).is_none()).collect();
    assert!(source.contains("\"bad-check\",") && unexplained.is_empty(), "{unexplained:?}");
}

/// The text of all sources below a directory, except the explanations.
fn gather(directory: &Path, source: &mut String) {
    for entry in std::fs::read_dir(directory).expect("sources").flatten() {
        let path = entry.path();
        if path.ends_with("codes") || path.ends_with("result") || path.ends_with("project") {
            continue;
        }
        if path.is_dir() {
            gather(&path, source);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            source.push_str(&std::fs::read_to_string(&path).expect("text"));
        }
    }
}
