//! Small real projects with a check each, and what the check is worth there (TR-01, TR-02, TR-04).
//!
//! Every case holds what its command printed when it was recorded, so that all of them are classified everywhere; where
//! the programs of a case are installed, its command runs for real too. See CONTRIBUTING.md on how to add one.

#![allow(clippy::unwrap_used, reason = "tests")]

mod case;
mod execution;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use afresh_checks::fingerprint;
use afresh_core::probe::CheckClass;
use case::{CaseMark, CorpusCase, load_corpus};
use execution::{Toolset, run_case};

/// TR-01, TR-02, TR-04: every case is classified right from what its command printed when it was recorded.
#[test]
fn recorded_outputs_are_classified_right() {
    let wrong: Vec<String> = load_corpus()
        .iter()
        .filter_map(|case| {
            let recorded = case.recorded.as_ref();
            let recorded = recorded.unwrap_or_else(|| panic!("{} has no recording", case.name));
            case.find_difference(recorded)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// TR-01, TR-02, TR-04, TR-09: the installed programs behave as the recorded ones did, and the same failure in another
/// directory has the same fingerprint.
///
/// With `AFRESH_UPDATE=1` the recordings are written again.
#[test]
fn installed_programs_are_classified_right() {
    let corpus = load_corpus();
    let updates = std::env::var_os("AFRESH_UPDATE").is_some();
    let toolset = Toolset::find(updates);
    let everything = std::env::var("AFRESH_SWEEP").is_ok_and(|sweep| sweep == "all") || updates;
    // Without it, a sample: every third one of those that take no second.
    let is_chosen = |(at, case): &(usize, &CorpusCase)| {
        toolset.has_all(case) && (everything || (at % 3 == 0 && !case.has(CaseMark::Slow)))
    };
    let chosen: Vec<&CorpusCase> =
        corpus.iter().enumerate().filter(is_chosen).map(|(_, case)| case).collect();
    assert!(chosen.len() > 10, "sh, grep, git and cargo are needed to build this project");
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let recording = run_case(case, &toolset);
                    if updates {
                        case.save_recording(&recording);
                    }
                    let difference = case.find_live_difference(&recording);
                    wrong.lock().unwrap().extend(difference);
                    if case.class == CheckClass::Red && recording.exit_code > 0 {
                        let again = run_case(case, &toolset);
                        let prints = [&recording, &again]
                            .map(|ended| fingerprint(&case.command, &ended.output));
                        let is_same = prints[0] == prints[1];
                        let both = format!(
                            "{} differs\n{}\n{}",
                            case.name, recording.output, again.output
                        );
                        wrong.lock().unwrap().extend((!is_same).then_some(both));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// TR-01: the corpus has every class, and at least five cases of every runner.
#[test]
fn the_corpus_is_large_enough() {
    let corpus = load_corpus();
    let mut by_runner: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_class: BTreeMap<CheckClass, usize> = BTreeMap::new();
    for case in &corpus {
        *by_runner.entry(&case.runner).or_default() += 1;
        *by_class.entry(case.class).or_default() += 1;
    }
    assert!(corpus.len() >= 80, "{}", corpus.len());
    for runner in [
        "cargo", "nextest", "pytest", "unittest", "node", "jest", "vitest", "mocha", "go", "junit",
        "make", "npm", "ruff", "eslint", "tsc", "shell",
    ] {
        assert!(by_runner.get(runner).is_some_and(|count| *count >= 5), "{runner}: {by_runner:?}");
    }
    for class in CheckClass::ALL.into_iter().filter(|class| *class != CheckClass::Unprobed) {
        assert!(by_class.contains_key(&class), "{class}: {by_class:?}");
    }
}

/// TR-01: a check that fails is never called vacuous, whatever its output says: each recording, with every other exit
/// code and with the outputs of all others.
#[test]
fn nothing_that_fails_is_called_vacuous() {
    let corpus = load_corpus();
    for case in &corpus {
        let recorded = case.recorded.as_ref().expect("every case has a recording");
        for code in [1, 2, 4, 5, 100, 101, 126, 127] {
            let changed = case::CorpusRecording { exit_code: code, ..recorded.clone() };
            let class = case.classify(&changed).class;
            assert!(
                !matches!(class, CheckClass::Vacuous | CheckClass::Guard),
                "{} with code {code} is {class}",
                case.name
            );
        }
    }
    let all: String =
        corpus.iter().filter_map(|case| Some(case.recorded.as_ref()?.output.as_str())).collect();
    for case in corpus.iter().filter(|case| case.class == CheckClass::Red) {
        let recorded = case.recorded.as_ref().expect("every case has a recording");
        // What other programs print before it does not make a test that was executed and failed anything but red.
        if case.executed.is_some_and(|executed| executed > 0) {
            let output = format!("{all}\n{}", recorded.output);
            let mixed = case::CorpusRecording { output, ..recorded.clone() };
            assert_eq!(case.classify(&mixed).class, CheckClass::Red, "{}", case.name);
        }
    }
}
