//! What a manifest says to test runners, linters and the commands of a project.
//!
//! A manifest holds dependencies beside that, which workers change for good reasons. Comparing the settings alone tells
//! the one from the other.

use std::collections::BTreeMap;

use serde_json::Value;

use super::node::NO_TEST;
use crate::findings::SourceText;
use crate::text::node::{Node, Value as TextValue};
use crate::text::toml;

/// The largest manifest that is compared, in bytes.
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;
/// The most settings that are named.
const MAX_NAMED: usize = 10;
/// How deep settings are named one by one.
const MAX_NAME_DEPTH: usize = 5;

/// Settings by their name, such as `scripts.test`.
type RunnerSettings = BTreeMap<String, String>;

/// The settings of runners that differ between two versions of the manifest at `path`, at most a few of them.
///
/// None if this is no manifest, or one that cannot be read.
pub fn changed_runner_settings(path: &str, before: &str, after: &str) -> Option<Vec<String>> {
    let (before, after) = (read_settings(path, before)?, read_settings(path, after)?);
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let changed = after.iter().filter(|(name, value)| match before.get(*name) {
        Some(old) => old != *value,
        None => !is_free(name, &before),
    });
    let mut names: Vec<String> =
        removed.chain(changed.map(|(name, _)| name)).take(MAX_NAMED).cloned().collect();
    names.sort_unstable();
    Some(names)
}

/// Whether a new setting leaves those that exist as they are.
fn is_free(name: &str, before: &RunnerSettings) -> bool {
    if name.starts_with("workspaces ") || name.starts_with("workspace.members ") {
        return true;
    }
    let script = ["scripts.", "tasks."].iter().find_map(|start| name.strip_prefix(start));
    let Some(script) = script else { return false };
    // npm runs `pretest` before `test`.
    let hooked = ["pre", "post"].iter().filter_map(|hook| script.strip_prefix(hook));
    !hooked.map(|name| format!("scripts.{name}")).any(|name| before.contains_key(&name))
}

fn read_settings(path: &str, text: &str) -> Option<RunnerSettings> {
    if text.len() > MAX_MANIFEST_BYTES {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    match path.rsplit('/').next().unwrap_or(path) {
        "package.json" => Some(package_settings(&parse_json_manifest(text)?)),
        "composer.json" => Some(named_settings(&parse_json_manifest(text)?, &["scripts"])),
        "deno.json" | "deno.jsonc" => Some(named_settings(
            &parse_json_manifest(text)?,
            &["tasks", "test", "bench", "lint", "fmt"],
        )),
        "pyproject.toml" => Some(python_settings(&parse_toml_manifest(text)?)),
        "Cargo.toml" => Some(cargo_settings(&parse_toml_manifest(text)?)),
        "setup.cfg" => Some(ini_settings(text)),
        _ => None,
    }
}

/// The text of a JSON manifest, if it is an object.
pub fn parse_json_manifest(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_object)
}

/// The text of a TOML manifest.
pub fn parse_toml_manifest(text: &str) -> Option<Value> {
    toml::parse(&SourceText::new("manifest", text)).ok().map(|node| plain_value(&node))
}

/// The value without its places in the text.
fn plain_value(node: &Node) -> Value {
    match &node.value {
        TextValue::Table(entries) => Value::Object(
            entries.iter().map(|entry| (entry.key.clone(), plain_value(&entry.node))).collect(),
        ),
        TextValue::List(items) => Value::Array(items.iter().map(plain_value).collect()),
        TextValue::Text(text) => Value::String(text.clone()),
        TextValue::Integer(number) => Value::from(*number),
        TextValue::Bool(flag) => Value::Bool(*flag),
        TextValue::Fraction(number) => Value::from(*number),
        TextValue::Other(kind) => Value::String((*kind).to_owned()),
    }
}

const PACKAGE_SETTINGS: &[&str] = &[
    "scripts",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "tap",
    "jasmine",
    "karma",
    "cypress",
    "playwright",
    "nyc",
    "c8",
    "eslintConfig",
    "eslintIgnore",
    "prettier",
    "stylelint",
    "xo",
    "standard",
    "tsd",
    "wireit",
    "nx",
    "size-limit",
];

fn package_settings(manifest: &Value) -> RunnerSettings {
    let mut found = named_settings(manifest, PACKAGE_SETTINGS);
    found.retain(|_, value| !value.contains(NO_TEST));
    let workspaces = &manifest["workspaces"];
    add_members("workspaces", workspaces, &mut found);
    add_members("workspaces", &workspaces["packages"], &mut found);
    found
}

const PYTHON_SETTINGS: &[&str] = &[
    "tool.pytest",
    "tool.tox",
    "tool.nox",
    "tool.coverage",
    "tool.ruff",
    "tool.mypy",
    "tool.pyright",
    "tool.basedpyright",
    "tool.pylint",
    "tool.flake8",
    "tool.black",
    "tool.isort",
    "tool.bandit",
    "tool.pydocstyle",
    "tool.codespell",
    "tool.hatch.envs",
    "tool.pdm.scripts",
    "tool.poe",
    "tool.taskipy",
    "tool.pixi.tasks",
    "project.entry-points.pytest11",
    "tool.poetry.plugins.pytest11",
];

fn python_settings(manifest: &Value) -> RunnerSettings {
    named_settings(manifest, PYTHON_SETTINGS)
}

const CARGO_SETTINGS: &[&str] = &[
    "package.autotests",
    "package.autobenches",
    "profile.test",
    "profile.dev",
    "lints",
    "workspace.lints",
    "workspace.exclude",
    "workspace.default-members",
];

fn cargo_settings(manifest: &Value) -> RunnerSettings {
    let mut found = named_settings(manifest, CARGO_SETTINGS);
    add_members("workspace.members", &manifest["workspace"]["members"], &mut found);
    for kind in ["test", "bench"] {
        for target in targets(&manifest[kind]) {
            add_leaves(&format!("[[{kind}]] {}", target_name(target)), target, &mut found);
        }
    }
    // Of the others, only whether and how they are tested.
    for kind in ["lib", "bin", "example"] {
        for target in targets(&manifest[kind]) {
            for key in ["test", "doctest", "harness", "bench"] {
                let name = format!("{kind} {} {key}", target_name(target)).replace("  ", " ");
                add_leaves(&name, &target[key], &mut found);
            }
        }
    }
    found
}

fn targets(value: &Value) -> &[Value] {
    value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice)
}

fn target_name(target: &Value) -> &str {
    target["name"].as_str().unwrap_or_default()
}

/// Everything below the keys with these dotted names.
fn named_settings(manifest: &Value, names: &[&str]) -> RunnerSettings {
    let mut found = RunnerSettings::new();
    for name in names {
        let value = name.split('.').fold(manifest, |value, key| &value[key]);
        add_leaves(name, value, &mut found);
    }
    found
}

/// Adds each value below `value` with its own name.
fn add_leaves(name: &str, value: &Value, found: &mut RunnerSettings) {
    match value {
        Value::Null => {}
        Value::Object(entries)
            if !entries.is_empty() && name.matches('.').count() < MAX_NAME_DEPTH =>
        {
            for (key, value) in entries {
                add_leaves(&format!("{name}.{key}"), value, found);
            }
        }
        _ => {
            found.insert(name.to_owned(), value.to_string());
        }
    }
}

/// Adds each member of a workspace, of which only those that exist count.
fn add_members(name: &str, members: &Value, found: &mut RunnerSettings) {
    for member in members.as_array().into_iter().flatten().filter_map(Value::as_str) {
        found.insert(format!("{name} {member}"), String::new());
    }
}

/// Sections of `setup.cfg` that configure runners, or their beginnings.
const INI_SECTIONS: &[&str] = &[
    "tool:pytest",
    "pytest",
    "coverage:",
    "flake8",
    "mypy",
    "isort",
    "pylint",
    "pycodestyle",
    "pydocstyle",
    "pep8",
    "bandit",
    "nosetests",
    "tox:",
    "testenv",
    "unittest",
    "aliases",
    "codespell",
    "behave",
];

/// The lines of the sections of runners, by section and key. Lines that continue a value belong to it.
fn ini_settings(text: &str) -> RunnerSettings {
    let mut found = RunnerSettings::new();
    let mut section: Option<&str> = None;
    let mut key = String::new();
    for line in text.lines() {
        let words = line.trim();
        if words.is_empty() || words.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = words.strip_prefix('[').and_then(|rest| rest.split(']').next())
            && !line.starts_with([' ', '\t'])
        {
            section = INI_SECTIONS.iter().any(|start| name.starts_with(start)).then_some(name);
            continue;
        }
        let Some(section) = section else { continue };
        if !line.starts_with([' ', '\t']) {
            let name = words.split(['=', ':']).next().unwrap_or(words).trim();
            key = format!("{section}.{name}");
        }
        let value = found.entry(key.clone()).or_default();
        value.push_str(words);
        value.push('\n');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn changes(path: &str, before: &str, after: &str, expected: &[&str]) {
        let found = changed_runner_settings(path, before, after).expect("a manifest");
        assert_eq!(found, expected, "{path}: {after}");
    }

    /// EX-04.
    #[test]
    fn dependencies_of_a_package_are_free_and_its_scripts_are_not() {
        let before = r#"{"name":"a","scripts":{"test":"jest","build":"tsc"},"dependencies":{"a":"1"},"workspaces":["x"]}"#;
        let is =
            |after: &str, expected: &[&str]| changes("web/package.json", before, after, expected);
        let with = |from: &str, to: &str| before.replace(from, to);
        is(before, &[]);
        is(&with("\"a\":\"1\"", "\"a\":\"2\",\"b\":\"1\""), &[]);
        is(&with("\"name\":\"a\"", "\"name\":\"b\",\"type\":\"module\""), &[]);
        is(&with("jest", "true"), &["scripts.test"]);
        is(&with("\"build\":\"tsc\"", "\"lint\":\"eslint .\""), &["scripts.build"]);
        is(&with("\"build\"", "\"lint\":\"eslint .\",\"build\""), &[]);
        is(&with("\"build\"", "\"pretest\":\"rm -r tests\",\"build\""), &["scripts.pretest"]);
        is(&with("\"build\"", "\"premise\":\"x\",\"build\""), &[]);
        is(&with("\"name\"", "\"jest\":{\"testMatch\":[]},\"name\""), &["jest.testMatch"]);
        is(&with("[\"x\"]", "[\"x\",\"y\"]"), &[]);
        is(&with("[\"x\"]", "[\"y\"]"), &["workspaces x"]);
        is(&with("\"scripts\"", "\"other\""), &["scripts.build", "scripts.test"]);
        is("{}", &["scripts.build", "scripts.test", "workspaces x"]);
        // Reformatted is not changed.
        is(&with(",", ",\n  "), &[]);
        // What `npm init` writes is no test.
        let none = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        changes("package.json", none, r#"{"scripts":{"test":"jest"}}"#, &[]);
    }

    /// EX-04.
    #[test]
    fn settings_of_python_tools_are_not_free() {
        let before = "[project]\nname = 'a'\ndependencies = ['x']\n[tool.pytest.ini_options]\naddopts = '-q'\n[tool.ruff]\nline-length = 100\n";
        let is = |from: &str, to: &str, expected: &[&str]| {
            changes("pyproject.toml", before, &before.replace(from, to), expected);
        };
        is("'x'", "'x', 'y'", &[]);
        is("name = 'a'", "name = 'a' # comment", &[]);
        is("'-q'", "'-q --ignore=tests'", &["tool.pytest.ini_options.addopts"]);
        is("line-length", "ignore = ['F']\nline-length", &["tool.ruff.ignore"]);
        is(
            "[tool.ruff]",
            "[tool.mypy]\nignore_errors = true\n[tool.ruff]",
            &["tool.mypy.ignore_errors"],
        );
        is("[project]", "[tool.poetry.dependencies]\nz = '1'\n[project]", &[]);
    }

    /// EX-04.
    #[test]
    fn targets_and_lints_of_a_crate_are_not_free() {
        let before = "[package]\nname = 'a'\n[dependencies]\nx = '1'\n[[test]]\nname = 't'\npath = 't.rs'\n[[bin]]\nname = 'b'\npath = 'b.rs'\n[workspace]\nmembers = ['m']\n";
        let is = |from: &str, to: &str, expected: &[&str]| {
            changes("crates/a/Cargo.toml", before, &before.replace(from, to), expected);
        };
        is("x = '1'", "x = '2'\ny = { version = '1' }", &[]);
        is("[dependencies]", "[dev-dependencies]\nz = '1'\n[dependencies]", &[]);
        is("'t.rs'", "'u.rs'", &["[[test]] t.path"]);
        is("'t.rs'", "'t.rs'\nharness = false", &["[[test]] t.harness"]);
        is("'b.rs'", "'c.rs'", &[]);
        is("'b.rs'", "'b.rs'\ntest = false", &["bin b test"]);
        is("[package]", "[lib]\ndoctest = false\n[package]", &["lib doctest"]);
        is("name = 'a'", "name = 'a'\nautotests = false", &["package.autotests"]);
        is("[package]", "[lints.clippy]\nall = 'allow'\n[package]", &["lints.clippy.all"]);
        is("['m']", "['m', 'n']", &[]);
        is("['m']", "[]", &["workspace.members m"]);
    }

    /// EX-04.
    #[test]
    fn sections_of_setup_cfg_are_told_apart() {
        let before = "[metadata]\nname = a\n[options]\ninstall_requires =\n  x\n[tool:pytest]\naddopts =\n  -q\n";
        let is = |from: &str, to: &str, expected: &[&str]| {
            changes("setup.cfg", before, &before.replace(from, to), expected);
        };
        is("  x\n", "  x\n  y\n", &[]);
        is("  -q\n", "  -q\n  --ignore=tests\n", &["tool:pytest.addopts"]);
        is("[metadata]", "[flake8]\nignore: E\n[metadata]", &["flake8.ignore"]);
    }

    /// EX-04: what cannot be read has no settings that could be the same.
    #[test]
    fn a_manifest_that_cannot_be_read_is_not_compared() {
        for (path, text) in [
            ("package.json", "{"),
            ("package.json", "[]"),
            ("package.json", "{} // comment"),
            ("Cargo.toml", "= x"),
            ("README.md", "x"),
        ] {
            assert_eq!(changed_runner_settings(path, text, text), None, "{path} {text}");
        }
        let nested = "[".repeat(100_000);
        assert_eq!(changed_runner_settings("package.json", &nested, "{}"), None);
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_MANIFEST_BYTES));
        assert_eq!(changed_runner_settings("package.json", &large, "{}"), None);
    }
}
