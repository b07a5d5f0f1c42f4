//! One case: the files of a project, a plan, a command, and what it is worth.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use afresh_checks::{
    ClassifiedCheck, ProbeFacts, TestReport, add_up, classify, read_report_file, read_test_reports,
    unexecuted_tests,
};
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::plan::{Check, CheckDraft, FileAction, FileDraft, PlanDraft, TaskDraft};
use afresh_core::probe::CheckClass;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorpusCase {
    /// The runner and the name of the file.
    #[serde(skip)]
    pub(crate) name: String,
    #[serde(skip)]
    pub(crate) runner: String,
    #[serde(skip)]
    path: PathBuf,
    /// What the case shows.
    pub(crate) about: String,
    /// What has to be installed.
    pub(crate) programs: Vec<String>,
    /// The directory of another version of a program.
    pub(crate) with: Option<String>,
    pub(crate) command: String,
    #[serde(default)]
    marks: Vec<CaseMark>,
    pub(crate) class: CheckClass,
    detail: String,
    /// How many tests were executed; absent if no runner is recognised.
    pub(crate) executed: Option<u64>,
    #[serde(default)]
    failed: Vec<String>,
    /// Test files that the work changed.
    #[serde(default)]
    changed_tests: Vec<String>,
    /// Those of them that were certainly not executed.
    #[serde(default)]
    unexecuted: Vec<String>,
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) executables: Vec<String>,
    #[serde(default)]
    tasks: Vec<CorpusTask>,
    pub(crate) recorded: Option<CorpusRecording>,
}

/// What is special about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CaseMark {
    /// The check is meant to pass before and after the work.
    Guard,
    /// It failed and passed on the same tree.
    Flaky,
    /// It did not end in time.
    TimedOut,
    /// It runs only with every other one, because it takes a second.
    Slow,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CorpusTask {
    id: String,
    #[serde(default)]
    creates: Vec<String>,
    #[serde(default)]
    modifies: Vec<String>,
}

/// How the command ended once.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorpusRecording {
    /// What it was recorded with.
    pub(crate) versions: Vec<String>,
    pub(crate) exit_code: i32,
    pub(crate) output: String,
    /// The reports that it wrote to files.
    #[serde(default)]
    pub(crate) report_files: Vec<String>,
    /// What the shell says about a line that it cannot read.
    pub(crate) syntax_error: Option<String>,
}

pub(crate) fn load_corpus() -> Vec<CorpusCase> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/cases");
    let mut corpus = Vec::new();
    for group in entries(&root) {
        for runner in entries(&group) {
            corpus.extend(entries(&runner).iter().map(|path| load_case(path)));
        }
    }
    corpus
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

fn load_case(path: &Path) -> CorpusCase {
    let text = fs::read_to_string(path).unwrap();
    let mut case: CorpusCase =
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let runner = path.parent().and_then(Path::file_name).unwrap();
    case.runner = runner.to_string_lossy().into_owned();
    case.name = format!("{}/{}", case.runner, path.file_stem().unwrap().to_string_lossy());
    path.clone_into(&mut case.path);
    case
}

impl CorpusCase {
    pub(crate) fn has(&self, mark: CaseMark) -> bool {
        self.marks.contains(&mark)
    }

    fn plan(&self) -> Plan {
        let file = |path: &String, action| FileDraft { path: path.clone(), action: Some(action) };
        let mut tasks: Vec<TaskDraft> = Vec::new();
        for (at, task) in self.tasks.iter().enumerate() {
            // The check judges the last task, so that nothing comes too late for it.
            let is_judged = at + 1 == self.tasks.len();
            let check = CheckDraft { command: self.command.clone(), ..CheckDraft::default() };
            let created = task.creates.iter().map(|path| file(path, FileAction::Create));
            let modified = task.modifies.iter().map(|path| file(path, FileAction::Modify));
            tasks.push(TaskDraft {
                id: task.id.clone(),
                title: task.id.clone(),
                instructions: "Do it.".to_owned(),
                files: created.chain(modified).collect(),
                checks: is_judged.then_some(check).into_iter().collect(),
                no_check: (!is_judged).then(|| "the next one is checked".to_owned()),
                needs: tasks.last().map(|last| last.id.clone()).into_iter().collect(),
                ..TaskDraft::default()
            });
        }
        if tasks.is_empty() {
            let no_check = Some("there is nothing to check".to_owned());
            let instructions = "Do it.".to_owned();
            tasks.push(TaskDraft {
                id: "T1".to_owned(),
                title: "T1".to_owned(),
                instructions,
                no_check,
                ..TaskDraft::default()
            });
        }
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("the plan of a case is valid")
    }

    fn reports(&self, recording: &CorpusRecording) -> Vec<TestReport> {
        let printed = read_test_reports(&self.command, &recording.output);
        let written = recording.report_files.iter().filter_map(|text| read_report_file(text));
        printed.into_iter().chain(written).collect()
    }

    pub(crate) fn classify(&self, recording: &CorpusRecording) -> ClassifiedCheck {
        let check =
            Check { guard: self.has(CaseMark::Guard), ..Check::from_command(&self.command) };
        let end = if self.has(CaseMark::TimedOut) {
            CheckEnd::TimedOut
        } else {
            CheckEnd::Exited(recording.exit_code)
        };
        let facts = ProbeFacts {
            check: &check,
            end: &end,
            output: &recording.output,
            reports: &self.reports(recording),
            is_flaky: self.has(CaseMark::Flaky),
            syntax_error: recording.syntax_error.as_deref(),
        };
        classify(&facts, &self.plan())
    }

    /// How a run differs from what is expected, with any version of the programs: they word and count some things
    /// otherwise.
    pub(crate) fn find_live_difference(&self, recording: &CorpusRecording) -> Option<String> {
        let difference = self.find_difference(recording)?;
        let reports = self.reports(recording);
        let executes = |executed: Option<u64>| executed.is_some_and(|executed| executed > 0);
        let is_same = self.classify(recording).class == self.class
            && executes(add_up(&reports).map(|tally| tally.executed)) == executes(self.executed)
            && unexecuted_tests(&self.command, &reports, &self.changed_tests) == self.unexecuted;
        (!is_same).then_some(difference)
    }

    /// How the recording differs from what is expected.
    pub(crate) fn find_difference(&self, recording: &CorpusRecording) -> Option<String> {
        let classified = self.classify(recording);
        let reports = self.reports(recording);
        let tally = add_up(&reports);
        let executed = tally.as_ref().map(|tally| tally.executed);
        let failed = tally.map(|tally| tally.failed).unwrap_or_default();
        let unexecuted = unexecuted_tests(&self.command, &reports, &self.changed_tests);
        let expected = (self.class, &self.detail, self.executed, &self.failed, &self.unexecuted);
        let found = (classified.class, &classified.detail, executed, &failed, &unexecuted);
        (found != expected).then(|| {
            format!(
                "{} ({})\n  `{}` ended with {}\n  expected {expected:?}\n  found    {found:?}\n{}",
                self.name, self.about, self.command, recording.exit_code, recording.output
            )
        })
    }

    /// Writes the recording into the file of the case.
    pub(crate) fn save_recording(&self, recording: &CorpusRecording) {
        let text = fs::read_to_string(&self.path).unwrap();
        let mut document: toml_edit::DocumentMut = text.parse().unwrap();
        let mut table = toml_edit::Table::new();
        let array = |texts: &[String]| toml_edit::value(texts.iter().collect::<toml_edit::Array>());
        table["versions"] = array(&recording.versions);
        table["exit_code"] = toml_edit::value(i64::from(recording.exit_code));
        if let Some(error) = &recording.syntax_error {
            table["syntax_error"] = toml_edit::value(error);
        }
        if !recording.report_files.is_empty() {
            table["report_files"] = array(&recording.report_files);
        }
        table["output"] = toml_edit::value(&recording.output);
        document["recorded"] = toml_edit::Item::Table(table);
        fs::write(&self.path, document.to_string()).unwrap();
    }
}
