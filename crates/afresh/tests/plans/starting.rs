//! `afresh new`: a plan or a specification to start from.

use afresh_testkit::TestRepo;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// INTERFACE `new`: the plan has no mistake, its checks are red or guards, and it can be run as it is.
#[test]
fn a_new_plan_passes_lint_and_runs() {
    let repo = repo();
    repo.write("Makefile", "test:\n\t@true\n");
    repo.write("greeting.txt", "taken\n");
    repo.commit("base");
    let wrote = repo.afresh(&["new"]).expect(0);
    assert!(wrote.stderr.contains("work.plan.toml"), "{}", wrote.stderr);
    let text = std::fs::read_to_string(repo.root().join("work.plan.toml")).expect("a plan");
    assert!(text.contains("{ run = \"make test\", guard = true }"), "{text}");
    assert!(text.contains("greeting-2.txt"), "a name that is free: {text}");
    let linted = repo.afresh(&["lint", "work.plan.toml", "--json"]).expect(0).json();
    assert_eq!(linted["findings"], serde_json::json!([]), "{linted}");
    let probed = repo.afresh(&["lint", "work.plan.toml", "--probe", "--json"]).expect(0).json();
    let classes: Vec<&str> = probed["probe"]
        .as_array()
        .expect("checks")
        .iter()
        .map(|check| check["class"].as_str().expect("a class"))
        .collect();
    assert!(classes.iter().all(|class| ["red", "pending", "guard"].contains(class)), "{classes:?}");
    repo.agent("f=greeting-2.txt; [ $AFRESH_TASK = T001 ] && echo Hello > $f || echo Ada >> $f");
    repo.afresh(&["run", "work.plan.toml", "--no-input"]).expect(0);
}

/// INTERFACE `new`: a plan without a recognised project has no test command, and is right all the same.
#[test]
fn a_new_plan_needs_no_project() {
    let repo = repo();
    repo.afresh(&["new", "first.plan.toml"]).expect(0);
    repo.afresh(&["lint", "first.plan.toml"]).expect(0);
    let shown = repo.afresh(&["show", "first.plan.toml", "--json"]).expect(0).json();
    assert_eq!((&shown["name"], &shown["score"]["ungrounded"]), (&"first".into(), &0.into()));
}

/// INTERFACE `new --spec`: the specification is approved, and its statements are those of its lists.
#[test]
fn a_new_specification_is_approved() {
    let repo = repo();
    repo.write("go.mod", "module example.com/x\n\ngo 1.22\n");
    repo.write("x_test.go", "package x\n");
    repo.commit("base");
    repo.afresh(&["new", "--spec"]).expect(0);
    let text = std::fs::read_to_string(repo.root().join("spec.md")).expect("a specification");
    assert!(text.contains("- `go test ./...` passes."), "{text}");
    let audit = repo.afresh(&["audit", "spec.md", "--json"]).expect(0).json();
    assert_eq!((&audit["verdict"], &audit["mode"]), (&"approved".into(), &"single".into()));
    let metric = |name: &str| {
        let metrics = audit["metrics"].as_array().expect("metrics").iter();
        metrics.clone().find(|it| it["name"] == name).map(|it| it["value"].clone())
    };
    assert_eq!(
        (metric("requirements"), metric("acceptance criteria")),
        (Some(2.into()), Some(2.into())),
        "{audit}"
    );
}

/// B03: what exists is never overwritten, and a wrong name is refused before anything is written.
#[test]
fn new_overwrites_nothing() {
    let repo = repo();
    repo.write("work.plan.toml", "mine");
    let refused = repo.afresh(&["new"]).expect(2);
    assert!(refused.stderr.contains("work.plan.toml exists"), "{}", refused.stderr);
    let kept = std::fs::read_to_string(repo.root().join("work.plan.toml")).expect("the file");
    assert_eq!(kept, "mine");
    let link = repo.root().join("spec.md");
    std::os::unix::fs::symlink(repo.root().join("elsewhere.md"), &link).expect("a link");
    repo.afresh(&["new", "--spec"]).expect(2);
    assert!(!repo.root().join("elsewhere.md").exists(), "nothing is written through a link");
    repo.afresh(&["new", "--spec", "work.toml"]).expect(2);
    repo.afresh(&["new", "no/such/work.plan.toml"]).expect(2);
}
