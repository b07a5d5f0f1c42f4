//! Budgets with the real program: R14 and LO-03.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;

use crate::support::{Driver, repo};
use afresh_testkit::TestRepo;
use serde_json::Value;

/// What one report of a worker adds.
const STEP: u64 = 10;

/// A repository whose workers follow `script`.
fn scripted(script: &str, tasks: usize) -> TestRepo {
    let repo = repo();
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"actor\"\nbackoff = [\"10ms\"]\nhalt_grace = \"2s\"\n\
         [agents.actor]\nkind = \"scripted\"\nscript = \"script.toml\"\n",
    );
    repo.write("script.toml", script);
    repo.plan_of(tasks);
    repo
}

/// A worker that uses `STEP` repeatedly, each time only after the previous usage is recorded: the test signals that
/// with a file. So it adds at most one step after its last report, however slow the machine is.
fn spender(repo: &TestRepo, steps: u64) -> String {
    let record = repo.path().join("seen");
    fs::create_dir_all(&record).expect("a directory");
    let step = |n: u64| {
        let total = n * STEP;
        format!(
            "{{ use = {{ output = {STEP} }} }}, {{ run = \"while [ ! -e '{}'/$AFRESH_TASK.$AFRESH_ATTEMPT-{total} ]; do sleep 0.02; done\" }},\n",
            record.display()
        )
    };
    let acts: String = (1..=steps).map(step).collect();
    format!("[[task]]\nid = \"*\"\ndo = [ {acts} {{ listed = \"x\" }} ]\n")
}

/// Signals to workers which of their reports are recorded, until the driver has ended.
fn acknowledge(repo: &TestRepo, driver: &mut Driver) {
    loop {
        let ended = driver.has_ended().is_some();
        let mut totals: BTreeMap<String, u64> = BTreeMap::new();
        for line in driver.data().lines() {
            // The last line may be half written.
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            if event["type"] == "usage-counted" {
                let attempt = &event["attempt"];
                let name =
                    format!("{}.{}", attempt["task"].as_str().expect("a task"), attempt["number"]);
                totals.insert(name, event["usage"]["output"].as_u64().expect("a number"));
            }
        }
        for (attempt, total) in totals {
            for known in (STEP..=total).step_by(usize::try_from(STEP).expect("small")) {
                fs::write(repo.path().join(format!("seen/{attempt}-{known}")), "")
                    .expect("written");
            }
        }
        if ended {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// The real usage of every worker, by its own output.
fn really_used(repo: &TestRepo) -> BTreeMap<String, u64> {
    let attempts = fs::read_dir(repo.state().join("attempts/test-1")).expect("attempts");
    let used = attempts.flatten().map(|attempt| {
        let output = fs::read_to_string(attempt.path().join("stdout.log")).unwrap_or_default();
        let reports = output.lines().filter(|line| line.contains("\"usage\"")).count() as u64;
        (attempt.file_name().to_string_lossy().into_owned(), reports * STEP)
    });
    used.collect()
}

/// The usage reports of the workers, in the order of the journal.
#[derive(Default)]
struct Account {
    at_work: BTreeMap<String, u64>,
    ended: u64,
    /// The attempt that continues alone near the limit, and its usage when that began.
    last: Option<(String, u64)>,
}

impl Account {
    fn read(journal: &str, budget: u64) -> Self {
        let mut account = Self::default();
        for event in journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let attempt = format!(
                "{}.{}",
                event["attempt"]["task"].as_str().unwrap_or("-"),
                event["attempt"]["number"]
            );
            match event["type"].as_str().expect("a type") {
                "attempt-starting" => drop(account.at_work.insert(attempt, 0)),
                "attempt-ended" => {
                    account.at_work.remove(&attempt);
                    account.ended += event["end"]["usage"]["output"].as_u64().expect("a number");
                }
                "usage-counted" => {
                    let total = event["usage"]["output"].as_u64().expect("a number");
                    account.at_work.insert(attempt, total);
                    account.check_headroom(budget);
                }
                _ => {}
            }
        }
        account
    }

    /// Once the workers could together use up what is left, all except the one with the highest usage are stopped.
    fn check_headroom(&mut self, budget: u64) {
        let spent = self.ended + self.at_work.values().sum::<u64>();
        if spent + (self.at_work.len() as u64 + 1) * STEP <= budget {
            self.last = None;
        } else if self.last.is_none() {
            let most = self.at_work.iter().max_by_key(|(name, used)| (**used, Reverse(*name)));
            self.last = most.map(|(name, used)| (name.clone(), *used));
        }
    }
}

/// R14: alone, with four and with sixteen at once, a budget is exceeded only by what a single running worker adds after
/// its last report.
#[test]
fn a_budget_is_overshot_by_one_worker_at_most() {
    for (parallel, budget) in [(1, 100), (4, 160), (16, 320)] {
        let repo = scripted("", 16);
        repo.write("script.toml", &spender(&repo, 40));
        let (parallel, limit) = (parallel.to_string(), budget.to_string());
        let mut driver =
            Driver::run(&repo, &["--json", "--parallel", &parallel, "--budget-tokens", &limit]);
        acknowledge(&repo, &mut driver);
        let ran = driver.end().expect(6);
        let used = really_used(&repo);
        let all: u64 = used.values().sum();
        let (last, before) = Account::read(&ran.stdout, budget).last.expect("one goes on alone");
        let added = used[&last] - before;
        assert!(all >= budget, "{parallel} at once: {all} of {budget} used, and stopped");
        assert!(all - added <= budget, "{parallel} at once: {all} of {budget}, {added} by {last}");
        let counted = repo.status()["usage"]["output"].as_u64();
        assert_eq!(counted, Some(all), "R14: all that was used is counted");
        repo.expect_no_survivors();
    }
}

/// R14: also if the first report of each worker is a large part of it.
#[test]
fn large_first_reports_do_not_come_all_at_once() {
    let script = "[[task]]\nid = \"*\"\ndo = [ { use = { output = 500 } }, { listed = \"x\" } ]\n";
    let repo = scripted(script, 16);
    repo.run(&["--parallel", "16", "--budget-tokens", "1000"]).expect(6);
    let used = repo.status()["usage"]["output"].as_u64().expect("a number");
    assert!((1000..=1500).contains(&used), "{used}");
}

/// R14: the final message says how to continue, and that works; work that was done in time has landed.
#[test]
fn a_run_continues_with_a_higher_budget() {
    let script = "[[task]]\nid = \"T001\"\ndo = [ { use = { input = 60, cost_usd = 0.25 } }, { listed = \"x\" } ]\n\
                  [[task]]\nid = \"*\"\nattempt = 1\ndo = [ { use = { input = 60, cost_usd = 0.35 } }, { hang = true } ]\n\
                  [[task]]\nid = \"*\"\ndo = [ { listed = \"x\" } ]\n";
    let repo = scripted(script, 2);
    let ran = repo.run(&["--parallel", "1", "--budget-usd", "0.50"]).expect(6);
    assert!(ran.stderr.contains("budget reached: $0.60 of $0.50"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--budget-usd X"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("does not limit"), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["T001"]);
    repo.run(&["--parallel", "1"]).expect(6);
    repo.run(&["--budget-usd", "5"]).expect(0);
    assert_eq!(repo.status()["usage"]["cost_usd"], 0.6);
}

/// R14, LO-03: a task that has used up its own budget is given up with the reason; the others continue.
#[test]
fn a_task_that_used_up_its_budget_is_given_up() {
    let script = "[[task]]\nid = \"T001\"\nattempt = 1\ndo = [ { use = { input = 50 } }, { hang = \"deaf\" } ]\n\
                  [[task]]\nid = \"*\"\ndo = [ { use = { input = 30 } }, { listed = \"x\" } ]\n";
    let repo = scripted(script, 3);
    let ran = repo.run(&["--task-budget-tokens", "40", "--on-failure", "skip"]).expect(1);
    let reason = "failed:budget: the task used 50 of 40 tokens";
    assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    assert!(ran.stderr.contains("`afresh task retry T001`"), "{}", ran.stderr);
    assert_eq!(repo.landed().len(), 2);
    repo.afresh(&["task", "retry", "T001"]).expect(0);
    repo.run(&["--on-failure", "skip"]).expect(0);
    repo.expect_no_survivors();
}

/// R14: limits of the configuration count, and are validated like the rest of it.
#[test]
fn budgets_can_be_configured() {
    let script = "[[task]]\nid = \"*\"\ndo = [ { use = { input = 50, cost_usd = 0.1 } }, { hang = true } ]\n";
    let repo = scripted(script, 1);
    let file = repo.root().join(".afresh/config.toml");
    let config = fs::read_to_string(&file).expect("the configuration");
    for (budget, code) in
        [("usd = 0.05", 6), ("tokens = 20", 6), ("task_usd = 0.05", 4), ("task_tokens = 9", 4)]
    {
        repo.write(".afresh/config.toml", &format!("{config}[budget]\n{budget}\n"));
        repo.run(&["--new"]).expect(code);
    }
    for wrong in
        ["usd = -1", "usd = \"much\"", "usd = inf", "tokens = 0", "task_usd = nan", "tokns = 5"]
    {
        repo.write(".afresh/config.toml", &format!("{config}[budget]\n{wrong}\n"));
        let refused = repo.run(&["--new"]).expect(2);
        assert!(refused.stderr.contains("config.toml:9:"), "{wrong}: {}", refused.stderr);
    }
}

/// R14: a price that was not reported is unknown, never zero; if cost is limited, that is reported.
#[test]
fn an_unknown_price_is_not_counted_as_zero() {
    let script = "[[task]]\nid = \"*\"\ndo = [ { use = { input = 50 } }, { listed = \"x\" } ]\n";
    let repo = scripted(script, 2);
    let ran = repo.run(&["--budget-usd", "1"]).expect(0);
    assert!(ran.stderr.contains("2 attempts reported tokens without a price"), "{}", ran.stderr);
    assert!(repo.status()["usage"]["cost_usd"].is_null());
}

/// R14: if an agent cannot keep a budget, afresh reports that the budget has no effect, and names the agent.
#[test]
fn agents_that_report_nothing_are_named() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("echo x > T001.txt");
    let ran = repo.run(&["--budget-usd", "1"]).expect(0);
    assert!(ran.stderr.contains("the budget does not limit mine"), "{}", ran.stderr);
}
