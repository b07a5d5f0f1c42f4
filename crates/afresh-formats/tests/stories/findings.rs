//! How each kind of problem is shown (B01, B05, B07 to B10, B20, FO-06).

use afresh_formats::folder::MemoryFolder;
use afresh_formats::lint::all_findings;
use afresh_formats::native;

use crate::{json, rendered, toml};

/// A plan of one task with these lines.
fn task(lines: &str) -> String {
    let text = format!("version = 1\n[[task]]\nid = \"A\"\ntitle = \"a\"\n{lines}\n");
    let reading = toml(&text);
    assert!(reading.findings.iter().all(|finding| finding.hint.is_some()), "each has a hint");
    rendered(&reading)
}

/// B01, B05: paths, printed escaped.
#[test]
fn bad_paths_are_marked() {
    insta::assert_snapshot!(task(r#"files = ["ok.py", "../../etc/x"]"#), @r#"
    error[bad-path]: task "A": the path "../../etc/x" leaves the repository through '..'
      --> my.plan.toml:5:19
       |
     5 | files = ["ok.py", "../../etc/x"]
       |                   ^^^^^^^^^^^^^
      hint: name a file of the repository by its path from the root, as in "src/greet.py"
    "#);
    insta::assert_snapshot!(task(r#"files = ["a\nb", "a\u0000b", "-rf"]"#), @r#"
    error[bad-path]: task "A": the path "a\nb" holds a control character
      --> my.plan.toml:5:10
       |
     5 | files = ["a\nb", "a\u0000b", "-rf"]
       |          ^^^^^^
      hint: give the file another name
    error[bad-path]: task "A": the path "a\0b" holds a control character
      --> my.plan.toml:5:18
       |
     5 | files = ["a\nb", "a\u0000b", "-rf"]
       |                  ^^^^^^^^^^
      hint: give the file another name
    error[bad-path]: task "A": the path "-rf" has a component that starts with '-'
      --> my.plan.toml:5:30
       |
     5 | files = ["a\nb", "a\u0000b", "-rf"]
       |                              ^^^^^
      hint: give the file another name
    "#);
    insta::assert_snapshot!(task(r#"steps = [{ name = "s", files = [{ path = "/abs" }] }]"#), @r#"
    error[bad-path]: task "A": the path "/abs" is absolute; paths are relative to the repository's root
      --> my.plan.toml:5:42
       |
     5 | steps = [{ name = "s", files = [{ path = "/abs" }] }]
       |                                          ^^^^^^
      hint: name a file of the repository by its path from the root, as in "src/greet.py"
    "#);
}

/// B07: both places.
#[test]
fn duplicate_ids_name_both_places() {
    insta::assert_snapshot!(task("[[task]]\nid = \"B\"\ntitle = \"b\"\n[[task]]\nid = \"a\"\ntitle = \"again\""), @r#"
    error[duplicate-id]: two tasks have the id "a": number 1 and number 3 of the plan (the first is at line 3)
      --> my.plan.toml:9:6
       |
     9 | id = "a"
       |      ^^^
      first defined here:
      --> my.plan.toml:3:6
       |
     3 | id = "A"
       |      ---
      hint: give one of them another id; upper and lower case do not tell ids apart
    "#);
}

/// B08.
#[test]
fn bad_ids_are_marked() {
    insta::assert_snapshot!(task("[[task]]\nid = \"../x\"\ntitle = \"b\""), @r#"
    error[bad-id]: the id "../x" holds '/'; only letters, digits, '-', '_' and '.' are allowed
      --> my.plan.toml:6:6
       |
     6 | id = "../x"
       |      ^^^^^^
      hint: ids are 1 to 64 letters, digits, '-', '_' or '.', for example T001
    "#);
}

/// B09, B10: unknown dependencies and cycles.
#[test]
fn bad_dependencies_are_marked() {
    insta::assert_snapshot!(task("needs = [\"B\"]\n[[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\", \"BB\"]"), @r#"
    error[cycle]: 2 tasks need each other in a circle: A → B → A
      --> my.plan.toml:5:10
       |
     5 | needs = ["B"]
       |          ^^^
      hint: remove one of these dependencies (A → B: A needs B)
    error[unknown-dependency]: task "B" needs "BB", which is not in the plan
      --> my.plan.toml:9:15
       |
     9 | needs = ["A", "BB"]
       |               ^^^^
      hint: add a task with that id, or remove it from `needs`
    "#);
}

/// B20: a misspelt `checks` must not silently mean that there are none.
#[test]
fn a_misspelt_field_is_an_error() {
    insta::assert_snapshot!(task("verfiy = [\"make test\"]"), @r#"
    error[unknown-field]: unknown field "verfiy"
      --> my.plan.toml:5:1
       |
     5 | verfiy = ["make test"]
       | ^^^^^^
      hint: did you mean "checks"?
    "#);
    insta::assert_snapshot!(task("check = [\"make test\"]\ndepends_on = [\"B\"]\nfiels = []"), @r#"
    error[unknown-field]: unknown field "check"
      --> my.plan.toml:5:1
       |
     5 | check = ["make test"]
       | ^^^^^
      hint: did you mean "checks"?
    error[unknown-field]: unknown field "depends_on"
      --> my.plan.toml:6:1
       |
     6 | depends_on = ["B"]
       | ^^^^^^^^^^
      hint: did you mean "needs"?
    error[unknown-dependency]: task "A" needs "B", which is not in the plan
      --> my.plan.toml:6:15
       |
     6 | depends_on = ["B"]
       |               ^^^
      hint: add a task with that id, or remove it from `needs`
    error[unknown-field]: unknown field "fiels"
      --> my.plan.toml:7:1
       |
     7 | fiels = []
       | ^^^^^
      hint: did you mean "files"?
    "#);
    insta::assert_snapshot!(task("colour = \"red\"\nchecks = [\"true\"]"), @r#"
    warning[unknown-field]: unknown field "colour"
      --> my.plan.toml:5:1
       |
     5 | colour = "red"
       | ^^^^^^
      hint: it is kept but has no effect
    "#);
}

/// FO-06, BE-01: everything that is wrong is reported at once: one error hides no other, and no lint of
/// the tasks that have none.
#[test]
fn one_mistake_hides_no_other() {
    let lint = |text: &str| -> Vec<String> {
        let folder = MemoryFolder::new([("my.plan.toml", text)]);
        let reading = native::read("my.plan.toml", text.as_bytes());
        let found = all_findings(&folder, "native", &reading, None);
        found.iter().map(|found| format!("{}:{}", found.code, found.line)).collect()
    };
    let tasks = [
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\nverfiy = [\"true\"]\nneeds = [\"Z\"]\n",
        "[[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b\"]\n",
        "[[task]]\nid = \"C\"\nfiles = [\"../c\"]\nneeds = [\"C\"]\n",
    ];
    let text = format!("version = 1\n{}", tasks.concat());
    assert_eq!(
        lint(&text),
        [
            "unknown-field:6",
            "unknown-dependency:7",
            "unchecked:8",
            "missing-title:12",
            "bad-path:14",
            "cycle:15"
        ]
    );
    // A misspelt table is read as the one that was meant.
    let listed = text.replace("[[task]]", "[[tasks]]");
    assert_eq!(lint(&listed).len(), 7, "{:?}", lint(&listed));
    // Without all ids, it is not known which dependencies exist; what could not be read is not judged.
    let unknown = "version = 1\n[[task]]\nid = 7\ntitle = \"a\"\nno_check = \"x\"\n[[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"7\"]\nchecks = 3\n";
    assert_eq!(lint(unknown), ["wrong-type:3", "wrong-type:10"]);
}

/// FO-06: the message names the expected and the actual type.
#[test]
fn wrong_types_say_what_was_expected() {
    insta::assert_snapshot!(task("needs = \"B\"\nfiles = [3]\nchecks = true\ntier = \"huge\"\nsteps = [1979-05-27]"), @r#"
    error[wrong-type]: expected a list of strings, found "B"
      --> my.plan.toml:5:9
       |
     5 | needs = "B"
       |         ^^^
      hint: `afresh schema plan` describes the format
    error[wrong-type]: expected a path, or { path = "…", action = "create" }, found 3
      --> my.plan.toml:6:10
       |
     6 | files = [3]
       |          ^
      hint: `afresh schema plan` describes the format
    error[wrong-type]: expected a list of commands, found true
      --> my.plan.toml:7:10
       |
     7 | checks = true
       |          ^^^^
      hint: `afresh schema plan` describes the format
    error[wrong-type]: expected one of: small, standard, large, auto, found "huge"
      --> my.plan.toml:8:8
       |
     8 | tier = "huge"
       |        ^^^^^^
      hint: `afresh schema plan` describes the format
    error[wrong-type]: expected a step: a table with `name` and `do`, found a date
      --> my.plan.toml:9:10
       |
     9 | steps = [1979-05-27]
       |          ^^^^^^^^^^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(task("do = 1.5\nchecks = [{ run = \"true\", red_first = \"yes\" }, { run = [] }]"), @r#"
    error[wrong-type]: expected a string, found a fractional number
      --> my.plan.toml:5:6
       |
     5 | do = 1.5
       |      ^^^
      hint: `afresh schema plan` describes the format
    error[wrong-type]: expected true or false, found "yes"
      --> my.plan.toml:6:39
       |
     6 | checks = [{ run = "true", red_first = "yes" }, { run = [] }]
       |                                       ^^^^^
      hint: `afresh schema plan` describes the format
    error[bad-check]: task "A": check 2 is empty, too long, or holds a NUL
      --> my.plan.toml:6:48
       |
     6 | checks = [{ run = "true", red_first = "yes" }, { run = [] }]
       |                                                ^^^^^^^^^^^^
      hint: a check is a command whose exit code tells; `no_check = "reason"` says that none is meant
    error[wrong-type]: expected a string, found a list
      --> my.plan.toml:6:56
       |
     6 | checks = [{ run = "true", red_first = "yes" }, { run = [] }]
       |                                                        ^^
      hint: `afresh schema plan` describes the format
    "#);
}

/// A field that cannot be read does not hide other problems.
#[test]
fn unreadable_fields_do_not_hide_other_problems() {
    insta::assert_snapshot!(task("tier = 7\nfiles = [\"../x\"]\n[[task]]\nid = 5\ntitle = \"b\"\nneeds = [\"A\"]"), @r#"
    error[wrong-type]: expected one of: small, standard, large, auto, found 7
      --> my.plan.toml:5:8
       |
     5 | tier = 7
       |        ^
      hint: `afresh schema plan` describes the format
    error[bad-path]: task "A": the path "../x" leaves the repository through '..'
      --> my.plan.toml:6:10
       |
     6 | files = ["../x"]
       |          ^^^^^^
      hint: name a file of the repository by its path from the root, as in "src/greet.py"
    error[wrong-type]: expected a string, found 5
      --> my.plan.toml:8:6
       |
     8 | id = 5
       |      ^
      hint: `afresh schema plan` describes the format
    "#);
}

/// B21: empty checks.
#[test]
fn empty_checks_and_reasons_are_marked() {
    insta::assert_snapshot!(task("checks = [\"true\", \" \"]\nno_check = \"\""), @r#"
    error[bad-check]: task "A": check 2 is empty, too long, or holds a NUL
      --> my.plan.toml:5:19
       |
     5 | checks = ["true", " "]
       |                   ^^^
      hint: a check is a command whose exit code tells; `no_check = "reason"` says that none is meant
    error[bad-check]: task "A": no_check gives no reason
      --> my.plan.toml:6:12
       |
     6 | no_check = ""
       |            ^^
      hint: say why no check is meant, or give the task `checks`
    "#);
}

/// FO-06: syntax, in both notations.
#[test]
fn syntax_errors_are_located() {
    insta::assert_snapshot!(task("checks = [\"true\""), @r#"
    error[syntax]: unclosed array, expected `]`
      --> my.plan.toml:5:17
       |
     5 | checks = ["true"
       |                 ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(task("title = \"twice\""), @r#"
    error[syntax]: duplicate key
      --> my.plan.toml:5:1
       |
     5 | title = "twice"
       | ^^^^^
      hint: `afresh schema plan` describes the format
    "#);
    let broken = |text: &str| rendered(&json(text));
    insta::assert_snapshot!(broken("{\"version\": 1,\n  \"task\": [}"), @r#"
    error[syntax]: expected a value
      --> my.plan.json:2:12
       |
     2 |   "task": [}
       |            ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(broken("{\"version\": 1, \"version\": 1}"), @r#"
    error[syntax]: duplicate key "version"
      --> my.plan.json:1:16
       |
     1 | {"version": 1, "version": 1}
       |                ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(broken("{\"name\": \"never ends"), @r#"
    error[syntax]: the string that starts here is not closed
      --> my.plan.json:1:10
       |
     1 | {"name": "never ends
       |          ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(broken("[1, 01]"), @r#"
    error[syntax]: "01" is not a number
      --> my.plan.json:1:5
       |
     1 | [1, 01]
       |     ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(broken("{} {}"), @"
    error[syntax]: expected the end of the file
      --> my.plan.json:1:4
       |
     1 | {} {}
       |    ^
      hint: `afresh schema plan` describes the format
    ");
    insta::assert_snapshot!(broken(&"[".repeat(100)), @"
    error[syntax]: nested deeper than 64 levels
      --> my.plan.json:1:66
       |
     1 | [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
       |                                                                  ^
      hint: `afresh schema plan` describes the format
    ");
    insta::assert_snapshot!(broken("\"just a text\""), @r#"
    error[wrong-type]: expected a table with `version`, `name` and `task`, found "just a text"
      --> my.plan.json:1:1
       |
     1 | "just a text"
       | ^^^^^^^^^^^^^
      hint: `afresh schema plan` describes the format
    "#);
}

/// Columns count characters, and the caret is below the marked text.
#[test]
fn the_caret_is_aligned_below_wide_characters() {
    insta::assert_snapshot!(task("files = [\"ä/ö.py\", \"../ü\"]\tagent = 1"), @r#"
    error[syntax]: unexpected key or value, expected newline, `#`
      --> my.plan.toml:5:28
       |
     5 | files = ["ä/ö.py", "../ü"] agent = 1
       |                            ^
      hint: `afresh schema plan` describes the format
    "#);
    insta::assert_snapshot!(task("files = [\"ä/ö.py\",\t\"../ü\"]"), @r#"
    error[bad-path]: task "A": the path "../ü" leaves the repository through '..'
      --> my.plan.toml:5:20
       |
     5 | files = ["ä/ö.py", "../ü"]
       |                    ^^^^^^
      hint: name a file of the repository by its path from the root, as in "src/greet.py"
    "#);
}
