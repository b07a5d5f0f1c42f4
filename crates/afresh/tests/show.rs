//! What `afresh show` tells of a plan: PL-12.

use afresh_testkit::TestRepo;

/// PL-12: the estimate rests on the files as they are, also where the plan names them by a glob.
#[test]
fn pl_12_a_task_shows_how_much_context_it_will_fill() {
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
    // 15,000 tokens to begin with, and twice the file; of 200,000.
    assert_eq!(shares, [0.28, 0.48, 0.1]);
    let text = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(text.contains("one  t  ~28 % context"), "{text}");
}
