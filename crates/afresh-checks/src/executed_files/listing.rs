//! Whether a file is among those that a runner lists as executed.

use crate::runners::{TestReport, TestRunner};

/// Whether the report leaves open that a file was executed. In doubt, yes.
pub(super) fn may_list(report: &TestReport, path: &str) -> bool {
    let mut listed = report.listed.iter().map(String::as_str);
    if report.listed.is_empty() {
        return true;
    }
    match report.runner {
        TestRunner::Go => listed.any(|package| is_package_of(package, path)),
        TestRunner::Nextest => listed.any(|binary| is_binary_of(binary, path)),
        TestRunner::Junit => may_be_in_classes(report, path),
        TestRunner::Unittest | TestRunner::Maven => listed.any(|module| is_class_of(module, path)),
        _ => listed.any(|file| is_same_file(file, path)),
    }
}

/// Either may be relative to a directory inside of the repository.
fn is_same_file(listed: &str, path: &str) -> bool {
    let listed = listed.trim_start_matches("./").trim_start_matches("../");
    listed == path || path.ends_with(&format!("/{listed}")) || listed.ends_with(&format!("/{path}"))
}

/// The import path of a package ends with its directory.
fn is_package_of(package: &str, path: &str) -> bool {
    match path.rsplit_once('/') {
        Some((directory, _)) => package == directory || package.ends_with(&format!("/{directory}")),
        // The root of a module has a name of its own.
        None => true,
    }
}

/// `demo::it` is `tests/it.rs` or `tests/it/main.rs`.
fn is_binary_of(binary: &str, path: &str) -> bool {
    let stem = path.trim_end_matches("/main.rs").trim_end_matches(".rs");
    let stem = stem.rsplit('/').next().unwrap_or(stem);
    binary.rsplit("::").next() == Some(stem)
}

/// Some runners name files, some classes, some neither.
fn may_be_in_classes(report: &TestReport, path: &str) -> bool {
    let names = || report.listed.iter().filter(|name| name.contains(['/', '.']));
    names().next().is_none()
        || names().any(|name| is_same_file(name, path) || is_class_of(name, path))
}

/// `tests.test_sums.Sums` is in `tests/test_sums.py`; `com.acme.SumsTest` in `src/test/java/com/acme/SumsTest.java`.
fn is_class_of(class: &str, path: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem).replace('/', ".");
    let stem = format!(".{stem}.");
    let class = class.split(['$', ' ']).next().unwrap_or(class).replace('/', ".");
    // Classes within the file add parts at the end, source directories at the start.
    let mut rest = class.as_str();
    loop {
        if stem.ends_with(&format!(".{rest}."))
            || format!(".{rest}").ends_with(stem.trim_end_matches('.'))
        {
            return true;
        }
        match rest.rsplit_once('.') {
            Some((outer, _)) => rest = outer,
            None => return false,
        }
    }
}
