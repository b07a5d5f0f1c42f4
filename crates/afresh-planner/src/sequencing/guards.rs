//! The project's own tests and linters guard every task of an existing project (PL-06): added by the program, because
//! an author may forget them.

use std::collections::BTreeSet;

use afresh_core::Plan;
use afresh_core::plan::{CheckDraft, PlanDraft, PlanProblem, TaskDraft};
use afresh_core::probe::CheckClass;

use crate::discovery::ProjectFacts;
use crate::discovery::facts::{ProjectState, SourcedCommand};

/// A command of the project that passes before the work and has to pass after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectGuard {
    pub command: String,
    /// What it runs, for people.
    pub name: &'static str,
    /// The package that it is about; `.` for the root.
    directory: String,
}

impl ProjectGuard {
    /// The test and lint commands that were seen to pass. What was not run, or shows nothing, guards nothing; what
    /// runs on every merge anyway (`always`) is not listed again.
    pub fn select(facts: &ProjectFacts, always: &[String]) -> Vec<Self> {
        if facts.state == ProjectState::New {
            return Vec::new();
        }
        let mut seen: BTreeSet<&str> = always.iter().map(String::as_str).collect();
        let mut guards = Vec::new();
        for package in &facts.packages {
            let tests = package.commands.test.iter().map(|it| (it, "the project's tests"));
            let linters = package.commands.lint.iter().map(|it| (it, "the project's linter"));
            for (found, name) in tests.chain(linters) {
                if passes(found) && seen.insert(&found.command) {
                    let (command, directory) = (found.command.clone(), package.directory.clone());
                    guards.push(Self { command, name, directory });
                }
            }
        }
        guards
    }

    fn as_check(&self) -> CheckDraft {
        CheckDraft {
            name: Some(self.name.to_owned()),
            command: self.command.clone(),
            red_first: false,
            guard: true,
        }
    }

    /// Whether the task writes in the package. One without files may write anywhere.
    fn concerns(&self, task: &TaskDraft) -> bool {
        let front = format!("{}/", self.directory);
        let mut files =
            task.files.iter().chain(task.steps.iter().flat_map(|step| &step.files)).peekable();
        self.directory == "."
            || files.peek().is_none()
            || files.any(|file| file.path.starts_with(&front))
    }
}

/// It passed on the base, and tests were executed if it runs any.
fn passes(command: &SourcedCommand) -> bool {
    command
        .probed
        .as_ref()
        .is_some_and(|probed| matches!(probed.class, CheckClass::Vacuous | CheckClass::Guard))
}

/// The plan with the guards on each chosen task that they concern and that does not run them already. Tasks without
/// any check, on purpose, stay so.
pub fn attach_guards(
    plan: &Plan,
    guards: &[ProjectGuard],
    is_chosen: impl Fn(&TaskDraft) -> bool,
) -> Result<Plan, Vec<PlanProblem>> {
    let mut draft = PlanDraft::from(plan);
    let for_workers = draft.tasks.iter_mut().filter(|task| {
        task.no_check.is_none() && task.checkpoint.is_none() && task.done_before.is_none()
    });
    for task in for_workers.filter(|task| is_chosen(task)) {
        let listed = |command: &str| {
            let mut own = task.checks.iter().chain(task.steps.iter().flat_map(|step| &step.checks));
            own.any(|check| check.command == command)
        };
        let missing = guards.iter().filter(|it| it.concerns(task) && !listed(&it.command));
        let added: Vec<CheckDraft> = missing.map(ProjectGuard::as_check).collect();
        task.checks.extend(added);
    }
    Plan::from_draft(&draft)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::facts::CommandProbe;
    use crate::discovery::{MemoryFiles, discover};
    use afresh_core::plan::FileDraft;

    fn command(command: &str, class: CheckClass) -> SourcedCommand {
        let probed = Some(CommandProbe { class, detail: None });
        SourcedCommand { command: command.to_owned(), source: "package.json".to_owned(), probed }
    }

    fn facts(state: ProjectState) -> ProjectFacts {
        let files = MemoryFiles::new([("package.json", "{\"name\": \"shop\"}"), ("a.js", "")]);
        let mut facts = ProjectFacts { state, ..discover(&files) };
        let mut root = facts.packages.remove(0);
        let mut web = root.clone();
        root.directory = ".".to_owned();
        root.commands.test =
            vec![command("npm test", CheckClass::Vacuous), command("old", CheckClass::Red)];
        root.commands.lint = vec![command("npm run lint", CheckClass::Vacuous)];
        web.directory = "web".to_owned();
        web.commands.test = vec![command("npm test -w web", CheckClass::Vacuous)];
        web.commands.lint = vec![command("nothing", CheckClass::Empty)];
        ProjectFacts { packages: vec![root, web], ..facts }
    }

    fn task(id: &str, file: &str, check: &str) -> TaskDraft {
        TaskDraft {
            id: id.to_owned(),
            title: id.to_owned(),
            files: vec![FileDraft { path: file.to_owned(), action: None }],
            checks: vec![CheckDraft { command: check.to_owned(), ..CheckDraft::default() }],
            ..TaskDraft::default()
        }
    }

    fn commands(plan: &Plan, task: usize) -> Vec<(String, bool)> {
        plan.tasks()[task].checks.iter().map(|it| (it.command.clone(), it.guard)).collect()
    }

    /// PL-06.
    #[test]
    fn tasks_carry_what_passes_before_and_concerns_them() {
        let draft = PlanDraft {
            name: "p".to_owned(),
            spec: None,
            tasks: vec![task("T1", "src/a.js", "npm test"), task("T2", "web/b.js", "node b.js")],
        };
        let plan = Plan::from_draft(&draft).expect("a plan");
        let guards = ProjectGuard::select(&facts(ProjectState::Existing), &[]);
        let guarded = attach_guards(&plan, &guards, |_| true).expect("a plan");
        let own = |command: &str| (command.to_owned(), false);
        let guard = |command: &str| (command.to_owned(), true);
        assert_eq!(commands(&guarded, 0), [own("npm test"), guard("npm run lint")]);
        let second = ["npm test", "npm run lint", "npm test -w web"].map(guard);
        assert_eq!(commands(&guarded, 1), [vec![own("node b.js")], second.to_vec()].concat());
        let again = attach_guards(&guarded, &guards, |_| true).expect("a plan");
        assert_eq!(again, guarded);
    }

    /// PL-06: what runs on every merge is not repeated, and a new project has nothing to guard.
    #[test]
    fn checks_of_every_merge_and_new_projects_add_nothing() {
        let always = ["npm test".to_owned(), "npm run lint".to_owned()];
        let guards = ProjectGuard::select(&facts(ProjectState::Existing), &always);
        let named: Vec<&str> = guards.iter().map(|guard| guard.command.as_str()).collect();
        assert_eq!(named, ["npm test -w web"]);
        assert_eq!(ProjectGuard::select(&facts(ProjectState::New), &[]), []);
    }
}
