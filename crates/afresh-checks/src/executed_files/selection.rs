//! Whether a command can have selected a test file.

use std::path::Path;

use afresh_core::pattern::FilePattern;

use crate::command::{CalledTool, ReadCommand};
use crate::runners::TestRunner;

/// Whether one of the calls of the runner may select the file. In doubt, yes.
pub(crate) fn may_select(runner: TestRunner, command: &ReadCommand, path: &str) -> bool {
    let mut calls =
        command.calls.iter().filter(|call| call.tool.runner() == Some(runner)).peekable();
    calls.peek().is_none() || command.is_opaque() || calls.any(|call| selects(runner, call, path))
}

fn selects(runner: TestRunner, call: &CalledTool, path: &str) -> bool {
    // Where only the shell knows the directory or the words, everything is possible.
    let Some(directory) = call.directory.as_deref() else { return true };
    if call.arguments().iter().any(|word| word.contains(['$', '`'])) {
        return true;
    }
    let here = path.strip_prefix(directory).map(|rest| rest.trim_start_matches('/'));
    let Some(here) =
        here.filter(|_| directory.is_empty() || path.starts_with(&format!("{directory}/")))
    else {
        return call.arguments().iter().any(|word| word.contains(".."));
    };
    match runner {
        TestRunner::Pytest => selects_for_pytest(call, here),
        TestRunner::Unittest => selects_for_unittest(call, here),
        TestRunner::Cargo | TestRunner::Nextest => selects_for_cargo(call, here),
        TestRunner::Go => selects_for_go(call, here),
        TestRunner::Jest => selects_for_jest(call, here),
        TestRunner::Vitest => selects_by_part(call.arguments(), &VITEST_VALUED, here),
        TestRunner::Mocha => selects_by_path(&positional(call.arguments(), &MOCHA_VALUED), here),
        TestRunner::Node => selects_by_path(&positional(call.arguments(), &NODE_VALUED), here),
        TestRunner::Maven | TestRunner::Junit => true,
    }
}

const PYTEST_VALUED: [&str; 22] = [
    "-k",
    "-m",
    "-p",
    "-c",
    "-n",
    "-o",
    "-r",
    "-W",
    "--rootdir",
    "--junitxml",
    "--junit-xml",
    "--cov",
    "--tb",
    "--maxfail",
    "--ignore",
    "--deselect",
    "--durations",
    "--timeout",
    "--basetemp",
    "--confcutdir",
    "--color",
    "--import-mode",
];
const UNITTEST_VALUED: [&str; 7] =
    ["-k", "-s", "--start-directory", "-p", "--pattern", "-t", "--top-level-directory"];
const VITEST_VALUED: [&str; 10] = [
    "-t",
    "--testNamePattern",
    "--config",
    "-c",
    "--root",
    "-r",
    "--reporter",
    "--outputFile",
    "--project",
    "--dir",
];
const MOCHA_VALUED: [&str; 14] = [
    "-g",
    "--grep",
    "-f",
    "--fgrep",
    "-r",
    "--require",
    "-R",
    "--reporter",
    "--config",
    "-t",
    "--timeout",
    "-u",
    "--ui",
    "--file",
];
const NODE_VALUED: [&str; 8] = [
    "--import",
    "--require",
    "-r",
    "--loader",
    "--test-reporter",
    "--test-reporter-destination",
    "--test-name-pattern",
    "--conditions",
];
const GO_VALUED: [&str; 18] = [
    "-run",
    "-skip",
    "-bench",
    "-count",
    "-timeout",
    "-cpu",
    "-parallel",
    "-p",
    "-tags",
    "-coverprofile",
    "-covermode",
    "-coverpkg",
    "-o",
    "-mod",
    "-ldflags",
    "-gcflags",
    "-C",
    "-shuffle",
];
const JEST_VALUED: [&str; 14] = [
    "-t",
    "--testNamePattern",
    "-c",
    "--config",
    "--reporters",
    "-w",
    "--maxWorkers",
    "--rootDir",
    "--roots",
    "--projects",
    "--selectProjects",
    "--env",
    "--outputFile",
    "--coverageDirectory",
];

/// The words that are neither options nor values of options.
fn positional<'a>(words: &'a [String], valued: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if valued.contains(&word) {
            rest.next();
        } else if !word.starts_with('-') {
            found.push(word);
        }
    }
    found
}

/// The values of an option, written as `--name value` or `--name=value`.
fn values<'a>(words: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if names.contains(&word.as_str()) {
            found.extend(words.get(at + 1).map(String::as_str));
        } else if let Some((name, value)) = word.split_once('=')
            && names.contains(&name)
        {
            found.push(value);
        }
    }
    found
}

/// Whether a file is one of these, is below one, or matches one; all are selected where none is named.
fn selects_by_path(selected: &[&str], path: &str) -> bool {
    selected.is_empty() || selected.iter().any(|selected| covers(selected, path))
}

fn covers(selected: &str, path: &str) -> bool {
    let selected = selected.trim_start_matches("./").trim_end_matches('/');
    if selected.is_empty()
        || selected == "."
        || selected.starts_with(['/', '~'])
        || selected.contains("..")
    {
        return true;
    }
    FilePattern::new(selected).map_or(true, |pattern| pattern.matches(path))
}

fn selects_for_pytest(call: &CalledTool, path: &str) -> bool {
    let arguments = call.arguments();
    let is_ignored = values(arguments, &["--ignore"]).iter().any(|ignored| {
        let ignored = ignored.trim_start_matches("./").trim_end_matches('/');
        path == ignored || path.starts_with(&format!("{ignored}/"))
    });
    let paths: Vec<&str> = positional(arguments, &PYTEST_VALUED)
        .into_iter()
        .map(|word| word.split("::").next().unwrap_or(word))
        .collect();
    // A word that is no path is the value of an option that we do not know.
    let are_paths = paths
        .iter()
        .all(|path| path.contains(['/', '.', '*']) || *path == "tests" || *path == "test");
    !is_ignored && (!are_paths || selects_by_path(&paths, path))
}

fn selects_for_unittest(call: &CalledTool, path: &str) -> bool {
    let words = positional(call.arguments(), &UNITTEST_VALUED);
    if words.first() != Some(&"discover") {
        let stem = path.trim_end_matches(".py").replace('/', ".");
        let is_named = |word: &&str| {
            let name = word.trim_end_matches(".py").trim_start_matches("./").replace('/', ".");
            name == stem
                || name.starts_with(&format!("{stem}."))
                || stem.starts_with(&format!("{name}."))
        };
        return words.is_empty() || words.iter().any(is_named);
    }
    // `discover [START [PATTERN]]`
    let mut starts = values(call.arguments(), &["-s", "--start-directory"]);
    starts.extend(words.get(1));
    let mut patterns = values(call.arguments(), &["-p", "--pattern"]);
    patterns.extend(words.get(2));
    let name = path.rsplit('/').next().unwrap_or(path);
    selects_by_path(&starts, path) && selects_by_path(&patterns, name)
}

/// Integration tests are left out where other targets are named.
fn selects_for_cargo(call: &CalledTool, path: &str) -> bool {
    let arguments: Vec<String> =
        call.arguments().iter().take_while(|word| *word != "--").cloned().collect();
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
    let tests = values(&arguments, &["--test"]);
    let has = |names: &[&str]| arguments.iter().any(|word| names.contains(&word.as_str()));
    if tests.iter().any(|test| FilePattern::new(test).map_or(true, |pattern| pattern.matches(stem)))
    {
        return true;
    }
    let others =
        ["--lib", "--bins", "--doc", "--examples", "--benches", "--bin", "--example", "--bench"];
    let has_others = has(&others) || arguments.iter().any(|word| word.starts_with("--bin="));
    has(&["--tests", "--all-targets"]) || (tests.is_empty() && !has_others)
}

fn selects_for_go(call: &CalledTool, path: &str) -> bool {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let packages = positional(call.arguments(), &GO_VALUED);
    if packages.is_empty() {
        return directory.is_empty();
    }
    packages.iter().any(|package| {
        let (package, is_tree) = match package.strip_suffix("...") {
            Some(package) => (package.trim_end_matches('/'), true),
            None => (package.trim_end_matches('/'), false),
        };
        let Some(local) = package.strip_prefix("./").or((package == ".").then_some("")) else {
            // An import path ends with the directory.
            let is_file = Path::new(package).extension().is_some_and(|ending| ending == "go");
            return is_tree || package.ends_with(directory) || is_file;
        };
        directory == local
            || (is_tree && (local.is_empty() || directory.starts_with(&format!("{local}/"))))
    })
}

fn selects_for_jest(call: &CalledTool, path: &str) -> bool {
    let arguments = call.arguments();
    let is_related = |word: &String| {
        ["-o", "--onlyChanged", "--findRelatedTests", "--changedSince", "-f", "--onlyFailures"]
            .contains(&word.as_str())
    };
    if arguments.iter().any(is_related) {
        return true;
    }
    let named = values(arguments, &["--testPathPattern", "--testPathPatterns"]);
    if !named.is_empty() {
        return named.iter().any(|part| contains_part(path, part));
    }
    selects_by_part(arguments, &JEST_VALUED, path)
}

/// Filters are parts of a path; one that is an expression may match anything.
fn selects_by_part(arguments: &[String], valued: &[&str], path: &str) -> bool {
    let mut parts = positional(arguments, valued);
    if matches!(parts.first(), Some(&("run" | "watch" | "dev"))) {
        parts.remove(0);
    }
    parts.is_empty() || parts.iter().any(|part| contains_part(path, part))
}

fn contains_part(path: &str, part: &str) -> bool {
    let part = part.trim_start_matches("./");
    part.contains(['*', '(', '[', '|', '^', '$', '+', '?', '\\'])
        || part.starts_with('/')
        || part.contains("..")
        || path.to_lowercase().contains(&part.to_lowercase())
}
