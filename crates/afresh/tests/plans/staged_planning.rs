//! Planning in stages: what, where, tasks, acceptance tests, verdict; then the plan is made by rule, and runs.

use std::fs;
use std::path::PathBuf;

use afresh_testkit::TestRepo;

use crate::support::repo;
use crate::support::staged_plan::*;

/// A repository with a specification, and agents that write these artifacts.
fn staged() -> TestRepo {
    let repo = repo();
    repo.config("");
    repo.write("greet.md", SPEC);
    repo.commit("a specification");
    for (stage, path, text) in WRITTEN {
        put(&repo, stage, path, text);
    }
    fs::write(repo.path().join("name-test"), NAME_TEST).expect("written");
    fs::write(repo.path().join("greet-test"), GREET_TEST).expect("written");
    agents(&repo, "");
    repo
}

/// Sets the agents' script; `before` comes first.
fn agents(repo: &TestRepo, before: &str) {
    let place = repo.path().display();
    repo.agent(&format!(
        "home=.afresh/plans/greet\n{before}\n\
         if test -d '{place}/written/'$AFRESH_TASK; then cp -r '{place}/written/'$AFRESH_TASK/. $home; fi\n\
         first='{place}/written/first-'$AFRESH_TASK\n\
         if test $AFRESH_ATTEMPT = 1 && test -d $first; then\n\
           (cd $first && find . -type f) | while read f; do\n\
             cp $first/$f $home/$f; test -s $home/$f || rm $home/$f\n\
           done\n\
         fi\n\
         case $AFRESH_TASK in\n\
         acceptance) mkdir -p tests/acceptance; cp '{place}/name-test' tests/acceptance/name.sh\n\
           cp '{place}/greet-test' tests/acceptance/greet.sh;;\n\
         T001) printf 'echo ${{1:-world}}\\n' > name.sh; test ! -f tests/acceptance/name.sh || echo true > tests/acceptance/name.sh;;\n\
         T002) printf 'sh name.sh $1 > greeting.txt\\n' > greet.sh; sh greet.sh;;\n\
         esac"
    ));
}

fn put(repo: &TestRepo, stage: &str, path: &str, text: &str) {
    let file = repo.path().join("written").join(stage).join(path);
    fs::create_dir_all(file.parent().expect("a directory")).expect("created");
    fs::write(file, text).expect("written");
}

fn home(repo: &TestRepo) -> PathBuf {
    repo.root().join(".afresh/plans/greet")
}

fn read(repo: &TestRepo, name: &str) -> String {
    fs::read_to_string(home(repo).join(name)).expect(name)
}

fn attempts(repo: &TestRepo) -> usize {
    let runs = fs::read_dir(repo.state().join("attempts")).into_iter().flatten().flatten();
    let is_attempt = |name: &std::ffi::OsStr| name.to_string_lossy().contains('.');
    let attempts = runs.flat_map(|run| fs::read_dir(run.path()).expect("attempts").flatten());
    attempts.filter(|entry| is_attempt(&entry.file_name())).count()
}

/// PL-01, PL-04 to PL-08, PL-10, PL-13, PL-17, PL-18: from a specification through all stages to merged, proved work.
#[test]
fn a_specification_goes_through_all_stages_to_done() {
    let repo = staged();
    let ran = repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    let announced =
        "stages logical, physical, definition, acceptance, validation, a fresh agent for each";
    assert!(ran.stderr.contains(announced), "{}", ran.stderr);
    let plan = read(&repo, "greet.plan.toml");
    for expected in [
        "requirements = [\"S2\"]",
        "phase = 2",
        "steel_thread = true",
        "acceptance = [\"tests/acceptance/name.sh\"]",
        "A2 (S1): Given a name",
        "red_first = true",
    ] {
        assert!(plan.contains(expected), "{expected}\n{plan}");
    }
    assert_eq!(read(&repo, "acceptance/tests/acceptance/name.sh"), NAME_TEST);
    assert!(read(&repo, "reports/validation-report.md").contains("**Verdict:** READY"));
    let map: serde_json::Value =
        serde_json::from_str(&read(&repo, "artifacts/capability-map.json")).expect("JSON");
    assert_eq!(map["phase_filtering"]["total_excluded_requirements"], 1);
    assert_eq!(map["phase_filtering"]["excluded_phases"][0]["heading"], "Out of scope");
    let prompt = repo.prompt("logical", 1);
    let path = prompt.lines().find(|line| line.ends_with("artifacts/capability-map.json"));
    assert!(path.is_some_and(|line| line.trim().starts_with('/')), "absolute: {prompt}");
    assert!(
        prompt.contains("afresh plan validate .afresh/plans/greet/artifacts/capability-map.json")
    );

    let shown = repo.afresh(&["show", ".afresh/plans/greet/greet.plan.toml"]).expect(0).stdout;
    assert!(shown.contains("steel thread (2 tasks): T001 → T002"), "{shown}");

    // Once more: nothing is left to do, and nobody is started.
    let before = attempts(&repo);
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    assert_eq!(attempts(&repo), before);

    repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert_eq!(repo.landed(), ["T001", "T002"]);
    assert_eq!(
        repo.on_branch("tests/acceptance/name.sh").as_deref(),
        Some(NAME_TEST),
        "the worker of T001 made it pass always, and it landed as it was written"
    );
    let prompt = repo.prompt("T001", 1);
    assert!(prompt.contains("tests/acceptance/name.sh (exists: an acceptance test"), "{prompt}");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("tests/acceptance/name.sh was changed by the worker"), "{report}");
    let trace = repo.afresh(&["trace", "--json"]).expect(0).json();
    assert_eq!(trace["requirements"][0]["state"], "proved", "{trace}");
    let scenario = &trace["requirements"][0]["checks"][1];
    assert_eq!(scenario["name"], "A2 (S1): Given a name, then greeting.txt holds it.", "{trace}");
    assert_eq!(
        (&scenario["command"], &scenario["proves"]),
        (&"sh tests/acceptance/greet.sh".into(), &true.into())
    );
    repo.expect_no_survivors();
}

/// PL-09, PL-15, PL-16, PL-17, PL-21: what an agent of a stage gets wrong is told to a fresh one, with rule and place.
#[test]
fn a_wrong_artifact_is_corrected_by_a_fresh_agent() {
    let wrong = [
        ("logical", "artifacts/capability-map.json", String::new()),
        ("physical", "artifacts/physical-map.json", FILES.replace("\"B2\"", "\"B9\"")),
        (
            "definition",
            "tasks/T001.json",
            FIRST_TASK.replace("sh name.sh | grep -qx world", "test -f greet.md"),
        ),
        (
            "acceptance",
            "artifacts/acceptance.json",
            ACCEPTANCE
                .replace("\"sh tests/acceptance/name.sh\"", "\"sh -n tests/acceptance/name.sh\""),
        ),
        ("validation", "reports/verdict.json", READY.replace("\"READY\"", "\"BLOCKED\"")),
    ];
    let repo = staged();
    for (stage, path, text) in &wrong {
        put(&repo, &format!("first-{stage}"), path, text);
    }
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    for (stage, expected) in [
        ("logical", "Nothing was written."),
        ("physical", "error[unmapped-behavior]: B2"),
        ("definition", "error[vacuous-check]"),
        ("acceptance", "error[vacuous-check]"),
        ("validation", "error[verdict-unlike-issues]"),
    ] {
        let prompt = repo.prompt(stage, 2);
        let (_, told) =
            prompt.split_once("## The previous attempt was rejected").expect("feedback");
        assert!(told.contains(expected), "{expected}\n{told}");
    }
}

/// PL-07, PL-21: BLOCKED stops with the report; after an edit the verifier is asked again; what comes back is a question
/// that a person can decide.
#[test]
fn a_blocked_plan_waits_for_a_person() {
    let repo = staged();
    put(&repo, "validation", "reports/verdict.json", BLOCKED);
    let ran = repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(4);
    assert!(ran.stdout.contains("BLOCKED: The default is not"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains(".afresh/plans/greet/reports/validation-report.md"),
        "{}",
        ran.stderr
    );
    assert!(!home(&repo).join("greet.plan.toml").exists());
    let report = read(&repo, "reports/validation-report.md");
    for expected in ["contradicts-spec", "Fix: Name the default.", "T002: S1 in line 5"] {
        assert!(report.contains(expected), "{expected}\n{report}");
    }
    // The same command spends nothing.
    let before = attempts(&repo);
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(4);
    let status = repo.afresh(&["plan", "status", "--json"]).expect(0).json();
    assert_eq!((&status["phase"], &status["verdict"]), (&"validation".into(), &"BLOCKED".into()));
    assert_eq!(attempts(&repo), before);
    // The verifier insists.
    let ran = repo.afresh(&["plan", "--verify", "--yes"]).expect(4);
    assert!(ran.stderr.contains("1 blocker came back"), "{}", ran.stderr);
    assert_eq!(attempts(&repo), before + 1, "only the verifier was asked again");
    // A person edits, and it agrees.
    let edited = FIRST_TASK.replace("or world without one", "or the word world without one");
    fs::write(home(&repo).join("tasks/T001.json"), &edited).expect("edited");
    put(&repo, "validation", "reports/verdict.json", READY);
    repo.afresh(&["plan", "--verify", "--yes"]).expect(0);
    assert!(read(&repo, "greet.plan.toml").contains("or the word world without one"));
    // Or a person overrules it.
    put(&repo, "validation", "reports/verdict.json", BLOCKED);
    repo.afresh(&["plan", "--verify", "--yes"]).expect(4);
    let wrong = repo.afresh(&["plan", "verdict", "BLOCKED", "It is not good enough"]).expect(2);
    assert!(wrong.stderr.contains("verdict-unlike-issues"), "{}", wrong.stderr);
    repo.afresh(&["plan", "verdict", "READY", "The default is in the interface"]).expect(0);
    let advanced = repo.afresh(&["plan", "advance", "--json"]).expect(0).json();
    assert_eq!(advanced["phase"], "ready", "{advanced}");
}

/// PL-01, R1: kill -9 in any stage; the same command continues, and no finished stage is paid for twice.
#[test]
fn kill_in_any_stage_continues_there() {
    for stage in ["logical", "physical", "definition", "acceptance", "validation"] {
        let repo = staged();
        let flag = repo.path().join("started");
        agents(
            &repo,
            &format!(
                "if test $AFRESH_TASK = {stage} && test ! -f '{0}'; then touch '{0}'; sleep 600; fi",
                flag.display()
            ),
        );
        let mut first = repo.spawn(&["plan", "greet.md", "--staged", "--yes"]);
        repo.wait_until("the stage starts", || flag.exists());
        first.kill().expect("killed");
        first.wait().expect("ended");
        repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
        assert_eq!(attempts(&repo), 6, "{stage}: five stages, and the killed attempt");
        assert!(home(&repo).join("greet.plan.toml").exists());
        repo.expect_no_survivors();
    }
}

/// PL-01: planning can start again from a stage, with what a person made of the earlier artifacts.
#[test]
fn planning_starts_again_from_a_stage() {
    let repo = staged();
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    let before = attempts(&repo);
    let edited = FILES.replace("chooses the name", "chooses who is greeted");
    fs::write(home(&repo).join("artifacts/physical-map.json"), &edited).expect("edited");
    repo.afresh(&["plan", "--from", "definition", "--yes"]).expect(0);
    assert_eq!(attempts(&repo), before + 3, "definition, acceptance, validation");
    assert_eq!(read(&repo, "artifacts/physical-map.json"), edited, "an edit stays");
    let wrong = repo.afresh(&["plan", "--from", "plan", "--yes"]).expect(2);
    assert!(wrong.stderr.contains("its stages are: logical, physical"), "{}", wrong.stderr);
}

/// PL-09, ST-06: artifacts have schemas, and the commands of scripts judge them.
#[test]
fn artifacts_are_judged_by_commands() {
    let repo = staged();
    for name in ["capability-map", "physical-map", "task", "acceptance", "verdict"] {
        let schema = repo.afresh(&["schema", name]).expect(0).json();
        assert_eq!(schema["type"], "object", "{name}");
    }
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    let tasks = ".afresh/plans/greet/tasks";
    repo.afresh(&["plan", "validate", tasks]).expect(0);
    let loaded = repo.afresh(&["plan", "load", "greet", "--json"]).expect(0).json();
    assert_eq!(loaded["tasks"], 2);
    fs::write(home(&repo).join("tasks/T001.json"), FIRST_TASK.replace("B1", "B7")).expect("edited");
    let wrong = repo.afresh(&["plan", "validate", tasks]).expect(1);
    let place = "tasks/T001.json:1:";
    assert!(
        wrong.stdout.contains("unknown-behavior") && wrong.stdout.contains(place),
        "{}",
        wrong.stdout
    );
    let refused = repo.afresh(&["plan", "validate", "greet.md"]).expect(2);
    assert!(refused.stderr.contains("no artifact of planning"), "{}", refused.stderr);
}

/// PL-17: one planner, and another agent that writes the acceptance tests before the code.
#[test]
fn a_quick_plan_gets_acceptance_tests_of_another_author() {
    let repo = staged();
    let plan = "version = 1\nname = \"greet\"\nspec = \"spec.md\"\n\
        [[task]]\nid = \"T001\"\ntitle = \"Names\"\nrequirements = [\"S2\"]\n\
        files = [{ path = \"name.sh\", action = \"create\" }]\ndo = \"name.sh prints its argument, or world.\"\n\
        checks = [\"sh name.sh | grep -qx world\"]\n\
        [[task]]\nid = \"T002\"\ntitle = \"Greet\"\nneeds = [\"T001\"]\nrequirements = [\"S1\"]\n\
        files = [{ path = \"greet.sh\", action = \"create\" }, { path = \"greeting.txt\", action = \"create\" }]\n\
        do = \"greet.sh writes greeting.txt.\"\nchecks = [\"sh greet.sh Ada && grep -qx Ada greeting.txt\"]\n";
    put(&repo, "plan", "greet.plan.toml", plan);
    let ran = repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert!(ran.stderr.contains("another agent writes acceptance tests"), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["T001", "T002"]);
    assert_eq!(repo.on_branch("tests/acceptance/greet.sh").as_deref(), Some(GREET_TEST));
    assert!(
        read(&repo, "greet.plan.toml").contains("acceptance = [\"tests/acceptance/greet.sh\"]")
    );
}

/// PL-06: no author named the project's own tests and linter. They are on every task all the same, those that pass
/// before the work, and hold back the worker who breaks them.
#[test]
fn tests_and_linter_of_an_existing_project_guard_every_task() {
    let repo = staged();
    repo.config("scope = \"open\"\n");
    repo.write("Makefile", "test:\n\ttest ! -f broken\nlint:\n\t@echo linted\n");
    repo.write("old.sh", "echo old\n");
    repo.commit("a project");
    agents(&repo, "if test $AFRESH_TASK.$AFRESH_ATTEMPT = T001.1; then touch broken; fi");
    let ran = repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    assert!(
        ran.stderr.contains("own checks guard its tasks: `make test`, `make lint`"),
        "{}",
        ran.stderr
    );
    let plan = read(&repo, "greet.plan.toml");
    assert_eq!(plan.matches("run = \"make test\"").count(), 2, "{plan}");
    assert_eq!(plan.matches("guard = true").count(), 4, "{plan}");
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    assert_eq!(read(&repo, "greet.plan.toml"), plan, "what a person may edit is not made again");

    repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert_eq!(repo.landed(), ["T001", "T002"]);
    assert!(repo.prompt("T001", 2).contains("make test"), "the guard rejected the first attempt");
    assert_eq!(repo.on_branch("broken"), None);
}

/// PL-15, HU-01: a statement with two readings is a question to a person, with the readings as options; the answer
/// reaches a fresh agent, and planning continues.
#[test]
fn an_ambiguous_statement_is_asked() {
    let repo = staged();
    let asked = "{\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"Which name is the default?\", \
        \"options\": [{\"key\": \"world\", \"description\": \"the word world\"}, {\"key\": \"user\", \"description\": \"the user\"}]}";
    agents(
        &repo,
        &format!(
            "if test $AFRESH_TASK.$AFRESH_ATTEMPT = logical.1; then\n\
             printf 'OUTPUT_JSON_START\\n%s\\nOUTPUT_JSON_END\\n' '{asked}'; exit 0; fi"
        ),
    );
    let ran = repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(4);
    assert!(ran.stderr.contains("Which name is the default?"), "{}", ran.stderr);
    let questions = repo.afresh(&["questions", "--json"]).expect(0).json();
    assert_eq!(questions[0]["options"][1]["key"], "user", "{questions}");
    repo.afresh(&["decide", "Q1", "world"]).expect(0);
    repo.afresh(&["plan", "greet.md", "--staged", "--yes"]).expect(0);
    assert!(repo.prompt("logical", 2).contains("Which name is the default?"));
    assert!(home(&repo).join("greet.plan.toml").exists());
}
