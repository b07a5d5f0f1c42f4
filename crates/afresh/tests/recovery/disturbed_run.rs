//! A long run that people and accidents disturb all the time ends with the same tree as one that nothing disturbs.

use std::time::Duration;

use afresh_testkit::TestRepo;
use afresh_testkit::simulation::SeededRandom;

use crate::support::{Driver, expect_landed_once, repo, run_section, sweep};

const LAYERS: usize = 10;
const WIDTH: usize = 10;
const TASKS: usize = LAYERS * WIDTH;
/// Then the run is left alone, so that it ends.
const DISTURBANCES: usize = 30;
/// Outside of the checkout, which must not change.
const PLAN: &str = "../long.plan.toml";

/// Every third first attempt fails, every seventh task asks a person; what lands depends on neither.
const DISTURBED_WORKER: &str = r#"
number=$(echo "$AFRESH_TASK" | tr -dc '0-9' | sed 's/^0*//')
if [ "$AFRESH_ATTEMPT" = 1 ] && [ $((number % 3)) = 0 ]; then exit 1; fi
if [ $((number % 7)) = 0 ] && ! grep -q 'the answer is plain' "$AFRESH_PROMPT"; then
  echo OUTPUT_JSON_START
  echo '{"status": "NEEDS_DECISION", "decision_needed": "which form?", "options": [{"key": "plain", "description": "the answer is plain"}]}'
  echo OUTPUT_JSON_END
  exit 0
fi
sleep 0.0$((number % 8))
echo "by $AFRESH_TASK" > "$AFRESH_TASK.txt"
"#;

/// Ten layers of ten tasks; each needs two of the layer before.
fn plan(remark: usize) -> String {
    let task = |number: usize| {
        let (layer, place) = (number / WIDTH, number % WIDTH);
        let needs = if layer == 0 {
            String::new()
        } else {
            let first = (layer - 1) * WIDTH + place;
            let second = (layer - 1) * WIDTH + (place + 3) % WIDTH;
            format!("needs = [\"T{:03}\", \"T{:03}\"]\n", first + 1, second + 1)
        };
        let id = number + 1;
        format!(
            "[[task]]\nid = \"T{id:03}\"\ntitle = \"task {id}\"\n{needs}files = [\"T{id:03}.txt\"]\n\
             checks = [\"test -s T{id:03}.txt\"]\n"
        )
    };
    let start = format!("# remark {remark}\nversion = 1\nname = \"long\"\n");
    format!("{start}{}", (0..TASKS).map(task).collect::<String>())
}

fn disturbed_repo() -> TestRepo {
    let repo = repo();
    repo.config(&run_section("attempts = 3\nparallel = 4"));
    repo.agent(DISTURBED_WORKER);
    repo.write(PLAN, &plan(0));
    repo
}

/// The files of the branch and their contents, without the configuration, which names a directory of this test.
fn tree_of_branch(repo: &TestRepo) -> String {
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let tree = repo.git(&["ls-tree", "-r", &branch]);
    tree.lines().filter(|line| !line.contains(".afresh/")).collect::<Vec<_>>().join("\n")
}

/// Answers whatever is asked, from another terminal; another answer may be quicker.
fn answer_questions(repo: &TestRepo) {
    let listed = repo.afresh(&["questions", "--json"]).expect(0).json();
    for question in listed.as_array().into_iter().flatten() {
        let id = question["id"].as_str().expect("an id");
        let answer = if question["kind"] == "needs-decision" { "plain" } else { "retry" };
        let answered = repo.afresh(&["decide", id, answer]);
        assert!(matches!(answered.code, Some(0 | 1)), "{answered:?}");
    }
}

/// A run, and what happens to it.
struct DisturbedRun<'a> {
    repo: &'a TestRepo,
    random: SeededRandom,
    driver: Option<Driver>,
    done: Vec<&'static str>,
}

impl DisturbedRun<'_> {
    fn driver_runs(&mut self) -> bool {
        self.driver.as_mut().is_some_and(|driver| driver.has_ended().is_none())
    }

    fn start_driver(&mut self) {
        if !self.driver_runs() {
            // `resume` also clears a halt.
            let has_run = self.repo.status()["run"].is_string();
            let args: &[&str] =
                if has_run { &["resume", "--no-input"] } else { &["run", PLAN, "--no-input"] };
            self.driver = Some(Driver::start(self.repo, args));
        }
    }

    fn random_task(&mut self) -> String {
        format!("T{:03}", self.random.below(TASKS as u64) + 1)
    }

    fn disturb(&mut self) {
        std::thread::sleep(Duration::from_millis(20 + self.random.below(250)));
        let (name, code) = match self.random.below(10) {
            0..=2 => {
                if let Some(driver) = self.driver.take() {
                    driver.kill_9();
                }
                ("kill", Some(0))
            }
            3 => ("halt", self.repo.afresh(&["halt", "a pause"]).code),
            4 => ("halt now", self.repo.afresh(&["halt", "--now", "at once"]).code),
            5 => {
                let remark = self.done.len();
                self.repo.write(PLAN, &plan(remark));
                ("edit", Some(0))
            }
            6 => {
                let task = self.random_task();
                ("rewind", self.repo.afresh(&["rewind", &task]).code)
            }
            7 => {
                let task = self.random_task();
                ("retry", self.repo.afresh(&["task", "retry", &task]).code)
            }
            8 => {
                let task = self.random_task();
                ("tell", self.repo.afresh(&["tell", &task, "carry on"]).code)
            }
            _ => {
                answer_questions(self.repo);
                ("answer", Some(0))
            }
        };
        // 1: it cannot be done now; 2: there is no such run or task yet; 5: another process is at it.
        assert!(matches!(code, Some(0..=5)), "{name} ended with {code:?} after {:?}", self.done);
        self.done.push(name);
    }

    /// Leaves the run alone but for its questions, until it is done.
    fn finish(mut self) -> Vec<&'static str> {
        for _ in 0..200 {
            answer_questions_if_any(self.repo);
            self.start_driver();
            let driver = self.driver.take().expect("started");
            let ended = driver.end();
            if ended.code == Some(0) {
                return self.done;
            }
            assert!(matches!(ended.code, Some(1 | 3 | 4)), "{ended:?}");
        }
        panic!("the run never ends: {:?}\n{}", self.done, self.repo.status());
    }
}

fn answer_questions_if_any(repo: &TestRepo) {
    if repo.status()["run"].is_string() {
        answer_questions(repo);
    }
}

fn disturb_a_run(seed: u64, expected: &str) {
    let repo = disturbed_repo();
    let before = repo.untouched();
    let mut disturbed = DisturbedRun {
        repo: &repo,
        random: SeededRandom::new(seed),
        driver: None,
        done: Vec::new(),
    };
    for _ in 0..DISTURBANCES {
        disturbed.start_driver();
        disturbed.disturb();
    }
    let done = disturbed.finish();
    assert_eq!(tree_of_branch(&repo), expected, "seed {seed}: {done:?}");
    expect_landed_once(&repo, TASKS);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
}

/// F03, ST-02, ST-04, ST-07, BE-10, HU-04, R1, R3, R5, R6, R12: kills, halts, answers, edits that change no work,
/// rewinds, retries and comments at random moments: the tree is that of a run that nothing disturbed.
#[test]
fn a_disturbed_run_of_a_hundred_tasks_ends_with_the_same_tree() {
    let quiet = disturbed_repo();
    let run =
        DisturbedRun { repo: &quiet, random: SeededRandom::new(0), driver: None, done: Vec::new() };
    run.finish();
    let expected = tree_of_branch(&quiet);
    for seed in 1..=sweep::rounds(1, 12) as u64 {
        disturb_a_run(seed, &expected);
    }
}
