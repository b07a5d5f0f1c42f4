//! Files worth reading first: entry points, settings, what most files import, instructions for contributors.

use std::collections::BTreeSet;

use super::facts::{KeyFile, PackageFacts};
use super::packages::PackageSurvey;
use super::{RepositoryFiles, paths, shown};

const MAX_KEY_FILES: usize = 14;
const MAX_ENTRY_POINTS: usize = 6;

/// Documents for contributors and agents, at the root.
const DOCUMENTS: &[(&str, &str)] = &[
    ("AGENTS.md", "instructions for agents"),
    ("CLAUDE.md", "instructions for agents"),
    (".github/copilot-instructions.md", "instructions for agents"),
    (".cursorrules", "instructions for agents"),
    ("ARCHITECTURE.md", "architecture"),
    ("docs/ARCHITECTURE.md", "architecture"),
    ("docs/architecture.md", "architecture"),
    ("CONTRIBUTING.md", "rules for contributors"),
    (".github/CONTRIBUTING.md", "rules for contributors"),
];
/// Entry points by their place in a package.
const ENTRY_POINTS: &[&str] = &[
    "src/main.rs",
    "src/lib.rs",
    "main.go",
    "manage.py",
    "main.py",
    "app.py",
    "app/main.py",
    "src/main.py",
    "__main__.py",
    "wsgi.py",
    "index.js",
    "index.ts",
    "src/index.ts",
    "src/index.js",
    "src/index.tsx",
    "src/main.ts",
    "src/main.tsx",
    "src/main.js",
    "src/app.ts",
    "src/server.ts",
    "server.js",
    "app.js",
    "src/App.tsx",
    "src/App.vue",
    "app/layout.tsx",
    "pages/_app.tsx",
    "main.c",
    "src/main.c",
    "main.cpp",
    "src/main.cpp",
    "src/main.cc",
    "Program.cs",
    "Startup.cs",
    "config/routes.rb",
    "config.ru",
    "artisan",
    "public/index.php",
    "bin/console",
    "routes/web.php",
    "src/Kernel.php",
];

pub(super) fn find_key_files(
    files: &dyn RepositoryFiles,
    survey: &PackageSurvey,
    imported: &[(String, u64)],
) -> Vec<KeyFile> {
    let mut found: Vec<KeyFile> = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |path: &str, role: String| {
        if known.insert(path.to_owned()) {
            found.push(KeyFile { path: shown::text(path), role });
        }
    };
    for (path, role) in DOCUMENTS {
        if files.bytes_of(path).is_some() {
            add(path, (*role).to_owned());
        }
    }
    for path in find_entry_points(files, survey).into_iter().take(MAX_ENTRY_POINTS) {
        add(&path, "entry point".to_owned());
    }
    for (path, _) in imported {
        add(path, "imported most".to_owned());
    }
    found.truncate(MAX_KEY_FILES);
    found
}

fn find_entry_points(files: &dyn RepositoryFiles, survey: &PackageSurvey) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for package in &survey.packages {
        let start = prefix(package);
        found.extend(ENTRY_POINTS.iter().map(|path| format!("{start}{path}")));
        let manifest = survey.manifests.get(&package.manifest);
        let named = manifest.into_iter().flat_map(|facts| &facts.entry_points);
        found.extend(named.map(|path| format!("{start}{path}")));
    }
    found.retain(|path| files.bytes_of(path).is_some());
    // Programs with a directory each, and classes that start an application.
    let all = files.files().iter().map(|file| file.path.as_str());
    found.extend(all.filter(|path| is_program(path)).map(str::to_owned));
    found.retain(|path| {
        !paths::is_test(path) && !paths::is_example(path) && paths::foreign_part(path).is_none()
    });
    // Programs are read before libraries.
    found.sort_by_key(|path| path.ends_with("lib.rs") || path.contains("index."));
    let mut seen = BTreeSet::new();
    found.retain(|path| seen.insert(path.clone()));
    found
}

fn is_program(path: &str) -> bool {
    let name = paths::file_name(path);
    let in_commands = path.starts_with("cmd/") || path.contains("/cmd/");
    let is_class = name.ends_with("Application.java") || name.ends_with("Application.kt");
    name == "main.go" && in_commands
        || is_class
        || matches!(name, "Main.java" | "Main.kt" | "Program.cs" | "__main__.py")
        || path.starts_with("src/bin/") && path.strip_suffix(".rs").is_some()
}

fn prefix(package: &PackageFacts) -> String {
    if package.directory == "." { String::new() } else { format!("{}/", package.directory) }
}
