//! Specifications and plans with one planted defect each, and clean ones (PL-08, PL-09, PL-15, PL-16, PL-18).
//!
//! A clean case is a file in `clean/`: specification, plan, repository. A planted case is an edit of a clean one, so that
//! the defect is the only difference. What the rules find in all of them is counted in `docs/planning.md`.

mod case;
mod table;

use case::{CleanCase, PlantedCase, clean_cases, planted_cases};

/// PL-08, PL-16: a plan that is right has no error and no warning.
#[test]
fn clean_plans_are_clean() {
    let mut alarms = Vec::new();
    for case in clean_cases() {
        for finding in case.review().findings {
            if finding.severity > afresh_formats::Severity::Note {
                alarms.push(format!("{}: {}", case.name, finding.render()));
            }
        }
    }
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

/// PL-08, PL-09, PL-15, PL-16, PL-18: every planted defect is found by its rule, at a place, with a hint, and nothing
/// else is reported.
#[test]
fn planted_defects_are_found() {
    let clean = clean_cases();
    let mut wrong = Vec::new();
    for case in planted_cases() {
        let findings = case.errors(&clean);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
        let is_found = codes.contains(&case.finds.as_str());
        let is_alone = codes
            .iter()
            .all(|code| *code == case.finds || case.also.iter().any(|also| also == code));
        if !is_found || !is_alone {
            let shown: String = findings.iter().map(afresh_formats::Finding::render).collect();
            wrong.push(format!(
                "{} ({}) wants {}: {codes:?}\n{shown}",
                case.name, case.base, case.finds
            ));
        }
        for finding in &findings {
            assert!(finding.hint.is_some(), "{}: {} has no hint", case.name, finding.code);
            assert!(finding.line > 0, "{}: {} has no place", case.name, finding.code);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}

/// PL-16: what cannot be checked is listed, and neither blocks nor counts as verified.
#[test]
fn what_cannot_be_checked_is_listed() {
    let cases = clean_cases();
    let report = CleanCase::named(&cases, "quiz-php").review();
    let unchecked: Vec<String> = report
        .grounding
        .unchecked
        .iter()
        .map(|it| format!("{} {} {}", it.task, it.kind.word(), it.name))
        .collect();
    assert_eq!(unchecked, ["T1 program vendor/bin/phpunit"]);
    assert!(report.grounding.verified > 0);
    assert_eq!(report.grounding.missing, 0);
}

/// PL-16: each edit changes its case: a planted defect that is not planted would prove nothing.
#[test]
fn every_defect_is_planted() {
    let clean = clean_cases();
    let planted = planted_cases();
    let mut names: Vec<&str> = planted.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), planted.len(), "names are unique");
    for case in &planted {
        assert!(case.edited(&clean) != *CleanCase::named(&clean, &case.base), "{}", case.name);
    }
    assert!(
        planted.len() >= 40 && clean.len() >= 20,
        "{} planted, {} clean",
        planted.len(),
        clean.len()
    );
}

/// The codes of all errors, for the table.
fn found_by(case: &PlantedCase, clean: &[CleanCase]) -> bool {
    case.errors(clean).iter().any(|finding| finding.code == case.finds)
}
