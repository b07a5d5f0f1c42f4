//! Packages and targets of cargo.

use afresh_core::plan::nearest;
use afresh_formats::project::parse_toml_manifest;
use serde_json::Value;

use super::super::tree::name_of;
use super::super::{GroundingState, ReferenceKind};
use super::arguments::values;
use super::{CheckCommand, CheckReader, join};

/// A package of the workspace.
struct CargoPackage {
    name: String,
    directory: String,
    manifest: Value,
}

/// A kind of target: the option that selects it, the table of the manifest, and the directory of its files.
struct TargetOption {
    option: &'static str,
    table: &'static str,
    directory: &'static str,
}

const TARGETS: &[TargetOption] = &[
    TargetOption { option: "--test", table: "test", directory: "tests" },
    TargetOption { option: "--bin", table: "bin", directory: "src/bin" },
    TargetOption { option: "--example", table: "example", directory: "examples" },
    TargetOption { option: "--bench", table: "bench", directory: "benches" },
];

impl CheckReader<'_, '_, '_> {
    pub(super) fn cargo(&mut self, command: &CheckCommand) {
        let words = &command.words;
        for manifest in values(words, &["--manifest-path"]) {
            self.file(command, manifest);
        }
        let Some(directory) = command.directory.clone() else { return };
        let is_planned =
            self.view.planned().any(|path| name_of(path) == "Cargo.toml" || path.ends_with('/'));
        let packages = self.cargo_packages();
        if packages.is_empty() {
            let has_manifest = self.view.tree.named("Cargo.toml").next().is_some();
            if !is_planned && !has_manifest && words.len() > 1 {
                let path = join(&directory, "Cargo.toml").unwrap_or_default();
                let hint = self.absent_hint(&path);
                self.missing(ReferenceKind::Path, &path, hint);
            }
            return;
        }
        let wanted: Vec<&str> = values(words, &["-p", "--package"]);
        for name in wanted.iter().map(|name| name.split('@').next().unwrap_or(name)) {
            let state = if packages.iter().any(|package| package.name == name) {
                GroundingState::Verified
            } else if is_planned || name.contains(['*', ':', '$']) {
                let is_named =
                    self.view.planned().any(|path| path.ends_with(&format!("{name}/Cargo.toml")));
                if is_named { GroundingState::Verified } else { GroundingState::Uncheckable }
            } else {
                let names: Vec<&str> =
                    packages.iter().map(|package| package.name.as_str()).collect();
                let hint = nearest(name, names.iter().copied()).map_or_else(
                    || format!("the workspace has {}", names.join(", ")),
                    |near| format!("did you mean {near:?}?"),
                );
                GroundingState::Missing { hint }
            };
            self.add(ReferenceKind::Package, name, state);
        }
        for target in TARGETS {
            for name in values(words, &[target.option]) {
                let state = self.target_of_cargo(&packages, &wanted, target, name);
                self.add(ReferenceKind::Target, name, state);
            }
        }
    }

    fn target_of_cargo(
        &self,
        packages: &[CargoPackage],
        wanted: &[&str],
        target: &TargetOption,
        name: &str,
    ) -> GroundingState {
        let is_known = |name: &str| packages.iter().any(|package| package.name == name);
        if !wanted.is_empty() && !wanted.iter().any(|name| is_known(name)) {
            let end = format!("{}/{name}.rs", target.directory);
            let is_planned = self.view.planned().any(|path| path.ends_with(&end));
            return if is_planned { GroundingState::Verified } else { GroundingState::Uncheckable };
        }
        let mut known: Vec<String> = Vec::new();
        let chosen =
            packages.iter().filter(|it| wanted.is_empty() || wanted.contains(&it.name.as_str()));
        for package in chosen {
            let place =
                |end: &str| join(&package.directory, &format!("{}/{name}{end}", target.directory));
            let is_file = [".rs", "/main.rs"]
                .iter()
                .filter_map(|end| place(end))
                .any(|path| self.view.has(&path));
            let tables = package.manifest[target.table].as_array().into_iter().flatten();
            let named: Vec<String> =
                tables.filter_map(|table| table["name"].as_str().map(str::to_owned)).collect();
            let main = join(&package.directory, "src/main.rs").unwrap_or_default();
            let is_main = target.table == "bin" && package.name == name && self.view.has(&main);
            if is_file || is_main || named.iter().any(|known| known == name) {
                return GroundingState::Verified;
            }
            let manifest = join(&package.directory, "Cargo.toml").unwrap_or_default();
            if self.view.may_change(&manifest) && self.view.mentions(name) {
                return GroundingState::Verified;
            }
            known.extend(named);
            let front = join(&package.directory, target.directory)
                .map(|front| format!("{front}/"))
                .unwrap_or_default();
            let files = self.view.tree.files().filter_map(|path| path.strip_prefix(&front));
            known.extend(
                files
                    .filter_map(|file| file.strip_suffix(".rs"))
                    .map(|file| file.strip_suffix("/main").unwrap_or(file).to_owned()),
            );
        }
        if packages
            .iter()
            .any(|package| self.view.may_change(&format!("{}/Cargo.toml", package.directory)))
            || name.contains('*')
        {
            return GroundingState::Uncheckable;
        }
        known.retain(|name| !name.contains('/'));
        let hint = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!(
                "list {}/{name}.rs in `files` of the task that creates it",
                target.directory
            ),
        };
        GroundingState::Missing { hint }
    }

    fn cargo_packages(&self) -> Vec<CargoPackage> {
        let manifests = self.view.tree.named("Cargo.toml").filter_map(|path| {
            let manifest = parse_toml_manifest(&self.view.text(path)?)?;
            let name = manifest["package"]["name"].as_str()?.to_owned();
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
            Some(CargoPackage { name, directory, manifest })
        });
        manifests.collect()
    }
}
