//! Every code that a finding can have, and what it means: `afresh lint --explain CODE`.

/// One kind of finding.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    pub code: &'static str,
    /// What it says in a line.
    pub title: &'static str,
    /// Why it matters, and what to do.
    pub text: &'static str,
}

macro_rules! codes {
    ($($code:literal: $title:literal, $text:literal;)*) => {
        pub const CODES: &[Code] = &[$(Code { code: $code, title: $title, text: $text }),*];
    };
}

codes! {
    "autonomous-checkpoint": "a plan that calls itself autonomous, and asks a person", "The checkpoint is asked anyway. Write `autonomous: false`, so that nobody expects it to run through.";
    "bad-check": "a check that is no command", "A check is a command whose exit code tells: 0 is a pass. It is empty, too long, or holds a NUL.";
    "bad-id": "an id that cannot name branches and directories", "Ids are 1 to 64 letters, digits, '-', '_' or '.'; they name refs and directories.";
    "bad-path": "a path that no task may write", "Paths are relative to the repository's root and stay inside it: no '..', nothing absolute, nothing of git's own.";
    "check-cannot-fail": "a check that passes whatever happens", "The exit code of a pipe is that of its last program, and `|| true` always passes. Leave that part out.";
    "check-is-prose": "a check that is a sentence", "A check is a command whose exit code tells; a sentence is never run, but the worker is shown it.";
    "check-leaves-tree": "a check that goes to a directory of some machine", "Checks start in the root of a clone; with `cd /home/…` they would judge another tree.";
    "checkpoint-unclear": "a checkpoint that does not tell what is finished", "What it does not tell counts as not done, so it is done again.";
    "checks-are-prose": "criteria that are sentences, not commands", "A check is a command whose exit code tells; sentences are never run. The worker gets them, and the repository's own build, test and lint commands judge the work.";
    "created-twice": "a file that two tasks create", "The second one finds it there, or collides with it. Let one create it, and the other one need that and modify it.";
    "cycle": "tasks that wait for each other", "The path that is shown leads back to its start, so none of these tasks could ever begin. Take one of the dependencies away.";
    "dependency-not-earlier": "a dependency in the same or a later wave", "Dependencies count, stated waves do not: the task waits. Correct the wave, or remove the dependency.";
    "duplicate-id": "two tasks with one id", "Every task needs an id of its own; upper and lower case do not tell ids apart.";
    "empty-plan": "nothing to do", "The plan has no tasks.";
    "file-exists": "a file to be created is there already", "Either the task modifies it, or the name is taken.";
    "file-is-prose": "a file list that holds a sentence", "Only paths say what a task may write: one per line, or several with commas.";
    "frontmatter-invalid": "a frontmatter that is not YAML", "It was read line by line, so that nothing is lost; single quotes around the value usually mend it.";
    "id-unlike-file": "a task whose file has another name", "The id in the file counts; perhaps the file was copied.";
    "large-task": "much for one worker", "15 files or many steps (5 of a PLAN.md) fill a context; a fresh worker does a small task better. Split it.";
    "left-out": "tasks that were given up or put off", "They are not done. Nobody waits for what was given up; where something needs what was put off, a person is asked.";
    "missing-context": "a file to read that workers do not have", "A worker stands in a clone of what is committed, so it cannot read it. Commit it, or correct the path.";
    "missing-file": "a file to be changed is not there", "The path may be misspelt, or another task creates it and should be needed first.";
    "missing-task-file": "a task without a file", "The state names it, but there is nothing that says what to do.";
    "missing-title": "a task without a title", "The title is the subject of its commit and the heading of its prompt.";
    "more": "more of the same", "Only the first problems are listed; mend those, and look again.";
    "must-have-unclear": "a must-have that no command can check", "An artifact is a path; a key link is a pattern in a file. What is neither is only shown to the worker.";
    "no-files": "a task that names no files", "It may write anything, and therefore runs alone. Name its files, so that others can run beside it.";
    "no-task-groups": "a heading for task groups without a table of them", "Expected is a table with the columns Group, Wave, Tasks and Dependencies.";
    "no-task-id": "a box without a task id", "It is not run, because nothing could name it. Start it with an id, as in `T001`.";
    "no-tasks": "a plan without tasks", "One worker gets its whole text, with no steps to go on from if it is cut off.";
    "not-planned": "a slice without tasks", "It is left out, and what depends on it cannot run. Let GSD plan it first.";
    "not-utf8": "a file that is not text", "Plans are UTF-8.";
    "other-tags": "tasks of other tags", "Task Master keeps a list for every tag; the one that is worked on is read.";
    "partly-done": "a group of which some boxes are ticked", "A fresh worker does a group as a whole and finds what is there. Tick all of its boxes if it is done.";
    "same-wave-file": "two tasks of one wave that may write one file", "They never run side by side: the second would collide when it lands. Let one need the other, or part their files.";
    "self-dependency": "a group that depends on itself", "It is left out, because it says nothing about the order. Perhaps another group was meant.";
    "several-plans": "several plans that are not finished", "Which one is meant is not guessed: name its directory or its tasks.md.";
    "spec-is-split": "a specification that was split", "It is not run itself; the specifications that it was split into are.";
    "subtasks-in-a-circle": "subtasks that wait for each other", "They are done in the order of the file, one after the other.";
    "syntax": "text that cannot be read at all", "The place shows where reading ended.";
    "task-in-fence": "a task in a code block", "What stands in a code block is an example. If it is meant to be done, take it out.";
    "ticked-without-summary": "a tick in ROADMAP.md without a summary", "Summaries tell what is done, ticks only mirror them; so the plan is not done.";
    "too-large": "a file that is too large", "Split it into several plans.";
    "unbalanced-tag": "a tag that is not closed", "It was read up to the next tag. Add the closing tag where it is meant.";
    "unbalanced-task": "task tags that do not match", "What ends where is guessed only if another task follows; otherwise the file may be cut off.";
    "unchecked": "a task that nothing but its worker's word would judge", "Give it a command that fails until the work is done; `no_check` says that none is meant.";
    "unclosed-comment": "a comment that never ends, with tasks in it", "Nothing in it is read. Close it with `-->`.";
    "unclosed-fence": "a code block that does not end where it should", "In a task it is taken to end with the task; outside, the tasks in it would be lost.";
    "unknown-dependency": "a dependency that is not in the plan", "The task could never start. Is the name right?";
    "unknown-field": "a field that means nothing here", "Where it is nearly a known field it is an error, because a misspelt `checks` must not silently mean none.";
    "unknown-link": "a kind of dependency that is not known", "Only some kinds make an issue wait; this one is taken as a remark.";
    "unknown-status": "a status that is not known", "It is taken as work that is still to be done.";
    "unknown-tag": "a tag that is nearly a known one", "A misspelt `<verify>` must not silently mean that there is no check.";
    "unknown-task-type": "a type of task that is not known", "A worker does it, as if it were `auto`.";
    "unreadable": "a file that cannot be opened", "The system's own words say why.";
    "unresolved-dependency": "a dependency that names nothing here", "It is left out, not guessed at, so the task may start too early. Write it as the id of a task.";
    "unresolved-name": "a name that belongs to none of the groups", "What is said about it reaches no worker. Write the name as it stands in tasks.md.";
    "version": "a version that is not known", "This program knows version 1 of the own format.";
    "wave-disagrees": "a stated wave that the dependencies contradict", "Waves follow from dependencies. One of the two is a mistake: perhaps a dependency is missing.";
    "wrong-type": "a value of another kind than expected", "The message says what was expected and what was found.";
    "yaml-alias": "an alias in YAML", "A small text with aliases can stand for a very large one, so they are not read.";
}

pub fn explain(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
}
