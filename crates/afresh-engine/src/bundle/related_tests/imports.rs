//! What a source file imports, found line by line, without parsing any language.
//!
//! An import is only compared with files that exist or that a task lists, so a line that is read wrongly costs nothing.

use std::collections::BTreeSet;

/// The most lines of a file that are read, and the longest line in bytes.
const MAX_LINES: usize = 4_000;
const MAX_LINE_BYTES: usize = 1_000;
/// The most imports of one file.
const MAX_IMPORTS: usize = 400;

/// A file that a source file imports; paths are without extension.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SourceImport {
    /// From the root of the repository.
    At(String),
    /// How its path ends.
    Ending(String),
    /// A file of this directory, by how its path ends.
    Package(String),
    /// A module of a crate of Rust, by how its path ends.
    Module { krate: CrateName, path: String },
}

/// Which crate a module is in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CrateName {
    /// That of the importing file.
    Own,
    Named(String),
}

/// The imports of the file at `path`.
pub(super) fn find_imports(path: &str, text: &str) -> Vec<SourceImport> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let scan: fn(&str, &str, &mut ImportList) = match extension {
        "py" | "pyi" => scan_python,
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
            scan_script
        }
        "dart" => scan_dart,
        "rs" => scan_rust,
        "go" => scan_go,
        "java" | "kt" | "kts" | "scala" | "groovy" => scan_jvm,
        "rb" => scan_ruby,
        "php" => scan_php,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "m" | "mm" => scan_c,
        _ => return Vec::new(),
    };
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let mut found = ImportList::default();
    scan(directory, text, &mut found);
    found.0.into_iter().take(MAX_IMPORTS).collect()
}

#[derive(Default)]
struct ImportList(BTreeSet<SourceImport>);

impl ImportList {
    fn at(&mut self, directory: &str, relative: &str) {
        if let Some(path) = join(directory, relative) {
            self.add(SourceImport::At(without_extension(&path).to_owned()));
        }
    }

    fn ending(&mut self, path: &str) {
        let path = path.trim_matches('/');
        if is_path(path) {
            self.add(SourceImport::Ending(path.to_owned()));
        }
    }

    fn package(&mut self, path: &str) {
        if is_path(path) {
            self.add(SourceImport::Package(path.to_owned()));
        }
    }

    fn add(&mut self, import: SourceImport) {
        if self.0.len() < MAX_IMPORTS {
            self.0.insert(import);
        }
    }
}

fn is_path(path: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || "/_-.@+[]()$".contains(c);
    !path.is_empty() && path.len() <= 300 && path.chars().all(part) && !path.contains("..")
}

/// The lines that are worth reading, without the blanks around them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take(MAX_LINES).filter(|line| line.len() <= MAX_LINE_BYTES).map(str::trim)
}

/// `from a.b import c, d`, `import a.b as c, d`, `from . import x`, also over several lines.
fn scan_python(directory: &str, text: &str, found: &mut ImportList) {
    let mut open: Option<String> = None;
    for line in lines(text) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(module) = open.clone() {
            names_of(line, |name| python_module(directory, &module, Some(name), found));
            if line.contains(')') {
                open = None;
            }
        } else if let Some(rest) = line.strip_prefix("from ") {
            let Some((module, names)) = rest.split_once(" import") else { continue };
            let module = module.trim();
            python_module(directory, module, None, found);
            names_of(names, |name| python_module(directory, module, Some(name), found));
            open = (names.contains('(') && !names.contains(')')).then(|| module.to_owned());
        } else if let Some(rest) = line.strip_prefix("import ") {
            for module in rest.split(',') {
                let module = module.split_whitespace().next().unwrap_or_default();
                python_module(directory, module, None, found);
            }
        }
    }
}

/// The names of a list, without brackets and `as`.
fn names_of(list: &str, mut each: impl FnMut(&str)) {
    for name in list.split([',', '(', ')', '\\']) {
        if let Some(name) = name.split_whitespace().next().filter(|name| *name != "*") {
            each(name);
        }
    }
}

fn python_module(directory: &str, module: &str, name: Option<&str>, found: &mut ImportList) {
    let dots = module.len() - module.trim_start_matches('.').len();
    let mut path = module[dots..].replace('.', "/");
    if let Some(name) = name {
        path = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
    }
    if dots == 0 {
        found.ending(&path);
    } else if !path.is_empty() {
        // One dot is the directory itself.
        found.at(directory, &format!("{}{path}", "../".repeat(dots - 1)));
    }
}

/// `from './a'`, `import './a'`, `require('./a')`, `import('./a')`, `jest.mock('./a')`.
fn scan_script(directory: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        let imports = line.contains("import") || line.contains("from") || line.contains("require");
        if imports || line.contains("mock(") {
            for text in quoted(line) {
                script_import(directory, text, found);
            }
        }
    }
}

fn script_import(directory: &str, text: &str, found: &mut ImportList) {
    if text.starts_with("./") || text.starts_with("../") || text == "." || text == ".." {
        return found.at(directory, text);
    }
    // Aliases of the source directory.
    let alias = ["@/", "~/", "#/", "$lib/"].iter().find_map(|alias| text.strip_prefix(alias));
    match alias {
        Some(path) => found.ending(without_extension(path)),
        None if text.contains('/') && !text.starts_with('@') => {
            found.ending(without_extension(text));
        }
        None => {}
    }
}

/// `import 'package:app/src/a.dart';`
fn scan_dart(directory: &str, text: &str, found: &mut ImportList) {
    for line in lines(text).filter(|line| line.starts_with("import ") || line.starts_with("part "))
    {
        for text in quoted(line) {
            match text.strip_prefix("package:").and_then(|rest| rest.split_once('/')) {
                Some((_, path)) => found.ending(without_extension(path)),
                None => found.at(directory, text),
            }
        }
    }
}

/// `use crate::a::b;`, `use name::a::{b, c};`, `mod a;`
fn scan_rust(directory: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            found.at(directory, name.trim());
        } else if let Some(rest) = line.strip_prefix("use ") {
            let (start, items) = rest.split_once('{').unwrap_or((rest, ""));
            let start = start.trim_end_matches([';', ' ']);
            rust_module(start.trim_end_matches("::"), found);
            names_of(items.trim_end_matches([';', '}', ' ']), |item| {
                rust_module(&format!("{start}{}", item.trim_matches(['{', '}', ';'])), found);
            });
        }
    }
}

/// The end of a path may be an item of a module, so that each shorter path is one too.
fn rust_module(path: &str, found: &mut ImportList) {
    let mut parts = path.split("::").map(str::trim).filter(|part| !part.is_empty());
    let krate = match parts.next() {
        Some("crate" | "super" | "self") => CrateName::Own,
        Some(name) => CrateName::Named(name.to_owned()),
        None => return,
    };
    let mut path = String::new();
    let parts: Vec<&str> = parts.filter(|part| *part != "super" && *part != "*").collect();
    for part in &parts {
        path = if path.is_empty() { (*part).to_owned() } else { format!("{path}/{part}") };
        if is_path(&path) {
            found.add(SourceImport::Module { krate: krate.clone(), path: path.clone() });
        }
    }
    if parts.len() <= 1 {
        found.add(SourceImport::Module { krate, path: "lib".to_owned() });
    }
}

/// `import "module/pkg"`, alone or in brackets.
fn scan_go(_: &str, text: &str, found: &mut ImportList) {
    let mut is_open = false;
    for line in lines(text) {
        if line.starts_with("import (") {
            is_open = true;
        } else if is_open && line.starts_with(')') {
            is_open = false;
        } else if is_open || line.starts_with("import ") {
            quoted(line).for_each(|path| found.package(path));
        } else if line.starts_with("func ") {
            break;
        }
    }
}

/// `import a.b.C;`, `import static a.b.C.d;`, `import a.b.*;`
fn scan_jvm(_: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        let Some(rest) = line.strip_prefix("import ") else { continue };
        let rest = rest.strip_prefix("static ").unwrap_or(rest);
        let path = rest.split([';', ' ']).next().unwrap_or_default().replace('.', "/");
        if let Some(package) = path.strip_suffix("/*").or_else(|| path.strip_suffix("/_")) {
            found.package(package);
        } else {
            found.ending(&path);
        }
        if let Some((class, _)) = path.rsplit_once('/') {
            found.ending(class);
        }
    }
}

/// `require 'a/b'`, `require_relative '../a'`
fn scan_ruby(directory: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        if line.starts_with("require_relative") {
            quoted(line).for_each(|path| found.at(directory, path));
        } else if line.starts_with("require ") || line.starts_with("require(") {
            quoted(line).for_each(|path| found.ending(without_extension(path)));
        }
    }
}

/// `use App\Models\User;`, `require __DIR__ . '/../src/a.php';`
fn scan_php(_: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        if let Some(rest) = line.strip_prefix("use ") {
            let path = rest.split([';', ' ', '{']).next().unwrap_or_default().replace('\\', "/");
            // The first part is the namespace of the source directory.
            if let Some((_, path)) = path.trim_matches('/').split_once('/') {
                found.ending(path);
            }
        } else if line.contains("require") || line.contains("include") {
            for path in quoted(line).filter(|path| path.contains(".php")) {
                let path = path.rsplit("../").next().unwrap_or(path);
                found.ending(without_extension(path));
            }
        }
    }
}

/// `#include "a/b.h"`
fn scan_c(_: &str, text: &str, found: &mut ImportList) {
    for line in lines(text) {
        let Some(rest) = line.strip_prefix('#') else { continue };
        let rest = rest.trim_start();
        if rest.starts_with("include") || rest.starts_with("import") {
            for path in quoted(rest) {
                let path = path.rsplit("../").next().unwrap_or(path);
                found.ending(without_extension(path.trim_start_matches("./")));
            }
        }
    }
}

/// The texts in quotes of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(['"', '\'', '`'])?;
        let quote = rest[start..].chars().next()?;
        let inside = &rest[start + 1..];
        let end = inside.find(quote)?;
        rest = &inside[end + 1..];
        Some(&inside[..end])
    })
}

/// A relative path from a directory; none if it leaves the repository.
fn join(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    let path = parts.join("/");
    is_path(&path).then_some(path)
}

/// Extensions that imports may leave out.
const SOURCE_EXTENSIONS: &[&str] = &[
    "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "py", "rs", "rb", "php",
    "dart", "h", "hh", "hpp", "c", "cc", "cpp", "cxx",
];

fn without_extension(path: &str) -> &str {
    match path.rsplit_once('.') {
        Some((stem, extension)) if SOURCE_EXTENSIONS.contains(&extension) => stem,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(path: &str, text: &str) -> Vec<String> {
        let describe = |import: SourceImport| match import {
            SourceImport::At(path) => format!("={path}"),
            SourceImport::Ending(path) => path,
            SourceImport::Package(path) => format!("{path}/"),
            SourceImport::Module { krate: CrateName::Own, path } => format!("crate {path}"),
            SourceImport::Module { krate: CrateName::Named(name), path } => {
                format!("{name} {path}")
            }
        };
        find_imports(path, text).into_iter().map(describe).collect()
    }

    /// TR-08: imports of each language, by plain lines.
    #[test]
    fn imports_are_found_line_by_line() {
        let rows: &[(&str, &str, &[&str])] = &[
            (
                "tests/t.py",
                "import a.b as c, d\nfrom x.y import z  # w",
                &["a/b", "d", "x/y", "x/y/z"],
            ),
            (
                "pkg/t/t.py",
                "from . import a\nfrom ..b import c",
                &["=pkg/b", "=pkg/b/c", "=pkg/t/a"],
            ),
            (
                "t.py",
                "from a import (\n    b,\n    c as d,\n)\nimport e",
                &["a", "a/b", "a/c", "e"],
            ),
            (
                "src/a/t.test.ts",
                "import { x } from '../b';\nimport './c.js';",
                &["=src/a/c", "=src/b"],
            ),
            ("t.js", "const a = require(\"./lib/a\");\njest.mock('./m');", &["=lib/a", "=m"]),
            ("t.ts", "import x from '@/store/user';\nimport r from 'react';", &["store/user"]),
            ("tests/t.rs", "use my_app::greet::hello;", &["my_app greet", "my_app greet/hello"]),
            (
                "src/t.rs",
                "use crate::{a, b::c};",
                &["crate a", "crate b", "crate b/c", "crate lib"],
            ),
            ("src/t.rs", "mod helper;", &["=src/helper"]),
            (
                "a/a_test.go",
                "import (\n\t\"fmt\"\n\tx \"m.org/app/pkg/b\"\n)",
                &["fmt/", "m.org/app/pkg/b/"],
            ),
            (
                "T.java",
                "import org.app.Greeter;\nimport org.app.*;",
                &["org/app", "org/app/Greeter", "org/app/"],
            ),
            (
                "spec/t_spec.rb",
                "require 'app/a'\nrequire_relative '../lib/b'",
                &["=lib/b", "app/a"],
            ),
            (
                "tests/T.php",
                "use App\\Models\\User;\nrequire __DIR__ . '/../src/a.php';",
                &["Models/User", "src/a"],
            ),
            ("test/t.cc", "#include \"lib/a.h\"\n# include <vector>", &["lib/a"]),
            ("test/t.dart", "import 'package:app/src/a.dart';", &["src/a"]),
            ("t.txt", "import a", &[]),
        ];
        for (path, text, expected) in rows {
            assert_eq!(imports(path, text), *expected, "{path}: {text}");
        }
    }

    /// TR-08: a hostile file costs no more than its limits.
    #[test]
    fn hostile_files_end() {
        for text in [
            "import \"",
            "from . import (",
            "use a::{",
            "'",
            "from ...... import x\n",
            "import ../../..\n",
        ] {
            for path in ["t.py", "t.ts", "t.rs", "t.go", "T.java", "t.rb", "t.php", "t.c", "t.dart"]
            {
                assert!(find_imports(path, &text.repeat(20_000)).len() <= MAX_IMPORTS);
            }
        }
        let many = (0..5_000).map(|n| format!("import m{n}\n")).collect::<Vec<_>>().concat();
        assert_eq!(find_imports("t.py", &many).len(), MAX_IMPORTS);
    }
}
