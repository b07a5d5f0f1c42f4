//! The paths that would provide a missing thing, the closest first.

use afresh_core::pattern::FilePattern;

use crate::command::ReadCommand;
use crate::missing::{MissingKind, MissingThing};

/// A path that a task may declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WantedPath {
    /// From the root of the repository; a file, or a directory with anything in it.
    At(FilePattern),
    /// In any directory; between two slashes.
    Ending(String),
}

impl WantedPath {
    fn at(path: &str) -> Option<Self> {
        FilePattern::new(path).ok().map(Self::At)
    }

    fn ending(end: &str) -> Self {
        Self::Ending(format!("/{end}/"))
    }

    /// Whether a task that declares this pattern may write it.
    pub(super) fn fits(&self, pattern: &FilePattern) -> bool {
        match self {
            Self::At(path) => path.overlaps(pattern),
            Self::Ending(end) => has_ending(pattern, end),
        }
    }
}

/// Whether the pattern names a path with this end, or one below a directory with this end.
fn has_ending(pattern: &FilePattern, end: &str) -> bool {
    let bare = end.trim_matches('/');
    if let Some(path) = pattern.literal() {
        return path == bare
            || path.starts_with(&end[1..])
            || path.ends_with(&end[..end.len() - 1])
            || path.contains(end);
    }
    let start = pattern.fixed_start();
    let directory = start.rsplit_once('/').map_or("", |(directory, _)| directory);
    pattern.matches(bare)
        || pattern.matches(format!("{directory}/{bare}").trim_start_matches('/'))
        || format!("/{directory}/").contains(end)
}

const SCRIPT_ENDINGS: [&str; 9] = ["js", "ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts", "json"];
const PYTHON_MANIFESTS: [&str; 6] = [
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "requirements-dev.txt",
    "Pipfile",
];

pub(super) fn wanted_paths(missing: &MissingThing, command: &ReadCommand) -> Vec<WantedPath> {
    let name = missing.name.as_str();
    match missing.kind {
        MissingKind::File | MissingKind::NotExecutable => file_paths(name, command),
        MissingKind::Configuration => configuration_paths(name, command),
        MissingKind::Test => test_paths(name, command),
        MissingKind::Program => program_paths(name),
        MissingKind::Script => endings(["package.json"]),
        MissingKind::NpmWorkspace => directory_paths(name, "package.json"),
        MissingKind::MakeTarget => make_paths(name, command),
        MissingKind::CargoTest => cargo_paths(name, &["tests"]),
        MissingKind::CargoBin => cargo_paths(name, &["src/bin"]),
        MissingKind::CargoExample => cargo_paths(name, &["examples"]),
        MissingKind::CargoBench => cargo_paths(name, &["benches"]),
        MissingKind::CargoPackage => directory_paths(name, "Cargo.toml"),
        MissingKind::CargoFeature => endings(["Cargo.toml"]),
        MissingKind::PythonModule => python_paths(name),
        MissingKind::JavascriptModule => javascript_paths(missing, command),
        MissingKind::RustModule => rust_paths(missing),
        MissingKind::GoPackage => go_paths(name),
        MissingKind::JavaClass => java_paths(name),
        MissingKind::MavenModule => directory_paths(name, "pom.xml"),
    }
}

/// Where a missing file may be, from the root of the repository; none if it is no file, or has an absolute path.
pub(crate) fn file_places(missing: &MissingThing, command: &ReadCommand) -> Vec<String> {
    let is_file = matches!(missing.kind, MissingKind::File | MissingKind::Configuration);
    let name = missing.name.split("::").next().unwrap_or_default();
    if !is_file || name.starts_with('/') {
        return Vec::new();
    }
    let directories = command.calls.iter().filter_map(|call| call.directory.as_deref());
    directories.chain([""]).filter_map(|directory| join_path(directory, name)).collect()
}

fn endings<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<WantedPath> {
    paths.into_iter().map(WantedPath::ending).collect()
}

/// The path as it is written, from every directory that the command enters, and each end of an absolute one.
fn file_paths(name: &str, command: &ReadCommand) -> Vec<WantedPath> {
    let name =
        name.split("::").next().unwrap_or(name).trim_end_matches("/...").trim_end_matches('/');
    if name.starts_with('/') {
        let ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        return ends.filter_map(WantedPath::at).chain(built_paths(name)).collect();
    }
    let mut directories: Vec<&str> =
        command.calls.iter().filter_map(|call| call.directory.as_deref()).collect();
    directories.push("");
    directories.dedup();
    let joined = directories.iter().filter_map(|directory| join_path(directory, name));
    let mut paths: Vec<WantedPath> = joined.filter_map(|path| WantedPath::at(&path)).collect();
    if name.starts_with("../") {
        paths.push(WantedPath::ending(name.trim_start_matches("../")));
    }
    paths.extend(built_paths(name));
    paths
}

/// What a build makes: `target/debug/greet` of `src/bin/greet.rs`, `dist/cli.js` of `src/cli.ts`.
fn built_paths(name: &str) -> Vec<WantedPath> {
    let parts: Vec<&str> =
        name.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let is_built = parts
        .iter()
        .any(|part| matches!(*part, "target" | "dist" | "build" | "out" | "bin" | "lib"));
    let Some(stem) = parts.last().and_then(|last| last.split('.').next()).filter(|_| is_built)
    else {
        return Vec::new();
    };
    let mut paths = cargo_paths(stem, &["src/bin"]);
    if parts.contains(&"target") {
        paths.extend(endings(["src/main.rs"]));
    } else {
        let sources =
            SCRIPT_ENDINGS.iter().map(|ending| WantedPath::ending(&format!("{stem}.{ending}")));
        paths.extend(sources);
        paths.extend(endings(["package.json", "Makefile"]));
    }
    paths
}

/// One path from two; none if it leaves the root.
pub(crate) fn join_path(directory: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn configuration_paths(name: &str, command: &ReadCommand) -> Vec<WantedPath> {
    let mut paths = file_paths(name, command);
    let file = name.rsplit('/').next().unwrap_or(name);
    paths.push(WantedPath::ending(file));
    if file == "eslint.config.js" {
        paths.extend(endings([
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            "eslint.config.mts",
        ]));
        paths.extend(endings([".eslintrc.json", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.yml"]));
    }
    if file == "Makefile" {
        paths.extend(endings(["makefile", "GNUmakefile"]));
    }
    if matches!(file, "Cargo.lock" | "package-lock.json") {
        paths.extend(endings([if file == "Cargo.lock" { "Cargo.toml" } else { "package.json" }]));
    }
    paths
}

/// `tests/test_a.py::T::test_x`, or `tests.test_a.T.test_x` as unittest writes it.
fn test_paths(name: &str, command: &ReadCommand) -> Vec<WantedPath> {
    if name.contains("::") {
        return file_paths(name, command);
    }
    let parts: Vec<&str> = name.split('.').collect();
    let lengths = (1..=parts.len()).rev();
    lengths.map(|length| WantedPath::ending(&format!("{}.py", parts[..length].join("/")))).collect()
}

/// A file of that name, or what declares the programs of a package.
fn program_paths(name: &str) -> Vec<WantedPath> {
    let mut paths = vec![WantedPath::ending(name)];
    let scripts = ["sh", "py", "js", "rb", "pl"];
    paths.extend(scripts.iter().map(|ending| WantedPath::ending(&format!("{name}.{ending}"))));
    paths.extend(cargo_paths(name, &["src/bin"]));
    paths.push(WantedPath::ending(&format!("cmd/{name}")));
    paths.extend(endings(["package.json"]));
    paths.extend(endings(PYTHON_MANIFESTS));
    paths
}

fn make_paths(name: &str, command: &ReadCommand) -> Vec<WantedPath> {
    let mut paths = file_paths(name, command);
    paths.extend(endings(["Makefile", "makefile", "GNUmakefile"]));
    paths
}

/// `tests/it.rs`, `tests/it/main.rs`, or a manifest that names the target.
fn cargo_paths(name: &str, directories: &[&str]) -> Vec<WantedPath> {
    // A pattern of targets: `--test 'it_*'`.
    let name = name.trim_matches(['*', '\'']);
    let mut paths = Vec::new();
    for directory in directories {
        paths.push(WantedPath::ending(&format!("{directory}/{name}.rs")));
        paths.push(WantedPath::ending(&format!("{directory}/{name}")));
    }
    paths.extend(endings(["Cargo.toml"]));
    paths
}

/// A package in a directory of its name, or of the last part of it; else what lists the packages.
fn directory_paths(name: &str, manifest: &str) -> Vec<WantedPath> {
    let name = name.rsplit('/').next().unwrap_or(name);
    let mut names = vec![name];
    names.extend(name.match_indices('-').map(|(at, _)| &name[at + 1..]));
    let mut paths: Vec<WantedPath> = names.into_iter().map(WantedPath::ending).collect();
    paths.push(WantedPath::ending(manifest));
    paths
}

/// `app.greet` is `app/greet.py` or `app/greet/__init__.py`, in any directory.
fn python_paths(name: &str) -> Vec<WantedPath> {
    let path = name.trim_end_matches(".py").replace('.', "/");
    let mut paths = vec![WantedPath::ending(&format!("{path}.py")), WantedPath::ending(&path)];
    paths.extend(endings(PYTHON_MANIFESTS));
    paths
}

fn javascript_paths(missing: &MissingThing, command: &ReadCommand) -> Vec<WantedPath> {
    let name = missing.name.as_str();
    let importer = missing.from.as_deref().map(|from| from.trim_start_matches("file://"));
    if name.starts_with("./") || name.starts_with("../") || name == "." || name == ".." {
        let from =
            importer.and_then(|from| from.rsplit_once('/')).map_or("", |(directory, _)| directory);
        let is_absolute = from.starts_with('/');
        let resolved =
            join_path(from, name).unwrap_or_else(|| name.trim_start_matches(['.', '/']).to_owned());
        let resolved = if is_absolute { format!("/{resolved}") } else { resolved };
        return script_paths(&resolved, command);
    }
    if name.starts_with('/') {
        return script_paths(name, command);
    }
    // An alias of the source directory.
    if let Some(rest) = name.strip_prefix("@/").or_else(|| name.strip_prefix("~/")) {
        let stem = script_stem(rest);
        let mut paths = vec![WantedPath::ending(rest)];
        paths.extend(
            SCRIPT_ENDINGS.iter().map(|ending| WantedPath::ending(&format!("{stem}.{ending}"))),
        );
        paths.push(WantedPath::ending(stem));
        return paths;
    }
    endings(["package.json"])
}

/// The file itself, with any ending, or the index of a directory.
fn script_paths(path: &str, command: &ReadCommand) -> Vec<WantedPath> {
    let stem = script_stem(path);
    let mut paths = file_paths(path, command);
    for ending in SCRIPT_ENDINGS {
        paths.extend(file_paths(&format!("{stem}.{ending}"), command));
    }
    paths.extend(file_paths(&format!("{stem}/index.js"), command));
    paths.extend(file_paths(&format!("{stem}/index.ts"), command));
    paths
}

fn script_stem(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, ending)) if SCRIPT_ENDINGS.contains(&ending) => stem,
        _ => path,
    }
}

/// `demo::greet` is `greet.rs` or `greet/mod.rs`, in any directory; a crate is a directory.
fn rust_paths(missing: &MissingThing) -> Vec<WantedPath> {
    let parts: Vec<&str> = missing.name.split("::").collect();
    // The first part is the crate, which exists.
    let modules = if parts.len() > 1 { &parts[1..] } else { &parts[..] };
    let is_crate = parts.len() == 1 && !missing.from.as_deref().is_some_and(str::is_empty);
    let mut paths: Vec<WantedPath> =
        modules.iter().map(|module| WantedPath::ending(&format!("{module}.rs"))).collect();
    paths.extend(modules.iter().map(|module| WantedPath::ending(&format!("{module}/mod.rs"))));
    if is_crate {
        paths.push(WantedPath::ending(&format!("{}/Cargo.toml", parts[0].replace('_', "-"))));
        paths.push(WantedPath::ending(&format!("{}/Cargo.toml", parts[0])));
    }
    paths
}

/// The import path of a package ends with its directory.
fn go_paths(name: &str) -> Vec<WantedPath> {
    let ends = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
    let mut paths: Vec<WantedPath> =
        [name].into_iter().chain(ends).filter_map(WantedPath::at).collect();
    // A package of another module has a domain in its name.
    if name.split('/').next().is_some_and(|first| first.contains('.')) {
        paths.extend(endings(["go.mod"]));
    }
    paths
}

/// A class is a file of its name, a package a directory.
fn java_paths(name: &str) -> Vec<WantedPath> {
    let path = name.replace('.', "/");
    let files = ["java", "kt", "scala", "groovy"].map(|ending| format!("{path}.{ending}"));
    files.iter().chain([&path]).map(|path| WantedPath::ending(path)).collect()
}
