//! JavaScript and TypeScript: npm, pnpm, yarn, bun, deno.

use super::{CheckKind, ProjectCheck, ProjectDir, ProjectStack, lint, owned, test};

/// What `npm init` writes if there is no test.
pub(super) const NO_TEST: &str = "no test specified";

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
        (CheckKind::Test, &["test"][..]),
        (CheckKind::Build, &["build"]),
        (CheckKind::Lint, &["lint", "typecheck", "type-check"]),
    ];
    let checks: Vec<ProjectCheck> = kinds
        .into_iter()
        .flat_map(|(kind, names)| names.iter().map(move |name| (kind, *name)))
        .filter_map(|(kind, name)| Some(ProjectCheck { kind, command: script(name)? }))
        .collect();
    let needs =
        ["dependencies", "devDependencies", "workspaces"].iter().any(|key| !json[*key].is_null());
    let setup = if needs { owned(&[manager.install]) } else { Vec::new() };
    let keep = if needs { owned(&["node_modules/"]) } else { Vec::new() };
    Some(ProjectStack { name: manager.name, file: file.to_owned(), setup, checks, keep })
}

fn manager(place: &ProjectDir<'_>, json: &serde_json::Value) -> NodePackageManager {
    let named = json["packageManager"].as_str().unwrap_or_default();
    let is = |name: &str, locks: &[&str]| {
        place.first(locks).is_some() || named.split('@').next() == Some(name)
    };
    let manager = |name, install, run| NodePackageManager { name, install, run };
    if is("pnpm", &["pnpm-lock.yaml"]) {
        return manager("Node.js (pnpm)", "pnpm install --frozen-lockfile", "pnpm run {}");
    }
    if is("yarn", &["yarn.lock"]) {
        // Yarn 1 and later versions have different options to keep the lock file unchanged.
        let modern = place.has(".yarnrc.yml") || !named.is_empty() && !named.starts_with("yarn@1");
        let install =
            if modern { "yarn install --immutable" } else { "yarn install --frozen-lockfile" };
        return manager("Node.js (yarn)", install, "yarn run {}");
    }
    if is("bun", &["bun.lock", "bun.lockb"]) {
        return manager("Bun", "bun install --frozen-lockfile", "bun run {}");
    }
    let locked = place.first(&["package-lock.json", "npm-shrinkwrap.json"]).is_some();
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
