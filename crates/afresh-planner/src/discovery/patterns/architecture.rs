//! Directories whose names say what they are for.

use std::collections::BTreeMap;

use crate::discovery::facts::ArchitectureHint;
use crate::discovery::languages::SourceLanguage;
use crate::discovery::sample::SourceFile;
use crate::discovery::{paths, shown};

const MAX_HINTS: usize = 10;

/// Names and what they mean, in most projects.
const MEANINGS: &[(&[&str], &str)] = &[
    (&["interfaces", "protocols", "ports", "contracts", "traits"], "interfaces"),
    (&["services", "service"], "business logic"),
    (&["domain", "entities"], "domain model"),
    (&["usecases", "use_cases", "use-cases", "application", "interactors"], "use cases"),
    (&["infrastructure", "infra", "adapters"], "infrastructure and adapters"),
    (&["repositories", "repository", "dao", "persistence"], "data access"),
    (&["models", "model"], "data models"),
    (&["schemas", "dto", "dtos"], "data shapes"),
    (&["controllers", "controller"], "request controllers"),
    (&["handlers", "handler"], "handlers"),
    (&["routes", "routers", "routing", "endpoints"], "routes"),
    (&["api", "rest", "graphql"], "API"),
    (&["middleware", "middlewares", "interceptors"], "middleware"),
    (&["views", "pages", "screens"], "views"),
    (&["components", "widgets"], "user interface components"),
    (&["hooks", "composables"], "user interface hooks"),
    (&["store", "stores", "state", "reducers"], "state and storage"),
    (&["commands", "cmd", "cli"], "commands"),
    (&["internal"], "packages that others cannot import"),
    (&["pkg"], "packages that others may import"),
    (&["core"], "core"),
    (&["plugins", "extensions", "addons"], "plugins"),
    (&["jobs", "workers", "tasks", "consumers"], "background jobs"),
    (&["events", "listeners", "subscribers"], "events"),
    (&["migrations", "migrate"], "database migrations"),
    (&["db", "database"], "database"),
    (&["config", "configs", "settings"], "configuration"),
    (&["errors", "exceptions", "error"], "error types"),
    (&["auth", "security"], "authentication"),
    (&["utils", "util", "helpers", "common", "shared"], "shared helpers"),
    (&["types"], "shared types"),
    (&["parser", "parsers", "lexer"], "parsing"),
    (&["include"], "public headers"),
    (&["features", "modules"], "one directory per feature"),
    (&["mailers"], "mail"),
    (&["policies"], "authorization rules"),
];

/// For each meaning the directory with the most files, those with most files first.
pub(in crate::discovery) fn find_architecture(sources: &[SourceFile<'_>]) -> Vec<ArchitectureHint> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for file in sources.iter().filter(|file| !file.is_test && !paths::is_example(file.path)) {
        let mut end = 0;
        for component in paths::directories(file.path) {
            end += component.len() + 1;
            // These two are words of Go.
            let is_foreign = matches!(component, "internal" | "Internal" | "pkg")
                && file.language != SourceLanguage::Go;
            if !is_foreign && meaning(component).is_some() {
                *counts.entry(&file.path[..end]).or_default() += 1;
            }
        }
    }
    let mut best: BTreeMap<&str, (&str, u64)> = BTreeMap::new();
    for (directory, files) in counts {
        let name = directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let Some(meaning) = meaning(name) else { continue };
        let known = best.entry(meaning).or_insert((directory, files));
        if files > known.1 {
            *known = (directory, files);
        }
    }
    let mut hints: Vec<ArchitectureHint> = best
        .into_iter()
        .map(|(meaning, (directory, files))| ArchitectureHint {
            directory: shown::text(directory),
            meaning: meaning.to_owned(),
            files,
        })
        .collect();
    hints.sort_by(|one, other| {
        other.files.cmp(&one.files).then_with(|| one.directory.cmp(&other.directory))
    });
    hints.truncate(MAX_HINTS);
    hints
}

fn meaning(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    MEANINGS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, meaning)| *meaning)
}
