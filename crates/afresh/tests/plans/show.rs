//! What `afresh show` reports about a plan: PL-12.

use afresh_testkit::TestRepo;

/// PL-12: the estimate is based on the current files, also if the plan names them by a glob.
#[test]
fn a_task_shows_how_much_context_it_will_fill() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.write("src/a.rs", &"x".repeat(80_000));
    repo.write("src/b.rs", &"x".repeat(80_000));
    let task = |id: &str, files: &str| {
        format!("[[task]]\nid = {id:?}\ntitle = \"t\"\nfiles = [{files:?}]\nno_check = \"x\"\n")
    };
    let tasks = [task("one", "src/a.rs"), task("all", "src/*.rs"), task("new", "src/c.rs")];
    repo.plan(&tasks.concat());
    let shown = repo.afresh(&["show", "p.plan.toml", "--json"]).expect(0).json();
    let shares: Vec<f64> = shown["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| task["est_context"].as_f64().expect("a share"))
        .collect();
    // 15,000 tokens to begin with, the file, and 6,000 for its edit; of 200,000.
    assert_eq!(shares, [0.21, 0.31, 0.1]);
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains("one  t  ~21 % context"), "{text}");
}

/// PL-12: why two tasks cannot run at the same time: order, files, no list; and when they can.
#[test]
fn show_says_why_two_tasks_cannot_run_side_by_side() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let task = |id: &str, rest: &str| {
        format!("[[task]]\nid = {id:?}\ntitle = \"t\"\nno_check = \"x\"\n{rest}\n")
    };
    let tasks = [
        task("A", "files = [\"a.txt\"]"),
        task("B", "needs = [\"A\"]\nfiles = [\"b.txt\"]"),
        task("C", "needs = [\"B\"]\nfiles = [\"src/*.rs\", \"x.txt\"]"),
        task("D", "files = [\"src/d.rs\", \"x.txt\"]"),
        task("E", ""),
    ];
    repo.plan(&tasks.concat());
    let why = |a: &str, b: &str| {
        repo.afresh(&["show", "p.plan.toml", "--why", a, b]).expect(0).stdout.trim_end().to_owned()
    };
    assert_eq!(why("C", "A"), "C and A cannot run at the same time:\n  C waits for A: A → B → C");
    assert_eq!(
        why("C", "D"),
        "C and D cannot run at the same time:\n  src/*.rs and src/d.rs may be one file\n  both may write x.txt"
    );
    assert_eq!(
        why("A", "E"),
        "A and E cannot run at the same time:\n  E lists no files, so it runs alone"
    );
    assert_eq!(
        why("B", "D"),
        "B and D can run at the same time; not with `--schedule waves`: wave 2, wave 1"
    );
    let json = repo.afresh(&["show", "p.plan.toml", "--why", "A", "C", "--json"]).expect(0).json();
    assert_eq!(json["side_by_side"], false);
    assert_eq!(json["reasons"][0]["way"], serde_json::json!(["A", "B", "C"]));
    let wrong = repo.afresh(&["show", "p.plan.toml", "--why", "A", "AA"]).expect(2);
    assert!(wrong.stderr.contains("did you mean \"A\"?"), "{}", wrong.stderr);
}

/// PR-06: the size of each prompt compared with its model's context; one that is too large is marked.
#[test]
fn show_has_the_size_of_each_prompt() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.write("spec.md", &"word ".repeat(3_000));
    let task = |id: &str, rest: &str| {
        format!("[[task]]\nid = {id:?}\ntitle = \"t\"\nno_check = \"x\"\n{rest}\n")
    };
    let long = format!("do = {:?}", "word ".repeat(2_000));
    let tasks = [task("A", "context = \"minimal\""), task("B", ""), task("C", &long)];
    repo.plan(&format!("spec = \"spec.md\"\n{}", tasks.concat()));
    repo.config(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [\"sh\"]\n[prices.sonnet]\ninput = 1\noutput = 1\nwindow = 5000\n",
    );
    let shown = repo.afresh(&["show", "p.plan.toml", "--json"]).expect(0).json();
    let size = |at: usize| {
        let prompt = &shown["tasks"][at]["prompt"];
        assert_eq!(prompt["window"], 5_000, "{prompt}");
        (prompt["tokens"].as_u64().expect("a number"), prompt["fits"].as_bool().expect("a flag"))
    };
    let (small, with_spec, too_large) = (size(0), size(1), size(2));
    assert!(small.0 < 1_500 && small.1, "{small:?}");
    assert!((2_950..3_150).contains(&(with_spec.0 - small.0)) && !with_spec.1, "{with_spec:?}");
    assert!(too_large.0 > 5_000 && !too_large.1, "{too_large:?}");
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains(&format!("prompt: {} tokens, ", small.0)), "{text}");
    assert_eq!(text.matches("TOO LARGE").count(), 2, "{text}");
    // A run would be refused for this reason.
    let refused = repo.run(&["--no-input"]).expect(2);
    assert!(refused.stderr.contains("task B is too large"), "{}", refused.stderr);
}
