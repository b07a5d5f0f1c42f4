//! Files that are generated from the program, and must be current: the command line reference and the schema.
//! `AFRESH_UPDATE=1 cargo test -p afresh --test cli generated_files` writes them again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

fn afresh(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_afresh"))
        .args(args)
        .env("NO_COLOR", "1")
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn expect_current(path: &str, text: &str) {
    let file = workspace().join(path);
    if std::env::var_os("AFRESH_UPDATE").is_some() {
        std::fs::write(&file, text).expect("written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "{path} is not current: run AFRESH_UPDATE=1 cargo test -p afresh --test cli generated_files"
    );
}

/// The options of every command are in the first section only.
#[test]
fn the_command_line_reference_is_current() {
    let main = afresh(&["--help"]);
    let mut text = String::from("# The command line\n\nGenerated from the program; do not edit.\n");
    let mut add = |title: &str, help: &str| {
        // Trailing blanks would differ from editor to editor.
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = write!(text, "\n## {title}\n\n```text\n{}\n```\n", help.join("\n").trim_end());
    };
    add("afresh", &main);
    for command in commands(&main) {
        let help = afresh(&[command, "--help"]);
        let own = help.split("\nOptions of every command:").next().unwrap_or_default();
        add(&format!("afresh {command}"), own);
    }
    expect_current("docs/cli.md", &text);
}

/// The commands that the full help lists: two blanks, a name, a description.
fn commands(help: &str) -> Vec<&str> {
    let listed = help.lines().take_while(|line| *line != "Options:");
    let names = listed.filter_map(|line| line.strip_prefix("  "));
    names.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next()).collect()
}

/// FO-05: the shipped schema is the one that is printed.
#[test]
fn the_schema_is_current() {
    expect_current("schemas/plan.schema.json", &afresh(&["schema", "plan"]));
}

/// AG-02: the same for the schema of scripts.
#[test]
fn the_schema_of_scripts_is_current() {
    expect_current("schemas/script.schema.json", &afresh(&["schema", "script"]));
}

/// PR-01: the same for the schema of bundles.
#[test]
fn the_schema_of_bundles_is_current() {
    expect_current("schemas/bundle.schema.json", &afresh(&["schema", "bundle"]));
}

/// BE-01: every code has its line in the documentation.
#[test]
fn the_list_of_findings_is_current() {
    let codes: serde_json::Value =
        serde_json::from_str(&afresh(&["lint", "--explain", "--json"])).expect("JSON");
    let mut text = String::from(
        "# What `afresh lint` finds\n\n\
         Generated from the program; do not edit. `afresh lint --explain CODE` prints the same text, with an example.\n\n\
         Errors: the plan could not run as intended. Warnings: probably a mistake.\n\
         Notes: good to know; they do not cause exit code 1.\n\n\
         | code | what | why, and what to do |\n| --- | --- | --- |\n",
    );
    let mut last = "";
    for known in codes.as_array().expect("a list") {
        let word = |key: &str| known[key].as_str().expect("a text").replace('|', "\\|");
        let code = known["code"].as_str().expect("a code");
        assert!(last < code, "{code} is out of order");
        last = code;
        let _ = writeln!(text, "| `{code}` | {} | {} |", word("title"), word("text"));
    }
    expect_current("docs/lint.md", &text);
}
