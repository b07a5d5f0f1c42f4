//! From the text of an import to a file of the repository, as far as names alone tell.

use std::collections::{BTreeMap, BTreeSet};

use super::SampledText;
use super::imports::ImportTarget;
use crate::discovery::languages::SourceLanguage;
use crate::discovery::paths;
use crate::discovery::sample::SourceFile;

/// A file name that more files have says nothing.
const MAX_SAME_NAME: usize = 40;

/// The files that an import may name.
#[derive(Debug)]
pub(in crate::discovery) struct ImportResolver<'a> {
    files: BTreeSet<&'a str>,
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
    /// Directories that Python searches, with a slash at the end.
    python_roots: BTreeSet<&'a str>,
    /// Go modules by their path, with their directory.
    go_modules: Vec<(String, String)>,
}

impl<'a> ImportResolver<'a> {
    pub(in crate::discovery) fn new(
        sources: &[SourceFile<'a>],
        go_modules: Vec<(String, String)>,
    ) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in sources {
            by_name.entry(paths::file_name(file.path)).or_default().push(file.path);
        }
        let packages = by_name.get("__init__.py").into_iter().flatten();
        let packages: BTreeSet<&str> = packages.map(|path| paths::parent(path)).collect();
        // The directory above the topmost package.
        let roots = packages.iter().map(|directory| paths::parent(directory));
        let mut python_roots: BTreeSet<&str> =
            roots.filter(|root| !packages.contains(root)).collect();
        python_roots.insert("");
        Self {
            files: sources.iter().map(|file| file.path).collect(),
            by_name,
            python_roots,
            go_modules,
        }
    }

    pub(super) fn module_path(&self) -> Option<&str> {
        self.go_modules.first().map(|(module, _)| module.as_str())
    }

    /// Whether an import names a module of this repository.
    pub(super) fn is_own_module(&self, language: SourceLanguage, text: &str) -> bool {
        language == SourceLanguage::Python && !text.starts_with('.') && self.python(text).is_some()
    }

    /// The file that is imported; for Go the package's directory.
    pub(super) fn resolve(
        &self,
        from: &SampledText<'_>,
        target: &ImportTarget<'_>,
    ) -> Option<String> {
        let text = target.text;
        if target.is_system {
            // A library often includes its own public headers like those of others.
            return text.contains('/').then(|| self.by_suffix(text))?;
        }
        match from.language {
            SourceLanguage::Rust => self.rust(from.path, text),
            SourceLanguage::Python if text.starts_with('.') => {
                self.relative_python(from.path, text)
            }
            SourceLanguage::Python => self.python(text),
            SourceLanguage::JavaScript | SourceLanguage::TypeScript => self.script(from.path, text),
            SourceLanguage::Go => self.go(text),
            SourceLanguage::Java | SourceLanguage::Kotlin => {
                let path = text.replace('.', "/");
                ["java", "kt"].iter().find_map(|end| self.by_suffix(&format!("{path}.{end}")))
            }
            SourceLanguage::C | SourceLanguage::Cpp => {
                let beside = join(paths::parent(from.path), text);
                self.existing(beside?).or_else(|| self.by_suffix(text))
            }
            SourceLanguage::Ruby => {
                let beside = join(paths::parent(from.path), text).map(|path| format!("{path}.rb"));
                self.existing(beside?).or_else(|| self.by_suffix(&format!("lib/{text}.rb")))
            }
            SourceLanguage::Php => self.php(text),
            SourceLanguage::CSharp | SourceLanguage::Other(_) => None,
        }
    }

    fn existing(&self, path: String) -> Option<String> {
        self.files.contains(path.as_str()).then_some(path)
    }

    /// The only or the shortest path that ends like this.
    fn by_suffix(&self, suffix: &str) -> Option<String> {
        let suffix = suffix.trim_start_matches("../").trim_start_matches("./");
        let same = self.by_name.get(paths::file_name(suffix))?;
        if same.len() > MAX_SAME_NAME {
            return None;
        }
        let is_it = |path: &&&str| {
            path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let shortest = same.iter().filter(is_it).min_by_key(|path| (path.len(), **path));
        shortest.map(|path| (*path).to_owned())
    }

    /// `crate::a::b` in `x/src/…` is `x/src/a/b.rs`, `x/src/a.rs`, or one of these as a directory.
    fn rust(&self, from: &str, text: &str) -> Option<String> {
        let (start, _) = from.split_once("src/")?;
        let parts: Vec<&str> = text.strip_prefix("crate::")?.split("::").collect();
        (1..=parts.len().min(3)).rev().find_map(|length| {
            let path = format!("{start}src/{}", parts[..length].join("/"));
            self.existing(format!("{path}.rs")).or_else(|| self.existing(format!("{path}/mod.rs")))
        })
    }

    fn python(&self, text: &str) -> Option<String> {
        let path = text.replace('.', "/");
        self.python_roots.iter().find_map(|root| {
            let start = if root.is_empty() { String::new() } else { format!("{root}/") };
            self.python_file(&format!("{start}{path}"))
        })
    }

    fn python_file(&self, path: &str) -> Option<String> {
        self.existing(format!("{path}.py")).or_else(|| self.existing(format!("{path}/__init__.py")))
    }

    fn relative_python(&self, from: &str, text: &str) -> Option<String> {
        let name = text.trim_start_matches('.');
        let mut directory = paths::parent(from);
        for _ in 1..text.len() - name.len() {
            directory = paths::parent(directory);
        }
        if name.is_empty() {
            return self.existing(format!("{directory}/__init__.py"));
        }
        self.python_file(&format!("{directory}/{}", name.replace('.', "/")))
    }

    fn script(&self, from: &str, text: &str) -> Option<String> {
        let path = match text.strip_prefix("@/").or_else(|| text.strip_prefix("~/")) {
            Some(rest) => format!("src/{rest}"),
            None if text.starts_with('.') => join(paths::parent(from), text)?,
            None => return None,
        };
        if let Some(found) = self.existing(path.clone()) {
            return Some(found);
        }
        // TypeScript imports the file that it will be compiled to.
        let stem = path.strip_suffix(".js").or_else(|| path.strip_suffix(".mjs")).unwrap_or(&path);
        ["ts", "tsx", "js", "jsx", "mjs", "cjs", "vue", "svelte"].iter().find_map(|end| {
            let file = self.existing(format!("{stem}.{end}"));
            file.or_else(|| self.existing(format!("{stem}/index.{end}")))
        })
    }

    fn go(&self, text: &str) -> Option<String> {
        let modules = self.go_modules.iter();
        let inside = modules.filter_map(|(module, directory)| {
            let rest = text.strip_prefix(module.as_str())?.strip_prefix('/')?;
            Some(if directory.is_empty() { rest.to_owned() } else { format!("{directory}/{rest}") })
        });
        let packages = inside.map(|path| format!("{path}/"));
        let mut existing = packages.filter(|path| {
            self.files.range(path.as_str()..).next().is_some_and(|file| file.starts_with(path))
        });
        existing.next()
    }

    /// Namespaces end like directories: `App\Models\User` is `…/Models/User.php`.
    fn php(&self, text: &str) -> Option<String> {
        let parts: Vec<&str> = text.trim_start_matches('\\').split('\\').collect();
        let (class, above) = parts.split_last()?;
        let directory = above.last().filter(|_| above.len() > 1);
        let suffix =
            directory.map_or(format!("{class}.php"), |above| format!("{above}/{class}.php"));
        self.by_suffix(&suffix)
    }
}

/// A relative path from a directory, without `.` and `..`; none if it leaves the repository.
fn join(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}
