//! Tools in the home directory or another private directory: workers and checks need them, and nothing else from
//! there.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::executor::sandbox::shim::{self, PathWord};

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
    ".local/share/nvm",
    ".nodenv",
    ".proto",
    ".yarn",
    ".config/yarn/global",
    ".local/share/pipx",
    ".local/pipx",
    ".tool-versions",
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
const MAX_ENTRIES: usize = 5_000;
/// Directories that are shared by many programs: none of them belongs to one tool.
const SHARED: &[&str] = &[
    ".local",
    ".local/share",
    ".local/state",
    ".config",
    ".cache",
    "Desktop",
    "Documents",
    "Downloads",
];
/// Directories that hold keys: nothing there is a tool.
const KEYS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".local/share/keyrings",
];

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HomeTools {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) hidden: Vec<PathBuf>,
}

/// Where programs are searched: the user's home directory, and the PATH.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolSearch<'a> {
    pub(crate) home: Option<&'a Path>,
    pub(crate) path: &'a str,
}

impl ToolSearch<'_> {
    /// The tools on the search path.
    pub(crate) fn on_path(&self) -> HomeTools {
        let mut tools = HomeTools::default();
        if let Some(home) = self.home {
            tools.readable.extend(HOMES.iter().map(|place| home.join(place)));
            tools.hidden.extend(SECRETS.iter().map(|place| home.join(place)));
        }
        for directory in self.path.split(':').map(Path::new).filter(|it| it.is_absolute()) {
            if self.is_private(directory) {
                tools.readable.push(directory.to_owned());
                tools.readable.extend(self.around(directory));
            }
            let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(MAX_ENTRIES);
            let links =
                entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
            for link in links.map(|entry| entry.path()) {
                let target = link.canonicalize().ok().filter(|target| self.is_private(target));
                let Some(package) = target.and_then(|target| self.package(&target)) else {
                    continue;
                };
                // A link may lead to its target by way of others.
                tools.readable.extend([link, package]);
            }
        }
        tools.readable.sort();
        tools.readable.dedup();
        tools
    }

    /// What a command line needs to start: its program, what that one starts, and scripts among its arguments.
    pub(crate) fn for_command(&self, command: &[String]) -> Vec<PathBuf> {
        let words = command.iter().enumerate();
        let mut programs: Vec<PathBuf> = words
            .filter(|(_, word)| !word.starts_with('-'))
            .filter_map(|(at, word)| match self.find(word) {
                Some(found) if at == 0 || is_program(&found) && word.contains('/') => Some(found),
                // `env NAME=VALUE program`
                Some(found) if command[0] == "env" => Some(found),
                _ => None,
            })
            .collect();
        let mut needed = Vec::new();
        let mut seen = BTreeSet::new();
        while let Some(program) = programs.pop() {
            if seen.len() == MAX_STARTED || !seen.insert(program.clone()) {
                continue;
            }
            let target = program.canonicalize().unwrap_or_else(|_| program.clone());
            programs.extend(self.started_by(&program, &target));
            needed.extend(self.package(&target).filter(|_| !self.holds_keys(&target)));
            needed.extend([program, target]);
        }
        needed.retain(|path| self.is_private(path) && !self.holds_keys(path));
        needed.sort();
        needed.dedup();
        needed
    }

    /// The path of a program: as a path, or by the search path.
    fn find(&self, word: &str) -> Option<PathBuf> {
        if word.contains('/') {
            return Some(PathBuf::from(word)).filter(|it| it.is_absolute() && it.is_file());
        }
        let places = self.path.split(':').map(|directory| Path::new(directory).join(word));
        places.filter(|place| place.is_absolute()).find(|place| place.is_file())
    }

    /// What a script starts, as far as its text says: its interpreter, and programs by their path.
    fn started_by(&self, script: &Path, target: &Path) -> Vec<PathBuf> {
        let text = shim::script_text(target).unwrap_or_default();
        let beside = [script, target].map(|path| path.parent().unwrap_or(Path::new("/")));
        let mut started: Vec<PathBuf> =
            shim::interpreter(&text).and_then(|word| self.find(word)).into_iter().collect();
        for word in shim::path_words(&text) {
            let found = match word {
                PathWord::Absolute(path) => vec![PathBuf::from(path)],
                PathWord::BelowHome(path) => {
                    self.home.map(|home| home.join(path)).into_iter().collect()
                }
                PathWord::BesideScript(path) => beside.iter().map(|it| it.join(path)).collect(),
            };
            started.extend(found.into_iter().filter(|path| is_program(path)));
        }
        started
    }

    /// Whether a path is outside of the system directories, or in the home directory.
    fn is_private(&self, place: &Path) -> bool {
        let system = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix", "/snap"];
        let in_home = self.home.is_some_and(|home| {
            place.starts_with(home) || home.canonicalize().is_ok_and(|home| place.starts_with(home))
        });
        in_home || place.is_absolute() && !system.iter().any(|start| place.starts_with(start))
    }

    /// What a program needs besides itself: the packages it was installed with, or its own directory.
    fn package(&self, program: &Path) -> Option<PathBuf> {
        let is_modules = |it: &&Path| it.file_name().is_some_and(|name| name == "node_modules");
        if let Some(outermost) = program.ancestors().filter(is_modules).last() {
            return Some(outermost.to_owned());
        }
        let directory = program.parent()?;
        Some(self.around(directory).unwrap_or_else(|| directory.to_owned()))
            .filter(|it| self.is_narrow(it))
    }

    /// `…/bin` belongs to its parent directory.
    fn around(&self, directory: &Path) -> Option<PathBuf> {
        let is_bin = directory.file_name().is_some_and(|name| name == "bin");
        directory.parent().filter(|_| is_bin).filter(|it| self.is_narrow(it)).map(Path::to_owned)
    }

    /// A whole home directory, or a large part of it, is not a tool.
    fn is_narrow(&self, place: &Path) -> bool {
        let Some(home) = self.home else { return place.parent().is_some() };
        let homes = [home.to_owned(), home.canonicalize().unwrap_or_else(|_| home.to_owned())];
        let is_shared = |home: &PathBuf| {
            home.starts_with(place) || SHARED.iter().any(|shared| home.join(shared) == place)
        };
        !homes.iter().any(is_shared) && place.parent().is_some() && place != Path::new("/tmp")
    }

    fn holds_keys(&self, place: &Path) -> bool {
        self.home.is_some_and(|home| KEYS.iter().any(|keys| place.starts_with(home.join(keys))))
    }
}

/// How many programs that start each other are followed.
const MAX_STARTED: usize = 20;

/// Whether a file can be started: it is executable, or a script that an interpreter is given.
fn is_program(path: &Path) -> bool {
    const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "ts", "py", "rb", "pl", "sh", "php", "jar"];
    let is_script =
        || path.extension().and_then(|it| it.to_str()).is_some_and(|name| SCRIPTS.contains(&name));
    path.metadata().is_ok_and(|found| {
        found.is_file() && (found.permissions().mode() & 0o111 != 0 || is_script())
    })
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
        let root = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
        let home = root.path().canonicalize().expect("a path");
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
        let path = path.join(":");
        let tools = ToolSearch { home: Some(&home), path: &path }.on_path();
        let has = |path: &str| tools.readable.contains(&home.join(path));
        for path in
            ["bin", ".local/bin", ".local/share/agent/1.2", "n", "n/lib/node_modules", ".cargo"]
        {
            assert!(has(path), "{path}: {:?}", tools.readable);
        }
        assert!(!has("") && !has(".local"), "{:?}", tools.readable);
        assert!(tools.hidden.contains(&home.join(".cargo/credentials.toml")));
    }

    #[test]
    fn system_places_need_nothing() {
        let search = ToolSearch { home: None, path: "/usr/bin:/bin:relative" };
        assert_eq!(search.on_path(), HomeTools::default());
        assert!(search.for_command(&["/bin/sh".to_owned()]).is_empty());
    }

    fn script(at: &Path, text: &str) {
        fs::create_dir_all(at.parent().expect("a parent")).expect("directories");
        fs::write(at, text).expect("written");
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).expect("executable");
    }

    /// B22: a program that is started by others brings all of them: interpreter, shim, script argument.
    #[test]
    fn what_a_program_starts_is_found() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
        let home = directory.path().canonicalize().expect("a path");
        // pipx: a link to a script whose interpreter is in the same environment, and a link itself.
        let venv = home.join("apps/venvs/aider");
        script(&home.join("python-3/bin/python3"), "");
        script(&venv.join("bin/aider"), &format!("#!{}/bin/python\nimport x\n", venv.display()));
        link(&home.join("python-3/bin/python3"), &venv.join("bin/python"));
        fs::create_dir_all(home.join("bin")).expect("directories");
        link(&venv.join("bin/aider"), &home.join("bin/aider"));
        // A wrapper by hand, and the script that an interpreter is given.
        script(&home.join("tools/agent/run"), "#!/bin/sh\n");
        script(
            &home.join("bin/wrapped"),
            "#!/bin/sh\nexec \"$HOME/tools/agent/run\" \"$@\"\ncat ~/.ssh/id\n",
        );
        script(&home.join(".ssh/id"), "secret");
        fs::create_dir_all(home.join("acp/dist")).expect("directories");
        fs::write(home.join("acp/dist/index.js"), "").expect("written");
        let path = home.join("bin").display().to_string();
        let search = ToolSearch { home: Some(&home), path: &path };
        let needs = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            search.for_command(&words)
        };
        let aider = needs(&["aider", "--yes"]);
        for path in ["bin/aider", "apps/venvs/aider", "python-3"] {
            assert!(aider.contains(&home.join(path)), "{path}: {aider:?}");
        }
        let wrapped = needs(&["env", "A=1", "wrapped"]);
        assert!(wrapped.contains(&home.join("tools/agent")), "{wrapped:?}");
        assert!(!wrapped.iter().any(|path| path.starts_with(home.join(".ssh"))), "{wrapped:?}");
        let index = home.join("acp/dist/index.js").display().to_string();
        let acp = needs(&["node", &index]);
        assert!(acp.contains(&home.join("acp/dist")), "{acp:?}");
    }
}
