//! Packages of Go.

use super::super::tree::name_of;
use super::super::{GroundingState, ReferenceKind};
use super::arguments::{is_plain_path, positionals};
use super::{CheckCommand, CheckReader, join};

const VALUED: &[&str] = &[
    "-run",
    "-C",
    "-count",
    "-timeout",
    "-tags",
    "-bench",
    "-benchtime",
    "-p",
    "-o",
    "-coverprofile",
    "-parallel",
    "-cover",
    "-fuzz",
    "-fuzztime",
];

impl CheckReader<'_, '_, '_> {
    pub(super) fn go(&mut self, command: &CheckCommand) {
        let words = positionals(&command.words[1..], VALUED);
        let Some((&first, packages)) = words.split_first() else { return };
        if !matches!(first, "test" | "build" | "vet" | "run" | "install" | "list") {
            return;
        }
        let modules: Vec<&str> = self.view.tree.named("go.mod").collect();
        let is_planned = self.view.planned().any(|path| name_of(path) == "go.mod");
        if modules.is_empty() && !is_planned {
            let path = command.whole_path("go.mod").unwrap_or_default();
            let hint = self.absent_hint(&path);
            return self.missing(ReferenceKind::Path, &path, hint);
        }
        let texts: Vec<String> = modules.iter().filter_map(|path| self.view.text(path)).collect();
        let names: Vec<&str> = texts
            .iter()
            .filter_map(|text| text.lines().find_map(|line| line.trim().strip_prefix("module ")))
            .map(str::trim)
            .collect();
        // What follows the program of `go run` are its own arguments.
        let count = if first == "run" { 1 } else { packages.len() };
        for package in packages.iter().take(count) {
            self.go_package(command, package, &names);
        }
    }

    fn go_package(&mut self, command: &CheckCommand, package: &str, modules: &[&str]) {
        if is_plain_path(package) {
            return self.file(command, package);
        }
        let own = modules.iter().find_map(|module| {
            package.strip_prefix(module).filter(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let bare = package.trim_end_matches("...").trim_end_matches('/');
        let directory = match own {
            Some(rest) => join("", rest.trim_end_matches("...").trim_end_matches('/')),
            None if package.starts_with('.') => command.whole_path(bare),
            // A package of others, or of the language.
            None => return self.add(ReferenceKind::Package, package, GroundingState::Uncheckable),
        };
        let Some(directory) = directory.filter(|directory| !directory.is_empty()) else { return };
        let front = format!("{directory}/");
        let is_whole = package.ends_with("...");
        let holds = |path: &str| {
            path.strip_prefix(&front)
                .is_some_and(|rest| is_go(rest) && (is_whole || !rest.contains('/')))
        };
        let is_there = self.view.tree.files().any(holds)
            || self.view.planned().any(|path| {
                holds(path)
                    || path.starts_with(&front)
                    || front.starts_with(path) && path.ends_with('/')
            });
        let state = if is_there {
            GroundingState::Verified
        } else {
            let known = self
                .view
                .tree
                .files()
                .filter(|path| is_go(path))
                .filter_map(|path| path.rsplit_once('/'));
            let known: std::collections::BTreeSet<&str> =
                known.map(|(directory, _)| directory).collect();
            let hint = match afresh_core::plan::nearest(&directory, known.into_iter()) {
                Some(near) => format!("did you mean ./{near}?"),
                None => "list its files in `files` of the task that creates it".to_owned(),
            };
            GroundingState::Missing { hint }
        };
        self.add(ReferenceKind::Package, package, state);
    }
}

fn is_go(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "go")
}
