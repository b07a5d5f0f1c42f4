//! Tools in the home directory or another private directory: workers and checks need them, and nothing else from
//! there.

use std::fs;
use std::path::{Path, PathBuf};

/// Where toolchains are installed below a home directory.
const HOMES: &[&str] = &[
    ".cargo",
    ".rustup",
    ".nvm",
    ".fnm",
    ".local/share/fnm",
    ".volta",
    ".bun",
    ".deno",
    ".npm",
    ".local/share/pnpm",
    ".pyenv",
    ".local/lib",
    ".local/share/uv",
    ".rbenv",
    ".rvm",
    ".asdf",
    ".local/share/mise",
    ".sdkman",
    ".m2",
    ".gradle",
    "go",
];
/// Files in those directories that hold secrets.
const SECRETS: &[&str] = &[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
];
/// How many entries of a directory of programs are examined.
const MAX_ENTRIES: usize = 2_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HomeTools {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
}

/// The tools on this search path.
pub(crate) fn below(home: Option<&Path>, path: &str) -> HomeTools {
    let mut tools = HomeTools::default();
    if let Some(home) = home {
        tools.readable.extend(HOMES.iter().map(|place| home.join(place)));
        tools.hidden.extend(SECRETS.iter().map(|place| home.join(place)));
    }
    for directory in path.split(':').map(Path::new).filter(|directory| is_private(directory)) {
        tools.readable.push(directory.to_owned());
        tools.readable.extend(around(directory, home));
        let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_ENTRIES);
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let targets = links.filter_map(|link| link.path().canonicalize().ok());
        tools
            .readable
            .extend(targets.filter(|it| is_private(it)).filter_map(|it| package(&it, home)));
    }
    tools.readable.sort();
    tools.readable.dedup();
    tools
}

/// What one program needs, if it is named by its path.
pub(crate) fn of_program(home: Option<&Path>, program: &str) -> Vec<PathBuf> {
    let program = Path::new(program);
    if !is_private(program) {
        return Vec::new();
    }
    let target = program.canonicalize().ok();
    let package = target.and_then(|target| package(&target, home));
    std::iter::once(program.to_owned()).chain(package).collect()
}

/// Whether a path is outside of the system directories.
fn is_private(place: &Path) -> bool {
    let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap"];
    place.is_absolute() && !system.iter().any(|start| place.starts_with(start))
}

/// What a program needs besides itself: the packages it was installed with, or its own directory.
fn package(program: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let modules =
        program.ancestors().filter(|it| it.file_name().is_some_and(|name| name == "node_modules"));
    if let Some(outermost) = modules.last() {
        return Some(outermost.to_owned());
    }
    let directory = program.parent()?;
    Some(around(directory, home).unwrap_or_else(|| directory.to_owned()))
        .filter(|it| is_narrow(it, home))
}

/// `…/bin` belongs to its parent directory.
fn around(directory: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let is_bin = directory.file_name().is_some_and(|name| name == "bin");
    directory.parent().filter(|_| is_bin).filter(|it| is_narrow(it, home)).map(Path::to_owned)
}

/// A whole home directory, or a large part of it, is not a tool.
fn is_narrow(place: &Path, home: Option<&Path>) -> bool {
    let Some(home) = home else { return place.parent().is_some() };
    !home.starts_with(place) && place != home.join(".local") && place.parent().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(target: &Path, at: &Path) {
        std::os::unix::fs::symlink(target, at).expect("a link");
    }

    /// B22: the tools of a home directory can be used, and its keys cannot be read.
    #[test]
    fn tools_are_found_and_nothing_else() {
        let place = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
        let home = place.path().canonicalize().expect("a path");
        for directory in
            ["bin", ".local/bin", ".local/share/agent/1.2", "n/lib/node_modules/x", "n/bin"]
        {
            fs::create_dir_all(home.join(directory)).expect("directories");
        }
        for file in [".local/share/agent/1.2/agent", "n/lib/node_modules/x/cli.js"] {
            fs::write(home.join(file), "").expect("written");
        }
        link(&home.join(".local/share/agent/1.2/agent"), &home.join(".local/bin/agent"));
        link(&home.join("n/lib/node_modules/x/cli.js"), &home.join("n/bin/x"));
        let path = ["bin", ".local/bin", "n/bin"].map(|it| home.join(it).display().to_string());
        let tools = below(Some(&home), &path.join(":"));
        let has = |place: &str| tools.readable.contains(&home.join(place));
        for place in
            ["bin", ".local/bin", ".local/share/agent/1.2", "n", "n/lib/node_modules", ".cargo"]
        {
            assert!(has(place), "{place}: {:?}", tools.readable);
        }
        assert!(!has("") && !has(".local"), "{:?}", tools.readable);
        assert!(tools.hidden.contains(&home.join(".cargo/credentials.toml")));
    }

    #[test]
    fn system_places_need_nothing() {
        assert_eq!(below(None, "/usr/bin:/bin:relative"), HomeTools::default());
        assert!(of_program(None, "/bin/sh").is_empty());
    }
}
