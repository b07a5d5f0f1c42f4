//! Writing plans in the native format: reading the text again gives the same plan (FO-05).

use afresh_core::Plan;
use afresh_core::printable::is_unprintable;
use afresh_formats::native::{PlanSyntax, read, render};
use proptest::prelude::*;

use crate::drafts::draft;
use crate::{rendered, toml};

const BOTH: [(PlanSyntax, &str); 2] =
    [(PlanSyntax::Toml, "p.plan.toml"), (PlanSyntax::Json, "p.plan.json")];

/// Writes the plan in both notations, reads both again, and compares.
#[track_caller]
fn survives(plan: &Plan) {
    for (syntax, file) in BOTH {
        let text = render(plan, Some("../there"), syntax);
        let again = read(file, text.as_bytes());
        assert_eq!(rendered(&again), "", "{text}");
        assert_eq!(again.plan.as_ref(), Some(plan), "{text}");
        assert_eq!(again.target.as_deref(), Some("../there"));
        assert!(again.unknown.is_empty(), "{:?}", again.unknown);
        assert_eq!(again.plan.map(|plan| render(&plan, Some("../there"), syntax)), Some(text));
    }
}

proptest! {
    /// FO-05: for any plan; and the file contains no control characters.
    #[test]
    fn reading_what_is_written_gives_the_same_plan(draft in draft()) {
        let plan = Plan::new(draft).expect("the drafts are plans");
        survives(&plan);
        let text = render(&plan, None, PlanSyntax::Toml);
        let hidden = text.chars().find(|c| is_unprintable(*c) && !matches!(c, '\n' | '\t'));
        prop_assert_eq!(hidden, None, "{}", text);
    }
}

/// FO-05: the file is readable and omits defaults.
#[test]
fn a_written_plan_is_readable() {
    let given = r#"
version = 1
name = "greeting service"
spec = "spec.md"
task = [
  { id = "T001", title = 'Create the "greeter"', files = ["src/greet.py", { path = "src/old.py", action = "delete" }], do = "Write greet(name).\n\n```python\nprint(\"C:\\\\temp\")\n```\n", checks = ["python3 -m py_compile src/greet.py", { run = "pytest", name = "tests", red_first = true }] },
  { id = "T002", title = "Which database?", needs = ["T001"], checkpoint = { kind = "decision", text = "Which one?\nBoth would do.", options = [{ key = "a", description = "SQLite" }, { key = "b" }] } },
  { id = "T003", title = "Command line", needs = ["T001", "T002"], tier = "small", context = "full", agent = "claude", no_check = "documentation only", steps = [
    { name = "parser", files = ["src/cli.py"], do = "one", checks = ["true"] },
    { name = "help", files = ["src/cli.py", "docs/a-rather-long-path/that-fills-the-line.md", "docs/another/that-does-so-too.md"], do = "hidden \u202E and \u001B[2J\nsecond line" } ] },
  { id = "T004", title = "Older", done_before = "by hand" },
]
"#;
    let plan = toml(given).plan.expect("a plan");
    insta::assert_snapshot!(render(&plan, None, PlanSyntax::Toml));
}

/// FO-06: problems in a checkpoint are reported with their position.
#[test]
fn a_checkpoint_that_asks_nothing_is_refused() {
    let reading = toml(
        r#"version = 1
[[task]]
id = "A"
title = "a"
checkpoint = { kind = "maybe", text = "?" }
[[task]]
id = "B"
title = "b"
checkpoint = { text = "?", optoins = [] }
[[task]]
id = "C"
title = "c"
done_before = " "
[[task]]
id = "D"
title = "d"
checkpoint = { kind = "decision", text = "?", options = [{ description = "no key" }] }
"#,
    );
    assert!(reading.plan.is_none());
    insta::assert_snapshot!(rendered(&reading));
}
