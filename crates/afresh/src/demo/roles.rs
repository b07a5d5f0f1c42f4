//! The script of the demo's planner and workers: who makes a mistake, who lies, who asks.
//!
//! The correct work of every task is here too.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_agents::adapters::scripted::script_rng::ScriptRng;

/// The seed, and how fast it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DemoScript {
    pub(crate) seed: u64,
    /// How long a worker pretends to think.
    pub(crate) pause: Duration,
}

/// A task, the file it creates, and its correct contents.
struct DemoTask {
    task: &'static str,
    path: &'static str,
    good: &'static str,
    /// The same with a mistake that its check finds.
    bad: Option<&'static str>,
}

const WORKS: &[DemoTask] = &[
    DemoTask {
        task: "store",
        path: "lib/store.sh",
        good: "store_add() { printf '%s %s\\n' \"$1\" \"$2\" >>\"$TODO_FILE\"; }\n\
               store_lines() { [ ! -e \"$TODO_FILE\" ] || cat \"$TODO_FILE\"; }\n\
               # Reads everything before it writes: the lines may come from the same file.\n\
               store_keep() { kept=$(cat); printf '%s' \"${kept:+$kept\n}\" >\"$TODO_FILE\"; }\n",
        bad: Some(
            "store_add() { printf '%s %s\\n' \"$1\" \"$2\" >>\"$TODO_FILE\"; }\n\
             store_lines() { [ ! -e \"$TODO_FILE\" ] || cat \"$TODO_FILE\"; }\n\
             store_keep() { cat >>\"$TODO_FILE\"; }\n",
        ),
    },
    DemoTask {
        task: "words",
        path: "lib/words.sh",
        good: "words_clean() {\n    clean=$(printf '%s' \"$1\" | sed 's/^ *//; s/ *$//')\n    \
               [ -n \"$clean\" ] || { echo \"there is nothing to do in that\" >&2; return 1; }\n    \
               printf '%s\\n' \"$clean\"\n}\n",
        bad: Some("words_clean() { printf '%s\\n' \"$1\"; }\n"),
    },
    DemoTask {
        task: "list",
        path: "lib/list.sh",
        good: "todo_list() {\n    number=0\n    store_lines | while read -r state text; do\n        \
               number=$((number + 1))\n        box=' '\n        [ \"$state\" = open ] || box=x\n        \
               echo \"$number [$box] $text\"\n    done\n}\n",
        bad: Some("todo_list() { store_lines; }\n"),
    },
    DemoTask {
        task: "add",
        path: "lib/add.sh",
        good: "todo_add() {\n    text=$(words_clean \"$1\") || return 1\n    \
               store_add open \"$text\"\n    echo \"added: $text\"\n}\n",
        bad: Some("todo_add() { store_add open \"$1\"; echo \"added: $1\"; }\n"),
    },
    DemoTask {
        task: "count",
        path: "lib/count.sh",
        good: "todo_count() { echo \"$(store_lines | grep -c '^open ') to do\"; }\n",
        bad: Some("todo_count() { echo \"$(store_lines | grep -c '') to do\"; }\n"),
    },
    DemoTask {
        task: "usage",
        path: "USAGE.md",
        good: "# Usage\n\n    sh todo.sh add buy milk\n    sh todo.sh list\n    sh todo.sh count\n    \
               sh todo.sh done 1\n    sh todo.sh drop 1\n",
        bad: None,
    },
];

/// The plan that the planner writes.
pub(super) const PLAN: &str = include_str!("plan.toml");

/// Where it writes the plan.
pub(super) const PLAN_PATH: &str = ".afresh/plans/todo/todo.plan.toml";

/// The same without a task for one of the requirements: afresh notices.
fn incomplete_plan() -> String {
    PLAN.replace("requirements = [\"R2\"]", "requirements = [\"R1\"]")
}

/// Commands that need a line in the program itself, and what each does with the lines of the list.
pub(super) const COMMANDS: &[(&str, &str)] =
    &[("done", "sed \"${1}s/^open /done /\""), ("drop", "sed \"${1}d\"")];

/// Where that line goes, and why a worker changes a file that its task does not list.
pub(super) const ABOVE: &str = "# more commands go above this line";
pub(super) const WHY_THE_PROGRAM: &str = "the program must know the command";

/// Task, file and good content of every task that makes one file and nothing else.
#[cfg(feature = "scripted-model")]
pub(super) fn good_files() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let works = WORKS.iter().map(|work| (work.task, work.path, work.good));
    works.chain([("empty", "lib/empty.sh", EMPTY)])
}

pub(super) fn command_function(name: &str, filter: &str) -> String {
    format!("todo_{name}() {{ store_lines | {filter} | store_keep; }}\n")
}

pub(super) fn command_line(name: &str) -> String {
    format!("{name}) todo_{name} \"$2\" ;;")
}

/// The friendly answer for an empty list.
#[cfg(feature = "scripted-model")]
const EMPTY: &str = "EMPTY_STYLE=friendly\n\
                     todo_empty() { [ \"$EMPTY_STYLE\" = quiet ] || echo \"nothing to do\"; }\n";

/// The worker's question about an empty list.
const QUESTION: &str = "{ ask = \"What should `list` say about an empty list?\", options = [\"friendly: it says that there is nothing to do\", \"quiet: it says nothing\"] }";

impl DemoScript {
    /// The whole script.
    pub(crate) fn script(&self) -> String {
        let mut dice = ScriptRng::new(self.seed, "demo", 1);
        let failing = pick(&mut dice, &["add", "count", "store"]);
        let lying = pick(&mut dice, &["list", "usage", "words"]);
        let mut script = format!("version = 1\nseed = {}\n", self.seed);
        self.part(&mut script, "plan", Some(1), &write(PLAN_PATH, &incomplete_plan()));
        self.part(&mut script, "plan", None, &write(PLAN_PATH, PLAN));
        for work in WORKS {
            if work.task == failing {
                let bad = work.bad.unwrap_or_default();
                self.part(&mut script, work.task, Some(1), &write(work.path, bad));
            } else if work.task == lying {
                let lie = format!(
                    "{{ say = \"All tests pass.\" }}, {{ claim = [{:?}], notes = \"all tests pass\" }}",
                    work.path
                );
                self.part(&mut script, work.task, Some(1), &lie);
            }
            self.part(&mut script, work.task, None, &write(work.path, work.good));
        }
        for (name, filter) in COMMANDS {
            self.part(&mut script, name, None, &command(name, filter));
        }
        self.part(&mut script, "empty", Some(1), QUESTION);
        self.part(&mut script, "empty", None, &empty());
        script
    }

    /// One part: pause, report usage, act.
    fn part(&self, script: &mut String, task: &str, attempt: Option<u32>, acts: &str) {
        let mut dice = ScriptRng::new(self.seed, task, attempt.unwrap_or(9));
        let more =
            |dice: &mut ScriptRng| u64::from(dice.happens(0.5)) + 2 * u64::from(dice.happens(0.5));
        let (input, output) = (1_400 + 350 * more(&mut dice), 90 + 70 * more(&mut dice));
        // Fractions of a cent, as a small model would cost.
        let cost = (input * 3 + output * 15) / 100;
        let pause = u64::try_from(self.pause.as_millis()).unwrap_or(u64::MAX);
        let used =
            format!("{{ use = {{ input = {input}, output = {output}, cost_usd = 0.{cost:04} }} }}");
        let attempt = attempt.map(|attempt| format!("attempt = {attempt}\n")).unwrap_or_default();
        let _ = write!(
            script,
            "\n[[task]]\nid = {task:?}\n{attempt}do = [\n  {used}, {{ sleep = \"{}ms\" }},\n  {used}, {{ sleep = \"{}ms\" }},\n  {acts},\n]\n",
            pause / 2,
            pause / 4 * more(&mut dice),
        );
    }
}

fn pick(dice: &mut ScriptRng, among: &[&'static str]) -> &'static str {
    let first = dice.happens(0.34);
    let second = dice.happens(0.5);
    among[if first { 0 } else { 1 + usize::from(second) }]
}

fn write(path: &str, text: &str) -> String {
    format!("{{ write = {path:?}, text = {} }}", quoted(text))
}

/// A new command needs a line in the program itself, outside the task's files: a declared deviation.
fn command(name: &str, filter: &str) -> String {
    let function = command_function(name, filter);
    let file = format!("lib/{name}.sh");
    format!(
        "{}, {{ edit = \"todo.sh\", find = {}, replace = {} }},\n  \
         {{ claim = [{file:?}, \"todo.sh\"], deviations = [ {{ rule = 3, description = {WHY_THE_PROGRAM:?}, files = [\"todo.sh\"] }} ] }}",
        write(&file, &function),
        quoted(ABOVE),
        quoted(&format!("{}\n{ABOVE}", command_line(name))),
    )
}

/// Whatever the answer is, it is one of the two.
fn empty() -> String {
    let shell = "case $AFRESH_ANSWER in friendly) style=friendly ;; *) style=quiet ;; esac\n\
                 mkdir -p lib\n\
                 printf 'EMPTY_STYLE=%s\\n' $style >lib/empty.sh\n\
                 printf '%s\\n' 'todo_empty() { [ \"$EMPTY_STYLE\" = quiet ] || echo \"nothing to do\"; }' >>lib/empty.sh";
    format!("{{ run = {} }}", quoted(shell))
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use afresh_agents::adapters::scripted;

    use super::*;

    #[test]
    fn every_seed_makes_a_script_and_seeds_differ() {
        let mut scripts = BTreeSet::new();
        for seed in 0..50 {
            let text = DemoScript { seed, pause: Duration::from_millis(200) }.script();
            let reading = scripted::read("script.toml", text.as_bytes());
            assert!(
                reading.script.is_some() && reading.findings.is_empty(),
                "{text}\n{reading:#?}"
            );
            let parts = text.matches("attempt = 1").count();
            assert_eq!(parts, 4, "the planner and one more fail, one lies, one asks: {text}");
            scripts.insert(text);
        }
        assert_eq!(scripts.len(), 50);
    }
}
