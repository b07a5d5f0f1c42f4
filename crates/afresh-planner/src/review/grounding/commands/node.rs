//! Scripts of package.json and composer.json, and tools that npx starts.

use afresh_core::plan::nearest;
use afresh_formats::project::parse_json_manifest;
use serde_json::Value;

use super::super::tree::{PlannedPath, name_of};
use super::super::{GroundingState, ReferenceKind};
use super::arguments::{positionals, values};
use super::{CheckCommand, CheckReader, join};

/// Commands of package managers that are no scripts.
const OWN: &str = "install i ci add remove uninstall rm update up upgrade exec dlx x node why init link unlink pack publish \
config info view list ls outdated audit create workspace workspaces recursive store cache login logout whoami version help \
dedupe prune rebuild fund doctor import fetch patch set get pkg query root prefix bin unplug plugin constraints import-meta \
build-addon";

/// Tools, and the packages that bring them.
const TOOLS: &[(&str, &[&str])] = &[
    ("jest", &["jest", "react-scripts", "ts-jest", "@nx/jest"]),
    ("vitest", &["vitest"]),
    ("mocha", &["mocha"]),
    ("ava", &["ava"]),
    ("tap", &["tap"]),
    ("eslint", &["eslint"]),
    ("prettier", &["prettier"]),
    ("tsc", &["typescript"]),
    ("tsx", &["tsx"]),
    ("ts-node", &["ts-node"]),
    ("playwright", &["playwright", "@playwright/test"]),
    ("cypress", &["cypress"]),
    ("webpack", &["webpack", "webpack-cli"]),
    ("vite", &["vite", "vitest"]),
    ("rollup", &["rollup"]),
    ("esbuild", &["esbuild"]),
    ("stylelint", &["stylelint"]),
    ("biome", &["@biomejs/biome"]),
    ("next", &["next"]),
    ("nyc", &["nyc"]),
    ("c8", &["c8"]),
    ("vue-tsc", &["vue-tsc"]),
    ("svelte-check", &["svelte-check"]),
];

/// A manifest, as far as it is known.
enum PackageManifest {
    /// Its path and contents.
    Known(String, Value),
    /// A task writes it.
    Planned,
    /// Its path.
    Absent(String),
    Unknown,
}

impl CheckReader<'_, '_, '_> {
    pub(super) fn node_script(&mut self, command: &CheckCommand) {
        let valued = ["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F"];
        let words = &command.words[1..];
        let mut positional = positionals(words, &valued).into_iter();
        let Some(first) = positional.next() else { return };
        let is_npm = command.program() == "npm";
        let (script, is_strict) = match first {
            "run" | "run-script" | "rum" => match positional.next() {
                Some(script) => (script, true),
                None => return,
            },
            "test" | "t" | "tst" => ("test", true),
            "start" | "stop" | "restart" if is_npm => {
                (first, first != "start" && first != "restart")
            }
            _ if OWN.split(' ').any(|own| own == first) || is_npm => return,
            // `bun test` is its own runner.
            _ if command.program() == "bun" => return,
            script => (script, false),
        };
        let manifest = self.manifest(command, words);
        let (path, json) = match manifest {
            PackageManifest::Known(path, json) => (path, json),
            PackageManifest::Absent(path) => {
                let hint = self.absent_hint(&path);
                return self.missing(ReferenceKind::Path, &path, hint);
            }
            PackageManifest::Planned if self.view.mentions(script) => {
                return self.add(ReferenceKind::Script, script, GroundingState::Verified);
            }
            PackageManifest::Planned | PackageManifest::Unknown => {
                return self.add(ReferenceKind::Script, script, GroundingState::Uncheckable);
            }
        };
        let scripts = &json["scripts"];
        let stated = scripts[script].as_str().filter(|text| !text.contains("no test specified"));
        let state = if stated.is_some_and(|text| !text.trim().is_empty()) {
            GroundingState::Verified
        } else if self.view.may_change(&path) {
            // The task may add it.
            if self.view.mentions(script) {
                GroundingState::Verified
            } else {
                GroundingState::Uncheckable
            }
        } else if is_strict {
            let known: Vec<&str> =
                scripts.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            let hint = match nearest(script, known.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None if known.is_empty() => format!("{path} has no scripts"),
                None => format!("{path} has {}", known.join(", ")),
            };
            GroundingState::Missing { hint }
        } else {
            GroundingState::Uncheckable
        };
        self.add(ReferenceKind::Script, script, state);
    }

    /// `composer test`, `composer run-script test`.
    pub(super) fn composer_script(&mut self, command: &CheckCommand) {
        let mut positional = positionals(&command.words[1..], &["-d", "--working-dir"]).into_iter();
        let script = match positional.next() {
            Some("run" | "run-script") => positional.next(),
            Some(
                "validate" | "install" | "update" | "require" | "dump-autoload" | "exec" | "show"
                | "audit",
            )
            | None => None,
            other => other,
        };
        let (Some(script), Some(path)) = (script, command.whole_path("composer.json")) else {
            return;
        };
        let json = self.view.text(&path).and_then(|text| parse_json_manifest(&text));
        let state = match json {
            Some(json) if !json["scripts"][script].is_null() => GroundingState::Verified,
            Some(_) if !self.view.may_change(&path) => {
                GroundingState::Missing { hint: format!("{path} has no script of that name") }
            }
            _ => GroundingState::Uncheckable,
        };
        self.add(ReferenceKind::Script, script, state);
    }

    /// A tool that `npx` would have to fetch, because no manifest names it.
    pub(super) fn node_tool(&mut self, command: &CheckCommand) {
        let is_launched = command
            .launcher
            .as_deref()
            .is_some_and(|it| matches!(it, "npx" | "npm" | "pnpm" | "yarn" | "bunx" | "bun"));
        let known = TOOLS.iter().find(|(tool, _)| *tool == command.program());
        let Some((tool, packages)) = known.filter(|_| is_launched) else { return };
        let manifests: Vec<&str> = self
            .view
            .tree
            .named("package.json")
            .filter(|path| !path.contains("node_modules/"))
            .collect();
        let is_planned = self.view.planned().any(|path| name_of(path) == "package.json");
        let read: Vec<Option<Value>> = manifests
            .iter()
            .map(|path| self.view.text(path).and_then(|text| parse_json_manifest(&text)))
            .collect();
        let has = |json: &Value| {
            ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]
                .iter()
                .any(|key| packages.iter().any(|package| !json[*key][*package].is_null()))
        };
        let state = if read.iter().flatten().any(has) {
            GroundingState::Verified
        } else if is_planned || read.contains(&None) {
            GroundingState::Uncheckable
        } else {
            let hint = format!(
                "no package.json has {:?}, and checks have no network to fetch it",
                packages[0]
            );
            GroundingState::Missing { hint }
        };
        self.add(ReferenceKind::Program, tool, state);
    }

    fn manifest(&self, command: &CheckCommand, words: &[String]) -> PackageManifest {
        let member = values(words, &["-w", "--workspace", "--filter", "-F"]).into_iter().next();
        if let Some(member) = member {
            return self.member_manifest(member);
        }
        let given =
            values(words, &["--prefix", "-C", "--dir", "--cwd"]).into_iter().next().unwrap_or(".");
        let Some(directory) = command.whole_path(given) else { return PackageManifest::Unknown };
        // A script is looked for in the manifest above, if there is none here.
        let above = std::iter::successors(Some(directory.as_str()), |at| {
            (!at.is_empty()).then(|| at.rsplit_once('/').map_or("", |(up, _)| up))
        });
        for at in above {
            let path = join(at, "package.json").unwrap_or_default();
            match self.view.state(&path) {
                PlannedPath::Exists => return self.read_manifest(path),
                PlannedPath::Planned => return PackageManifest::Planned,
                _ => {}
            }
        }
        PackageManifest::Absent(join(&directory, "package.json").unwrap_or_default())
    }

    fn member_manifest(&self, member: &str) -> PackageManifest {
        let paths: Vec<&str> = self.view.tree.named("package.json").collect();
        for path in paths {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            let text = self.view.text(path).and_then(|text| parse_json_manifest(&text));
            let is_named = text.as_ref().is_some_and(|json| json["name"] == member);
            if is_named || directory == member.trim_start_matches("./") {
                return self.read_manifest(path.to_owned());
            }
        }
        PackageManifest::Unknown
    }

    fn read_manifest(&self, path: String) -> PackageManifest {
        match self.view.text(&path).and_then(|text| parse_json_manifest(&text)) {
            Some(json) => PackageManifest::Known(path, json),
            None => PackageManifest::Unknown,
        }
    }
}
