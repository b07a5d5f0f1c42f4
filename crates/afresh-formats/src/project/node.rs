//! JavaScript and TypeScript: npm, pnpm, yarn, bun, deno.

use super::{
    CheckKind, ProjectCheck, ProjectDir, ProjectStack, lint, owned, parse_json_manifest, test,
};

/// What `npm init` writes if there is no test.
pub(super) const NO_TEST: &str = "no test specified";

/// Scripts that test, the usual one first.
const TEST_SCRIPTS: &[&str] = &["test", "test:unit", "tests", "unit-test", "test:ci"];

pub(super) fn stacks(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    [package(place), deno(place)].into_iter().flatten().collect()
}

/// A program that installs packages and runs scripts.
struct NodePackageManager {
    name: &'static str,
    install: &'static str,
    /// `{}` is the script.
    run: &'static str,
}

fn package(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["package.json"])?;
    let json: serde_json::Value = serde_json::from_str(place.text(file)).unwrap_or_default();
    let manager = manager(place, &json);
    let script = |name: &str| {
        let text = json["scripts"][name].as_str().filter(|text| !text.contains(NO_TEST))?;
        (!text.trim().is_empty()).then(|| manager.run.replace("{}", name))
    };
    let kinds = [
        (CheckKind::Test, TEST_SCRIPTS),
        (CheckKind::Build, &["build"]),
        (CheckKind::Lint, &["lint", "eslint"]),
        (CheckKind::Lint, &["typecheck", "type-check", "check-types", "types:check", "tsc"]),
        (CheckKind::Lint, &["format:check", "check-format", "prettier:check"]),
    ];
    // Names for one thing: the first of them that the manifest has.
    let checks: Vec<ProjectCheck> = kinds
        .into_iter()
        .filter_map(|(kind, names)| {
            let command = names.iter().find_map(|name| script(name))?;
            Some(ProjectCheck { kind, command })
        })
        .collect();
    let needs =
        ["dependencies", "devDependencies", "workspaces"].iter().any(|key| !json[*key].is_null());
    let setup = if needs { owned(&[manager.install]) } else { Vec::new() };
    let keep = if needs { owned(&["node_modules/"]) } else { Vec::new() };
    Some(ProjectStack { name: manager.name, file: file.to_owned(), setup, checks, keep })
}

fn manager(place: &ProjectDir<'_>, json: &serde_json::Value) -> NodePackageManager {
    let above = place.and_above().map(|place| place.text("package.json").to_owned());
    let named = above.filter_map(|text| {
        parse_json_manifest(&text)?["packageManager"].as_str().map(str::to_owned)
    });
    let named = json["packageManager"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| named.into_iter().next())
        .unwrap_or_default();
    let is = |name: &str, locks: &[&str]| {
        locks.iter().any(|lock| place.has_above(lock)) || named.split('@').next() == Some(name)
    };
    let manager = |name, install, run| NodePackageManager { name, install, run };
    if is("pnpm", &["pnpm-lock.yaml"]) {
        return manager("Node.js (pnpm)", "pnpm install --frozen-lockfile", "pnpm run {}");
    }
    if is("yarn", &["yarn.lock"]) {
        // Yarn 1 and later versions have different options to keep the lock file unchanged.
        let modern =
            place.has_above(".yarnrc.yml") || !named.is_empty() && !named.starts_with("yarn@1");
        let install =
            if modern { "yarn install --immutable" } else { "yarn install --frozen-lockfile" };
        return manager("Node.js (yarn)", install, "yarn run {}");
    }
    if is("bun", &["bun.lock", "bun.lockb"]) {
        return manager("Bun", "bun install --frozen-lockfile", "bun run {}");
    }
    let locked =
        ["package-lock.json", "npm-shrinkwrap.json"].iter().any(|lock| place.has_above(lock));
    manager("Node.js (npm)", if locked { "npm ci" } else { "npm install" }, "npm run --silent {}")
}

fn deno(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["deno.json", "deno.jsonc"])?;
    let command = if place.mentions(file, "\"test\"") { "deno task test" } else { "deno test" };
    let checks = vec![test(command), lint("deno lint")];
    Some(ProjectStack {
        name: "Deno",
        file: file.to_owned(),
        setup: Vec::new(),
        checks,
        keep: Vec::new(),
    })
}
