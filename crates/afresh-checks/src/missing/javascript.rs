//! What node and its tools do not find.

use super::lines::FailedOutput;
use super::{MissingKind, MissingShape, MissingThing, between, find_by_shape, shape};
use crate::command::InvokedTool;

const TOOLS: &[InvokedTool] = &[
    InvokedTool::Node,
    InvokedTool::NodeTest,
    InvokedTool::Npm,
    InvokedTool::Mocha,
    InvokedTool::Jest,
    InvokedTool::Vitest,
    InvokedTool::Eslint,
    InvokedTool::Tsc,
];

const SHAPES: &[MissingShape] = &[
    // node --test
    shape(MissingKind::File, "Could not find '", "'"),
    // npm, as old as version 6, pnpm, yarn
    shape(MissingKind::Script, "npm error Missing script: \"", "\""),
    shape(MissingKind::Script, "npm ERR! Missing script: \"", "\""),
    shape(MissingKind::Script, "npm ERR! missing script: ", ""),
    shape(MissingKind::Script, " ERR_PNPM_NO_SCRIPT  Missing script: ", ""),
    shape(MissingKind::Script, "error Command \"", "\" not found."),
    shape(MissingKind::Script, "Usage Error: Couldn't find a script named \"", "\""),
    shape(MissingKind::NpmWorkspace, "npm error   --workspace=", ""),
    shape(MissingKind::Program, "npm error 404  The requested resource '", "@"),
    shape(
        MissingKind::Program,
        "npm error npx canceled due to missing packages and no YES option: [\"",
        "@",
    ),
    // tsc
    shape(MissingKind::File, "error TS6053: File '", "' not found"),
    shape(MissingKind::Configuration, "error TS5058: The specified path does not exist: '", "'"),
    shape(MissingKind::Configuration, "error TS5083: Cannot read file '", "'"),
    shape(
        MissingKind::Configuration,
        "error TS5057: Cannot find a tsconfig.json file at the specified directory: '",
        "'",
    ),
    // eslint
    shape(MissingKind::File, "No files matching the pattern \"", "\" were found"),
    shape(MissingKind::File, "No files matching the pattern '", "' were found"),
    shape(MissingKind::JavascriptModule, "ESLint couldn't find the plugin \"", "\""),
    shape(MissingKind::JavascriptModule, "ESLint couldn't find the config \"", "\""),
    shape(MissingKind::Configuration, "Error: ENOENT: no such file or directory, stat '", "'"),
    // jest, vitest, mocha
    shape(MissingKind::Configuration, "Provided path to resolve: ", ""),
    shape(MissingKind::JavascriptModule, "  Preset ", " not found"),
    shape(MissingKind::JavascriptModule, "  Module ", " in the transform option was not found"),
    shape(MissingKind::JavascriptModule, "  Test environment ", " cannot be found"),
    shape(MissingKind::Configuration, "failed to load config from ", ""),
    shape(MissingKind::Configuration, "Error: Unable to read/parse ", ": Error: ENOENT"),
];

/// Starts of lines that name no file, with the one that is meant.
const CONFIGURATIONS: &[(&str, &str)] = &[
    ("ESLint couldn't find an eslint.config.", "eslint.config.js"),
    ("ESLint couldn't find a configuration file", "eslint.config.js"),
    ("npm error enoent Could not read package.json:", "package.json"),
    ("npm ERR! enoent ENOENT: no such file or directory, open ", "package.json"),
    ("error Couldn't find a package.json file in ", "package.json"),
    (" ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND ", "package.json"),
    (" ERR_PNPM_NO_PKG_MANIFEST ", "package.json"),
    (
        "npm error The `npm ci` command can only install with an existing package-lock.json",
        "package-lock.json",
    ),
    ("tsc: The TypeScript Compiler - Version ", "tsconfig.json"),
];

pub(super) fn find_missing(failed: &FailedOutput<'_>) -> Vec<MissingThing> {
    let lines = failed.lines_of(TOOLS);
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let thing = find_by_shape(line, SHAPES)
            .or_else(|| find_configuration(line))
            .or_else(|| find_module(line, &lines[at + 1..]))
            .or_else(|| find_by_tsc(line))
            .or_else(|| find_unreachable(line, failed));
        found.extend(thing);
    }
    found
}

fn find_configuration(line: &str) -> Option<MissingThing> {
    let (_, name) = CONFIGURATIONS.iter().find(|(start, _)| line.starts_with(start))?;
    Some(MissingThing::new(MissingKind::Configuration, name))
}

/// A module that node, jest or vitest could not resolve.
fn find_module(line: &str, following: &[String]) -> Option<MissingThing> {
    // What a test file prints is a comment of TAP; mocha and eslint introduce an error.
    let text = line.strip_prefix("# ").unwrap_or(line);
    let starts = [" Exception during run: ", "✖ ERROR: ", "Error: Cannot find module '"];
    let is_start = starts.iter().any(|start| text.starts_with(start));
    let text = text.strip_prefix(" Exception during run: ").unwrap_or(text);
    let text = text.strip_prefix("✖ ERROR: ").unwrap_or(text);
    let new = |name: &str| MissingThing::new(MissingKind::JavascriptModule, name);
    // jest: `    Cannot find module './greet' from 'src/greet.test.js'`
    if let Some(rest) = text.strip_prefix("    Cannot find module '") {
        let (name, rest) = rest.split_once("' from '")?;
        return Some(new(name).named_in(rest.trim_end_matches('\'')));
    }
    // vitest: `Error: Failed to resolve import "./greet" from "src/greet.test.js". Does the file exist?`
    if let Some(rest) = text.strip_prefix("Error: Failed to resolve import \"") {
        let (name, rest) = rest.split_once("\" from \"")?;
        return Some(new(name).named_in(rest.split('"').next().unwrap_or_default()));
    }
    // vitest 1: `Error: Failed to load url ./greet (resolved id: ./greet) in /w/greet.test.js. Does the file exist?`
    if let Some(rest) = text.strip_prefix("Error: Failed to load url ") {
        let (name, rest) = rest.split_once(" (resolved id: ")?;
        let from = rest.split_once(") in ").and_then(|(_, from)| from.split_once(". Does"));
        return Some(from.map_or_else(|| new(name), |(from, _)| new(name).named_in(from)));
    }
    for start in ["Cannot find module '", "Cannot find package '"] {
        for error in ["Error [ERR_MODULE_NOT_FOUND]: ", "Error: "] {
            let Some(rest) = text.strip_prefix(error).and_then(|rest| rest.strip_prefix(start))
            else {
                continue;
            };
            let (name, rest) = rest.split_once('\'')?;
            return match rest.trim_start().strip_prefix("imported from ") {
                Some(from) => Some(new(name).named_in(from.trim_matches('\''))),
                None => is_start.then(|| find_importer(new(name), following)).flatten(),
            };
        }
    }
    let name = between(text, "    ENOENT: no such file or directory, open '", "'")?;
    Some(MissingThing::new(MissingKind::File, name))
}

/// The file after `Require stack:`; node also prints the code of the error.
fn find_importer(thing: MissingThing, following: &[String]) -> Option<MissingThing> {
    let mut lines = following.iter().take(60).map(|line| line.strip_prefix("# ").unwrap_or(line));
    let first = lines.next().unwrap_or_default();
    let importer = if first == "Require stack:" { lines.next() } else { None };
    let is_known = following.iter().take(60).any(|line| line.contains("code: 'MODULE_NOT_FOUND'"));
    let importer = importer.and_then(|line| line.strip_prefix("- "));
    is_known.then(|| match importer {
        Some(file) => thing.named_in(file),
        None => thing,
    })
}

/// `src/a.ts(1,17): error TS2307: Cannot find module './greet' or its corresponding type declarations.`
fn find_by_tsc(line: &str) -> Option<MissingThing> {
    if let Some(rest) = line.strip_prefix("error TS18003: No inputs were found in config file '") {
        let paths = rest.split_once("Specified 'include' paths were '[\"")?.1;
        let first = paths.split('"').next().unwrap_or(paths);
        return Some(MissingThing::new(MissingKind::File, first));
    }
    // In colour, and with `--pretty`: `src/a.ts:1:17 - error TS2307: …`
    let (place, rest) = line.split_once("error TS2307: Cannot find module '")?;
    let name = rest.split_once('\'')?.0;
    let file = place.split(['(', ':']).next().unwrap_or(place);
    Some(MissingThing::by_code(MissingKind::JavascriptModule, name).named_in(file))
}

/// npx tried to download a program, and could not.
fn find_unreachable(line: &str, failed: &FailedOutput<'_>) -> Option<MissingThing> {
    let code = line.strip_prefix("npm error code ")?;
    let is_network =
        ["EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "ENOTCACHED"].contains(&code);
    let call = failed.command.calls.iter().find(|call| call.tool != InvokedTool::Npm)?;
    is_network.then(|| MissingThing::new(MissingKind::Program, &call.program))
}
