//! What a worker is given: bundle, context levels, templates, sizes.

use afresh_testkit::TestRepo;
use serde_json::Value;

const SPEC: &str =
    "# Greeter\n## Greeting\n- FR-001: greets by name\n## Errors\n- FR-002: no name\n";

/// Writes the files that its task lists, and reports a short note.
const WORKER: &str = "echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt\n\
    echo OUTPUT_JSON_START\n\
    echo '{\"status\":\"COMPLETED\",\"notes\":\"NOTE-OF-WORKER\"}'\n\
    echo OUTPUT_JSON_END";

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// A project with a specification, and a plan whose second task builds on its first.
fn project(second: &str) -> TestRepo {
    let repo = repo();
    repo.write("README.md", "# Hello\n\nGreets people.\n\nIn many ways.\n\nNot in prompts.\n");
    repo.write("spec.md", SPEC);
    repo.write(".afresh/patterns.md", "Tabs, never blanks.\n");
    repo.commit("a project");
    repo.plan(&format!(
        "spec = \"spec.md\"\n\
         [[task]]\nid = \"A\"\ntitle = \"first\"\ndo = \"Does FR-001.\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"second\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n{second}"
    ));
    repo.agent(WORKER);
    repo
}

fn bundle(repo: &TestRepo, task: &str) -> Value {
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    let file = repo.state().join("attempts").join(run).join(format!("{task}.1/bundle.json"));
    let text = std::fs::read_to_string(file).expect("a bundle");
    serde_json::from_str(&text).expect("JSON")
}

/// PR-01, PR-02: a standard prompt has the project, the position in the plan, the parts of the specification that
/// belong to the task, and what the task builds on.
#[test]
fn a_worker_is_given_what_belongs_to_its_task() {
    let repo = project("");
    repo.run(&[]).expect(0);
    let first = repo.prompt("A", 1);
    for expected in [
        "# Task A: first\n\nDoes FR-001.",
        "Hello\n\nGreets people.\n\nIn many ways.\n",
        "Part of: test: task 1 of 2 in p.plan.toml, wave 1 of 2",
        "Tabs, never blanks.",
        "The parts for this task of spec.md:\n\n# Greeter\n## Greeting\n- FR-001: greets by name\n",
    ] {
        assert!(first.contains(expected), "{expected:?} is not in:\n{first}");
    }
    assert!(!first.contains("FR-002") && !first.contains("Not in prompts"), "{first}");
    let second = repo.prompt("B", 1);
    assert!(second.contains("All of spec.md:") && second.contains("FR-002"), "{second}");
    assert!(second.contains("- A: first\n  - created: A.txt\n"), "{second}");
    assert!(!second.contains("by A") && !second.contains("NOTE-OF-WORKER"), "{second}");
}

/// PR-02: full adds the texts of the files it builds on and the notes of their workers; minimal is the task alone.
#[test]
fn levels_of_context_say_more_or_less() {
    let repo = project("context = \"full\"\n");
    repo.run(&[]).expect(0);
    let full = repo.prompt("B", 1);
    assert!(full.contains("A.txt\n```\nby A\n```"), "{full}");
    assert!(full.contains("notes of its worker: NOTE-OF-WORKER"), "{full}");
    let repo = project("context = \"minimal\"\n");
    repo.run(&[]).expect(0);
    let minimal = repo.prompt("B", 1);
    for unsaid in ["Greets people", "Part of:", "spec.md", "Tabs", "created: A.txt"] {
        assert!(!minimal.contains(unsaid), "{unsaid:?} is in:\n{minimal}");
    }
    assert!(minimal.contains("# Task B: second") && minimal.contains("OUTPUT_JSON_START"));
}

/// PR-04: the bundle names its sources, with checksums that users can compare.
#[test]
fn a_bundle_has_checksums_of_what_it_was_made_from() {
    let repo = project("context = \"full\"\n");
    repo.run(&[]).expect(0);
    let bundle = bundle(&repo, "B");
    let sources = bundle["sources"].as_array().expect("sources");
    let sum_of = |path: &str| {
        let found = sources.iter().find(|source| source["path"] == path);
        found.and_then(|source| source["sha256"].as_str()).unwrap_or("none").to_owned()
    };
    for path in ["p.plan.toml", "spec.md", "README.md", ".afresh/patterns.md"] {
        let output = std::process::Command::new("sha256sum")
            .arg(repo.root().join(path))
            .output()
            .expect("sha256sum runs");
        let output = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.split(' ').next(), Some(sum_of(path).as_str()), "{path}");
    }
    assert_eq!(sum_of("A.txt").len(), 64);
}

/// PR-01: a bundle has exactly what its schema describes.
#[test]
fn a_bundle_follows_its_schema() {
    let repo = project("context = \"full\"\n");
    repo.run(&[]).expect(0);
    let bundle = bundle(&repo, "B");
    let schema: Value = serde_json::from_str(&afresh_agents::Bundle::schema()).expect("JSON");
    let keys = |object: &Value| -> Vec<String> {
        object.as_object().expect("an object").keys().cloned().collect()
    };
    let mut documented = keys(&schema["properties"]);
    documented.sort();
    let mut found = keys(&bundle);
    found.sort();
    assert_eq!(found, documented);
    for (name, part) in [
        ("Task", &bundle["task"]),
        ("Position", &bundle["position"]),
        ("SpecPart", &bundle["spec"]),
        ("Landed", &bundle["built_on"][0]),
        ("Inlined", &bundle["interfaces"][0]),
        ("Checksum", &bundle["sources"][0]),
    ] {
        let known = keys(&schema["$defs"][name]["properties"]);
        let unknown: Vec<String> =
            keys(part).into_iter().filter(|key| !known.contains(key)).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
        for required in schema["$defs"][name]["required"].as_array().expect("a list") {
            assert!(part.get(required.as_str().expect("a name")).is_some(), "{name}: {required}");
        }
    }
}

/// PR-04: a missing file of a dependency is noticed before a worker is paid for; a file that another task deleted does
/// not count as missing.
#[test]
fn a_missing_file_of_a_needed_task_is_no_start() {
    let repo = project("");
    repo.write(".afresh/config.toml", "");
    repo.config("[workspace]\nsetup = [\"rm -f A.txt\"]");
    let ran = repo.run(&["--no-input"]);
    assert_ne!(ran.code, Some(0), "{}", ran.stderr);
    let status = repo.status().to_string() + &ran.stderr;
    assert!(status.contains("A.txt of task A, which this task needs, is missing"), "{status}");
    let repo = project(
        "[[task]]\nid = \"C\"\ntitle = \"c\"\nneeds = [\"A\"]\nfiles = [{ path = \"A.txt\", action = \"delete\" }, \"C.txt\"]\n\
         checks = [\"true\"]\n\
         [[task]]\nid = \"D\"\ntitle = \"d\"\nneeds = [\"A\", \"C\"]\nfiles = [\"D.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.agent("[ $AFRESH_TASK != C ] || rm A.txt\necho x > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let last = repo.prompt("D", 1);
    assert!(last.contains("- A: first\n- C: c\n"), "{last}");
}

/// PR-03: a project's own template makes the prompt; a worker's change to it has no effect.
#[test]
fn a_projects_own_template_is_used_and_pinned() {
    let repo = project("");
    let own = "OWN {{task}}\n{{#spec}}\nSPEC\n{{/spec}}\n{{files}}\n{{checks}}\n{{rules}}\n{{contract}}\n";
    repo.write(".afresh/templates/worker.md", own);
    repo.commit("a template");
    repo.agent(&format!("echo 'HIJACKED' > .afresh/templates/worker.md || true\n{WORKER}"));
    let ran = repo.run(&["--no-input", "--on-failure", "skip"]);
    assert_ne!(ran.code, Some(0), "the change of the template is not accepted: {}", ran.stderr);
    let prompt = repo.prompt("A", 2);
    assert!(prompt.starts_with("OWN A: first\n\nDoes FR-001.\nSPEC\n- A.txt\n"), "{prompt}");
    assert!(prompt.contains("OUTPUT_JSON_START") && !prompt.contains("Greets people"), "{prompt}");
}

/// PR-03, PR-07: a project's own template for workers after a rejection is used for them alone.
#[test]
fn a_projects_template_for_repairers_is_used_after_a_rejection() {
    let repo = project("");
    let own = "AGAIN {{task}}\n{{feedback}}\n{{files}}\n{{checks}}\n{{rules}}\n{{contract}}\n";
    repo.write(".afresh/templates/repairer.md", own);
    repo.commit("a template");
    repo.agent(&format!("if test $AFRESH_TASK.$AFRESH_ATTEMPT = A.1; then exit 0; fi\n{WORKER}"));
    repo.run(&[]).expect(0);
    assert!(repo.prompt("A", 1).starts_with("You are one worker with one task. Nobody"));
    let again = repo.prompt("A", 2);
    assert!(again.starts_with("AGAIN A: first\n\nDoes FR-001.\nThis is attempt 2"), "{again}");
}

/// PR-03: a bad template is an error before anything runs, with its place and a mark below it.
#[test]
fn a_bad_template_is_refused_before_the_run() {
    let repo = project("");
    let bad = "{{task}}\n  {{fiels}}\n{{checks}}{{rules}}{{contract}}\n";
    repo.write(".afresh/templates/worker.md", bad);
    let ran = repo.run(&[]).expect(2);
    assert!(ran.stderr.contains(".afresh/templates/worker.md:2:3"), "{}", ran.stderr);
    assert!(ran.stderr.contains("^^^^^^^^^"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean \"files\"?"), "{}", ran.stderr);
    repo.write(".afresh/templates/worker.md", "{{task}}{{files}}{{checks}}{{rules}}\n");
    let ran = repo.run(&["--json"]).expect(2);
    let error: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let message = error["error"]["message"].as_str().expect("a message");
    assert!(message.contains("{{contract}}"), "{message}");
    assert_eq!(repo.status()["run"], Value::Null);
}

/// PR-06: a prompt that would fill its worker's context is refused before a worker is started.
#[test]
fn a_prompt_that_is_too_large_starts_no_worker() {
    let repo = repo();
    let long = "word ".repeat(200_000);
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\ndo = \"{long}\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n"
    ));
    repo.agent(": > started; echo x > A.txt");
    let ran = repo.run(&["--no-input"]).expect(2);
    assert!(
        ran.stderr.contains("tokens") && ran.stderr.contains("split the task"),
        "{}",
        ran.stderr
    );
    assert_eq!(repo.status()["run"], Value::Null);
}

/// PR-06, PL-10: a planner whose prompt would fill its context is not started either, and the specification is to be
/// split.
#[test]
fn a_specification_that_is_too_large_for_a_prompt_starts_no_planner() {
    let repo = repo();
    repo.agent(": > started");
    let long = "- It must keep this word.\n".repeat(900);
    repo.write("spec.md", &format!("# S\n\n## Requirements\n\n{long}"));
    repo.commit("a specification");
    repo.config("[context]\nsoft = 0.01\nhard = 0.02\n[audit]\nrequirements = 1000\n");
    let planned = repo.afresh(&["run", "spec.md", "--yes", "--orchestrated"]).expect(2);
    assert!(planned.stderr.contains("tokens"), "{}", planned.stderr);
    assert!(planned.stderr.contains("split the specification"), "{}", planned.stderr);
    assert_eq!(repo.status()["run"], Value::Null);
}

/// PR-06: status and report have the size of the prompt that each worker was given.
#[test]
fn the_size_of_a_prompt_is_recorded() {
    let repo = repo();
    let long = "word ".repeat(15_000);
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\ndo = \"{long}\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n"
    ));
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&["--no-input"]).expect(0);
    let status = repo.status();
    let tokens = |at: usize| {
        let prompt = &status["tasks"][at]["workers"][0]["prompt"];
        assert_eq!(prompt["window"], 200_000, "{prompt}");
        prompt["used"].as_u64().expect("tokens")
    };
    assert!((15_000..17_000).contains(&tokens(0)) && tokens(1) < 2_000, "{status}");
    let text = repo.afresh(&["status"]).expect(0).stdout;
    assert!(text.contains(&format!("A.1: prompt {} tokens (", tokens(0))), "{text}");
    assert!(!text.contains("B.1: prompt"), "a small prompt is no news: {text}");
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains(&format!("| {} tokens, 0 % |", tokens(1))), "{report}");
}

/// PR-06: a prompt that becomes too large because of other tasks' results is detected when its worker would start: the
/// task fails at once, without further attempts.
#[test]
fn a_prompt_that_becomes_too_large_is_not_tried_again() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"*.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\ncontext = \"full\"\nfiles = [\"B\"]\nchecks = [\"true\"]\n",
    );
    // Its first task leaves large files, which go into the prompt of the second.
    repo.agent("for name in 1 2 3; do yes word | head -c 8000 > $name.txt; done");
    repo.config("[context]\nsoft = 0.01\nhard = 0.02\n");
    let ran = repo.run(&["--no-input"]).expect(4);
    let status = repo.status();
    let error = status["tasks"][1]["error"].as_str().expect("an error");
    assert!(error.contains("tokens") && error.contains("split the task"), "{error}");
    assert_eq!(status["tasks"][1]["attempts"], 1, "{status}");
    assert!(!ran.stderr.contains("failed:spawn"), "{}", ran.stderr);
}

/// PR-03: the document has the built-in templates, unchanged, and every name.
#[test]
fn the_documentation_has_the_built_in_template_and_all_names() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/prompts.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for role in afresh_agents::PromptRole::ALL {
        assert!(page.contains(role.built_in()), "{role:?}");
    }
    for name in afresh_agents::prompt::template::NAMES {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}
