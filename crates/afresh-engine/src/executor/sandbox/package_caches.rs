//! Private, writable caches for package managers.
//!
//! Their caches in the home directory are read-only in a sandbox: whatever one job wrote there would be run by the
//! user's own builds later. So each job that can download gets its own caches below its temporary files, and those of
//! the user are read where the package manager allows it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::layout::text;

/// How many entries of the user's cache are linked.
const MAX_LINKS: usize = 20_000;
/// Files of Cargo's home that belong to one cache: locks, and a record of what was used when.
const OWN_FILES: &[&str] = &[".package-cache", ".package-cache-mutate", ".global-cache"];

/// The package managers whose caches the user has, and the caches of one job.
#[derive(Debug)]
pub(crate) struct PackageCaches<'a> {
    pub(crate) home: &'a Path,
    /// Where the job's own caches are.
    pub(crate) directory: PathBuf,
    /// The same as the job sees it.
    pub(crate) seen_as: PathBuf,
    /// The job's environment.
    pub(crate) environment: &'a BTreeMap<&'a str, &'a str>,
    /// What the job may write to anyway.
    pub(crate) writable: &'a [PathBuf],
}

impl PackageCaches<'_> {
    /// Creates the caches; returns the variables that make the package managers use them.
    pub(crate) fn create(&self) -> io::Result<Vec<(String, String)>> {
        let mut variables = Vec::new();
        let own = |name: &str| text(&self.seen_as.join(name));
        let kept = |place: &str| text(&self.home.join(place));
        let mut set = |name: &str, value: String| {
            if !self.environment.contains_key(name) {
                variables.push((name.to_owned(), value));
            }
        };
        if self.is_read_only(".npm") {
            set("npm_config_cache", own("npm"));
        }
        if self.is_read_only(".local/share/pnpm") {
            set("npm_config_store_dir", own("pnpm"));
        }
        if self.is_read_only(".yarn") {
            set("YARN_GLOBAL_FOLDER", own("yarn"));
        }
        if self.is_read_only(".bun") {
            set("BUN_INSTALL_CACHE_DIR", own("bun"));
        }
        if self.is_read_only(".gradle") {
            set("GRADLE_USER_HOME", own("gradle"));
            set("GRADLE_RO_DEP_CACHE", kept(".gradle/caches"));
        }
        if self.is_read_only(".m2") {
            let (own, kept) = (own("m2"), kept(".m2/repository"));
            let flags = format!("-Dmaven.repo.local={own} -Dmaven.repo.local.tail={kept}");
            set("MAVEN_ARGS", flags);
        }
        if self.is_read_only("go/pkg/mod") {
            set("GOMODCACHE", own("go"));
            // Read-only directories in it could not be removed with the job's temporary files.
            set("GOFLAGS", "-modcacherw".to_owned());
            let kept = kept("go/pkg/mod/cache/download");
            set("GOPROXY", format!("file://{kept},https://proxy.golang.org,direct"));
        }
        if self.is_read_only(".cargo") && !self.environment.contains_key("CARGO_HOME") {
            link_cargo_home(&self.home.join(".cargo"), &self.directory.join("cargo"))?;
            variables.push(("CARGO_HOME".to_owned(), own("cargo")));
        }
        Ok(variables)
    }

    /// Whether the user has this directory, and has not opened it or a part of it for writing.
    fn is_read_only(&self, place: &str) -> bool {
        let path = self.home.join(place);
        let is_open = |open: &PathBuf| path.starts_with(open) || open.starts_with(&path);
        path.is_dir() && !self.writable.iter().any(is_open)
    }
}

/// A home of Cargo's with everything that the user's has, to which packages can be added.
fn link_cargo_home(kept: &Path, own: &Path) -> io::Result<()> {
    let mut links = LinkTree { left: MAX_LINKS };
    let is_linked = |name: &OsStr| {
        name != "registry" && name != "git" && !OWN_FILES.iter().any(|own| name == *own)
    };
    links.link_entries(kept, own, &is_linked)?;
    // The index may stay read-only: Cargo goes on if it cannot store what it has read.
    links.link_below(&kept.join("registry/index"), &own.join("registry/index"), 0)?;
    // registry/cache/NAME/PACKAGE.crate, registry/src/NAME/PACKAGE, git/db/NAME, git/checkouts/NAME/REVISION
    for (part, depth) in
        [("registry/cache", 1), ("registry/src", 1), ("git/db", 0), ("git/checkouts", 1)]
    {
        links.link_below(&kept.join(part), &own.join(part), depth)?;
    }
    Ok(())
}

/// Directories with links to the entries of others.
struct LinkTree {
    left: usize,
}

impl LinkTree {
    /// Links the entries of directories at this depth.
    fn link_below(&mut self, kept: &Path, own: &Path, depth: usize) -> io::Result<()> {
        if depth == 0 {
            return self.link_entries(kept, own, &|_| true);
        }
        for entry in fs::read_dir(kept).into_iter().flatten().flatten() {
            self.link_below(&entry.path(), &own.join(entry.file_name()), depth - 1)?;
        }
        fs::create_dir_all(own)
    }

    fn link_entries(
        &mut self,
        kept: &Path,
        own: &Path,
        is_linked: &dyn Fn(&OsStr) -> bool,
    ) -> io::Result<()> {
        fs::create_dir_all(own)?;
        for entry in fs::read_dir(kept).into_iter().flatten().flatten() {
            if self.left == 0 {
                return Ok(());
            }
            if is_linked(&entry.file_name()) {
                self.left -= 1;
                symlink(entry.path(), own.join(entry.file_name()))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B22: packages can be added to the job's own caches, and the user's are never written to.
    #[test]
    fn caches_of_the_user_are_read_and_never_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let home = directory.path().join("home");
        for path in [".npm", ".cargo/bin", ".cargo/registry/cache/x", ".cargo/registry/src/x/a-1.0"]
        {
            fs::create_dir_all(home.join(path)).expect("directories");
        }
        for file in
            [".cargo/config.toml", ".cargo/.package-cache", ".cargo/registry/cache/x/a.crate"]
        {
            fs::write(home.join(file), "kept").expect("written");
        }
        let environment = BTreeMap::new();
        let caches = |writable: &[PathBuf], name: &str| {
            let caches = PackageCaches {
                home: &home,
                directory: directory.path().join(name),
                seen_as: "/tmp/packages".into(),
                environment: &environment,
                writable,
            };
            caches.create().expect("caches")
        };
        let variables = caches(&[], "one");
        let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["npm_config_cache", "CARGO_HOME"]);
        assert_eq!(variables[1].1, "/tmp/packages/cargo");
        let own = directory.path().join("one/cargo");
        for path in ["bin", "config.toml", "registry/cache/x/a.crate", "registry/src/x/a-1.0"] {
            assert!(own.join(path).exists(), "{path}");
        }
        assert!(!own.join(".package-cache").exists());
        fs::write(own.join("registry/cache/x/b.crate"), "new").expect("its own");
        assert!(!home.join(".cargo/registry/cache/x/b.crate").exists());
        let allowed = [home.join(".npm"), home.join(".cargo/registry")];
        assert_eq!(caches(&allowed, "two"), []);
    }
}
