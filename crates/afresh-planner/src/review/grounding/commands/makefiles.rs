//! Targets of make and recipes of just.

use afresh_core::plan::nearest;

use super::super::tree::PlannedPath;
use super::super::{GroundingState, ReferenceKind};
use super::arguments::{positionals, values};
use super::{CheckCommand, CheckReader, join};

const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];

impl CheckReader<'_, '_, '_> {
    pub(super) fn make_targets(&mut self, command: &CheckCommand) {
        let words = &command.words[1..];
        let valued = ["-C", "--directory", "-f", "--file", "--makefile", "-j", "-o", "-W", "-I"];
        let targets = positionals(words, &valued).into_iter().filter(|word| !word.contains('='));
        let targets: Vec<&str> =
            targets.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).collect();
        let given = values(words, &["-f", "--file", "--makefile"]).into_iter().next();
        let directory = values(words, &["-C", "--directory"]).into_iter().next().unwrap_or(".");
        let names = given.map_or_else(|| MAKEFILES.to_vec(), |file| vec![file]);
        self.targets_of(command, directory, &names, &targets);
    }

    pub(super) fn just_recipes(&mut self, command: &CheckCommand) {
        let words = &command.words[1..];
        let given = values(words, &["-f", "--justfile"]).into_iter().next();
        let directory =
            values(words, &["-d", "--working-directory"]).into_iter().next().unwrap_or(".");
        // What follows the recipe may be its arguments.
        let recipes = positionals(words, &["-f", "--justfile", "-d", "--working-directory"]);
        let recipes: Vec<&str> =
            recipes.into_iter().filter(|word| !word.contains('=')).take(1).collect();
        let names = given.map_or_else(|| JUSTFILES.to_vec(), |file| vec![file]);
        self.targets_of(command, directory, &names, &recipes);
    }

    fn targets_of(
        &mut self,
        command: &CheckCommand,
        directory: &str,
        names: &[&str],
        targets: &[&str],
    ) {
        let Some(directory) = command.whole_path(directory) else { return };
        let paths: Vec<String> = names.iter().filter_map(|name| join(&directory, name)).collect();
        let found = paths.iter().find(|path| self.view.has(path)).cloned();
        let Some(path) = found else {
            let path = paths.last().cloned().unwrap_or_default();
            let hint = self.absent_hint(&path);
            return self.missing(ReferenceKind::Path, &path, hint);
        };
        let text = self.view.text(&path);
        for target in targets.iter().filter(|target| !target.contains(['$', '*'])) {
            let state = self.target_state(&path, text.as_deref(), target, &directory);
            self.add(ReferenceKind::Target, target, state);
        }
    }

    fn target_state(
        &self,
        path: &str,
        text: Option<&str>,
        target: &str,
        directory: &str,
    ) -> GroundingState {
        let rules = text.map(RuleHeads::read).unwrap_or_default();
        if rules.has(target) {
            return GroundingState::Verified;
        }
        let is_file = join(directory, target)
            .is_some_and(|file| self.view.state(&file) == PlannedPath::Exists);
        let is_open = rules.names.is_empty() || rules.includes || rules.computes;
        if self.view.may_change(path) && self.view.mentions(target) {
            return GroundingState::Verified;
        }
        if is_file || is_open || self.view.may_change(path) {
            return GroundingState::Uncheckable;
        }
        let hint = match nearest(target, rules.names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("{path} has {}", rules.names.join(", ")),
        };
        GroundingState::Missing { hint }
    }
}

/// What the rules of a file make.
#[derive(Debug, Default)]
struct RuleHeads {
    names: Vec<String>,
    /// Whether other files have rules, too.
    includes: bool,
    /// Whether the name of a target is computed.
    computes: bool,
}

impl RuleHeads {
    fn read(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            let bare = line.trim_start();
            found.includes |= ["include ", "-include ", "sinclude ", "import ", "mod ", "!include"]
                .iter()
                .any(|word| bare.starts_with(word));
            if line.starts_with(['\t', ' ', '#']) {
                continue;
            }
            let Some((head, rest)) = line.split_once(':') else { continue };
            if rest.starts_with('=') || head.contains('=') {
                continue;
            }
            found.computes |= head.contains('$');
            // A recipe of just has its parameters in the head, and maybe a sign before it.
            let names = head.split_whitespace().map(|name| name.trim_start_matches('@'));
            let names = names
                .filter(|name| !name.starts_with('.') && !name.contains('$') && !name.is_empty());
            found.names.extend(names.map(str::to_owned));
        }
        found
    }

    fn has(&self, target: &str) -> bool {
        self.names.iter().any(|name| match name.split_once('%') {
            Some((front, end)) => {
                target.len() > front.len() + end.len()
                    && target.starts_with(front)
                    && target.ends_with(end)
            }
            None => name == target,
        })
    }
}
