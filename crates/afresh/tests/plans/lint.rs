//! `afresh lint`: problems of a plan, before any agent is started (BE-01).

use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;

fn repo(plan: &str) -> TestRepo {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    repo.plan(plan);
    repo
}

const GOOD: &str =
    "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n";

/// BE-01.
#[test]
fn a_plan_without_findings_is_clean() {
    let repo = repo(GOOD);
    let before = repo.untouched();
    let ran = repo.afresh(&["lint", "p.plan.toml"]).expect(0);
    assert!(ran.stderr.contains("no problems"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    repo.untouched().expect_same_as(&before);
    assert!(!repo.state().exists(), "lint writes nothing");
}

/// BE-01: findings have a code, a place and a hint; the exit code reflects them.
#[test]
fn what_is_worth_knowing_is_found_at_its_place() {
    let repo = repo(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"x.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"x.txt\", { path = \"no.txt\", action = \"modify\" }]\nno_check = \"prose\"\n\
         [[task]]\nid = \"C\"\ntitle = \"c\"\nfiles = [{ path = \"README.md\", action = \"create\" }]\nno_check = \"prose\"\n\
         [[task]]\nid = \"D\"\ntitle = \"d\"\nno_check = \"prose\"\n",
    );
    let ran = repo.afresh(&["lint", "p.plan.toml", "--json"]).expect(1).json();
    let found: Vec<String> = ran["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|f| format!("{}:{}", f["code"].as_str().expect("a code"), f["line"]))
        .collect();
    assert_eq!(
        found,
        ["unchecked:3", "same-wave-file:10", "missing-file:10", "file-exists:15", "no-files:17"]
    );
    let text = repo.afresh(&["lint", "p.plan.toml"]).expect(1);
    insta::assert_snapshot!(text.stdout);
}

/// BE-01: two tasks of one wave that write the same file: both places, in every form of output.
#[test]
fn a_shared_file_is_pointed_at_in_both_tasks() {
    let repo = repo(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\", \"日本/x.txt\"]\nno_check = \"prose\"\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nsteps = [{ name = \"s\", files = [\"b.txt\", \"日本/*.txt\"] }]\nno_check = \"prose\"\n",
    );
    let text = repo.afresh(&["lint", "p.plan.toml"]).expect(1).stdout;
    insta::assert_snapshot!(text, @r#"
    warning[same-wave-file]: A and B are both in wave 1 and may both write "日本/x.txt"
      --> p.plan.toml:11:42
        |
     11 | steps = [{ name = "s", files = ["b.txt", "日本/*.txt"] }]
        |                                          ^^^^^^^^^^^^
      the other task lists it here:
      --> p.plan.toml:6:19
       |
     6 | files = ["a.txt", "日本/x.txt"]
       |                   ------------
      hint: they run one after the other; let one need the other, or separate their files
    "#);
    let json = repo.afresh(&["lint", "p.plan.toml", "--json"]).expect(1).json();
    let related = &json["findings"][0]["related"][0];
    assert_eq!((&related["line"], &related["column"]), (&6.into(), &19.into()), "{json}");
    let sarif = repo.afresh(&["lint", "p.plan.toml", "--sarif"]).expect(1).json();
    assert_eq!(sarif["runs"][0]["columnKind"], "unicodeCodePoints");
    let other = &sarif["runs"][0]["results"][0]["relatedLocations"][0];
    let region = &other["physicalLocation"]["region"];
    assert_eq!(region, &serde_json::json!({"startLine": 6, "startColumn": 19, "endColumn": 29}));
    assert_eq!(other["message"]["text"], "the other task lists it here");
}

/// BE-01: a file that an earlier task creates exists; a task that does not wait for that task gets a warning.
#[test]
fn a_file_that_another_task_makes_is_not_missing_once_it_is_needed() {
    let plan = |needs: &str| {
        format!(
            "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [{{ path = \"new.txt\", action = \"create\" }}]\nno_check = \"prose\"\n\
             [[task]]\nid = \"M\"\ntitle = \"m\"\nneeds = [\"A\"]\nfiles = [\"m.txt\"]\nno_check = \"prose\"\n\
             [[task]]\nid = \"B\"\ntitle = \"b\"\n{needs}files = [{{ path = \"new.txt\", action = \"modify\" }}]\nno_check = \"prose\"\n"
        )
    };
    repo(&plan("needs = [\"M\"]\n")).afresh(&["lint", "p.plan.toml"]).expect(0);
    let ran = repo(&plan("")).afresh(&["lint", "p.plan.toml", "--json"]).expect(1).json();
    let findings = ran["findings"].as_array().expect("findings");
    let missing = findings.iter().find(|f| f["code"] == "missing-file").expect("it is told");
    assert_eq!(missing["related"][0]["line"], 6);
    assert!(missing["help"].as_str().expect("help").contains("let B need A"), "{ran}");
}

/// BE-01: routes of web frameworks are files, not globs.
#[test]
fn a_route_in_brackets_is_a_file() {
    let plan = "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [{ path = \"app/[id]/page.tsx\", action = \"modify\" }]\nno_check = \"prose\"\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"app/[slug]/page.tsx\"]\nno_check = \"prose\"\n";
    let repo = repo(plan);
    let ran = repo.afresh(&["lint", "p.plan.toml", "--json"]).expect(1).json();
    let codes: Vec<&str> = ran["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|f| f["code"].as_str())
        .collect();
    assert_eq!(codes, ["missing-file"], "{ran}");
    repo.write("app/[id]/page.tsx", "page");
    repo.commit("a page");
    repo.afresh(&["lint", "p.plan.toml"]).expect(0);
    let shown = repo.afresh(&["show", "p.plan.toml"]).expect(0).stdout;
    assert!(shown.contains("files: app/[id]/page.tsx"), "{shown}");
}

/// BE-01: exit code 2: nothing could be read.
#[test]
fn what_cannot_be_read_at_all_is_another_exit_code() {
    let repo = repo("[[task");
    repo.afresh(&["lint", "p.plan.toml"]).expect(2);
    repo.afresh(&["lint", "nowhere"]).expect(2);
    let ran = repo.afresh(&["lint", "README.md"]).expect(2);
    assert!(ran.stderr.contains("contains no plan"), "{}", ran.stderr);
    assert!(ran.stderr.contains("`afresh plan README.md` makes a plan"), "{}", ran.stderr);
}

/// BE-01: where there is no plan, the hint names a plan that was made from a specification, or how to make one.
#[test]
fn without_a_plan_the_hint_says_where_one_comes_from() {
    let repo = TestRepo::new(env!("CARGO_BIN_EXE_afresh"));
    let ran = repo.afresh(&["show"]).expect(2);
    assert!(ran.stderr.contains("`afresh plan SPEC.md` makes a plan"), "{}", ran.stderr);
    repo.write(
        ".afresh/plans/shop/shop.plan.toml",
        "version = 1\nname = \"shop\"\n[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\nchecks = [\"true\"]\n",
    );
    let ran = repo.afresh(&["run"]).expect(2);
    let named = ".afresh/plans/shop/shop.plan.toml";
    assert!(ran.stderr.contains(&format!("`afresh run {named}`")), "{}", ran.stderr);
    repo.afresh(&["show", named]).expect(0);
}

/// BE-01.
#[test]
fn sarif_names_rule_place_and_level() {
    let repo = repo("[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"x.txt\"]\n");
    let sarif = repo.afresh(&["lint", "p.plan.toml", "--sarif"]).expect(1).json();
    assert_eq!(sarif["version"], "2.1.0");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "unchecked");
    assert_eq!(result["level"], "warning");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "p.plan.toml");
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "unchecked");
}

/// BE-01: `--fix` applies safe fixes, and leaves every other byte unchanged.
#[test]
fn fix_mends_a_misspelt_field() {
    let repo = repo(GOOD);
    repo.write("p.plan.toml", &format!("version = 1\r\n{}", GOOD.replace("checks", "chekcs")));
    repo.afresh(&["lint", "p.plan.toml"]).expect(1);
    let ran = repo.afresh(&["lint", "p.plan.toml", "--fix"]).expect(0);
    assert!(ran.stderr.contains("fixed p.plan.toml: 1 place"), "{}", ran.stderr);
    let text = std::fs::read_to_string(repo.root().join("p.plan.toml")).expect("the plan");
    assert!(text.contains("checks = [") && text.starts_with("version = 1\r\n"), "{text}");
}

/// BE-01.
#[test]
fn every_code_can_be_explained() {
    let repo = repo(GOOD);
    let one = repo.afresh(&["lint", "--explain", "cycle"]).expect(0);
    assert!(one.stdout.contains("tasks that depend on each other"), "{}", one.stdout);
    let all = repo.afresh(&["lint", "--explain"]).expect(0);
    assert!(all.stdout.contains("same-wave-file:"), "{}", all.stdout);
    let none = repo.afresh(&["lint", "--explain", "cycles"]).expect(2);
    assert!(none.stderr.contains("did you mean \"cycle\"?"), "{}", none.stderr);
}

/// FO-06: a configuration that cannot be used is found before a run, and counted apart from the plan.
#[test]
fn a_broken_configuration_is_found_too() {
    let repo = repo(GOOD);
    repo.write("bad.toml", "[run]\nparalel = 3\n");
    for args in [["lint", "p.plan.toml"], ["probe", "p.plan.toml"]] {
        let ran = repo.afresh(&[&args[..], &["--config", "bad.toml"]].concat()).expect(1);
        assert!(ran.stdout.contains("did you mean \"parallel\"?"), "{ran:?}");
        assert!(ran.stdout.contains("--> bad.toml:2:1"), "{ran:?}");
        assert!(ran.stderr.contains("bad.toml: 1 error, 0 warnings"), "{ran:?}");
        assert!(ran.stderr.contains("p.plan.toml (native, 1 task): no problems"), "{ran:?}");
    }
    let probed = repo.afresh(&["probe", "--config", "bad.toml"]);
    assert!(probed.stderr.contains("the checks were not run"), "{probed:?}");
}

/// FO-06, B21: an error in the order of a plan hides no other finding, and a field of a check that is written beside
/// it is explained.
#[test]
fn an_unknown_dependency_hides_nothing_else() {
    let repo = repo(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\nneeds = [\"Z\"]\nguard = true\n",
    );
    let ran = repo.afresh(&["lint", "p.plan.toml"]).expect(1);
    for text in [
        "error[unknown-dependency]",
        "warning[unchecked]: A has no check",
        "checks = [{ run = \"COMMAND\", guard = true }]",
    ] {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
}

/// FO-06: in a terminal, findings are wrapped at words, and source lines are cut so that their marks stay below them.
#[test]
fn findings_fit_the_terminal() {
    let long = "a word and another ".repeat(12);
    let repo = repo(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"{long}\"\nfiles = [\"a\"]\nchecks = [\"true\"]\nneeds = [\"{}\", \"Z\"]\n",
        "b".repeat(60)
    ));
    for args in [["lint", "p.plan.toml"], ["show", "p.plan.toml"], ["run", "p.plan.toml"]] {
        let (_, screen) = Terminal::start_with_columns(repo.command(&args), 80).end();
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines.len() > 5, "{screen}");
        // A word of sixty letters cannot be wrapped, and takes no more than the rest of its line.
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{args:?}: {screen}");
        assert!(screen.contains('^'), "{screen}");
    }
}
