//! Tests and what they test, by their names.

use afresh_core::scope::looks_like_test;

/// Endings of files in which tests are written.
const TEST_EXTENSIONS: &[&str] = &[
    "py", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "rs", "go", "java", "kt", "kts",
    "scala", "groovy", "rb", "php", "c", "cc", "cpp", "cxx", "m", "mm", "cs", "fs", "swift",
    "dart", "ex", "exs", "erl", "lua", "pl", "t", "bats", "sh", "hs", "clj", "jl", "r", "R", "zig",
    "vue", "svelte",
];

/// Directories of data for tests, or of other people's code.
const OTHER_DIRECTORIES: &[&str] = &[
    "fixtures",
    "__fixtures__",
    "testdata",
    "__snapshots__",
    "snapshots",
    "golden",
    "__mocks__",
    "node_modules",
    "vendor",
    "third_party",
    "dist",
    "target",
];

/// Whether a file holds tests, by its name.
pub(super) fn is_test_source(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    TEST_EXTENSIONS.contains(&extension)
        && (looks_like_test(path) || matches!(stem, "tests" | "test"))
        && !directories.split('/').any(|one| OTHER_DIRECTORIES.contains(&one))
        && !matches!(stem, "__init__" | "conftest")
}

/// The name of what a test is about: `greet` of `test_greet.py`, `greet.spec.ts` and `GreetTest.java`.
pub(super) fn subject_of_test(path: &str) -> Option<String> {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (mut stem, _) = name.rsplit_once('.')?;
    for end in [
        ".test",
        ".spec",
        ".cy",
        ".e2e",
        ".unit",
        ".integration",
        "_test",
        "_tests",
        "_spec",
        "-test",
        "-spec",
    ] {
        stem = stem.strip_suffix(end).unwrap_or(stem);
    }
    for end in ["Tests", "Test", "Spec", "IT"] {
        stem = stem.strip_suffix(end).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    for start in ["test_", "test-", "spec_"] {
        stem = stem.strip_prefix(start).unwrap_or(stem);
    }
    // `src/greet/tests.rs`, `src/greet/index.test.ts`
    if matches!(stem, "tests" | "test" | "index" | "mod") {
        stem = directories.rsplit('/').find(|one| !is_test_directory(one))?;
    }
    (!stem.is_empty()).then(|| fold(stem))
}

/// The name by which a test would be named after this file.
pub(super) fn name_of_source(path: &str) -> Option<String> {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    let stem = match stem {
        "index" | "mod" | "__init__" => directories.rsplit('/').next()?,
        // As many as there are programs.
        "main" | "lib" | "package" | "README" => return None,
        _ => name.rsplit_once('.').map_or(stem, |(stem, _)| stem),
    };
    (!stem.is_empty()).then(|| fold(stem))
}

fn is_test_directory(name: &str) -> bool {
    matches!(name, "test" | "tests" | "__tests__" | "spec" | "specs")
}

/// `GreetService`, `greet_service` and `greet-service` are one name.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

/// How many directories two paths have in common, wherever tests are kept.
pub(super) fn shared_directories(one: &str, other: &str) -> usize {
    let directories = |path: &str| -> Vec<String> {
        let (directories, _) = path.rsplit_once('/').unwrap_or(("", path));
        let kept =
            |one: &&str| !is_test_directory(one) && !matches!(*one, "src" | "lib" | "main" | "");
        directories.split('/').filter(kept).map(ToOwned::to_owned).collect()
    };
    let (one, other) = (directories(one), directories(other));
    one.iter().filter(|directory| other.contains(directory)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-08.
    #[test]
    fn tests_are_named_after_what_they_test() {
        for (test, source) in [
            ("tests/test_greet.py", "src/greet.py"),
            ("src/greet.test.ts", "src/greet.ts"),
            ("src/__tests__/greet.spec.tsx", "src/greet.tsx"),
            ("src/test/java/app/GreetServiceTest.java", "src/main/java/app/GreetService.java"),
            ("pkg/greet_test.go", "pkg/greet.go"),
            ("spec/models/greet_spec.rb", "app/models/greet.rb"),
            ("tests/greet.rs", "src/greet.rs"),
            ("src/greet/tests.rs", "src/greet/mod.rs"),
            ("src/greet/index.test.ts", "src/greet/index.ts"),
            ("tests/test_greet_service.py", "src/greet-service.js"),
            ("src/user.service.spec.ts", "src/user.service.ts"),
        ] {
            assert!(is_test_source(test), "{test}");
            assert_eq!(subject_of_test(test), name_of_source(source), "{test} {source}");
        }
    }

    #[test]
    fn data_and_sources_are_no_tests() {
        for path in [
            "src/greet.py",
            "tests/fixtures/greet.py",
            "tests/data.json",
            "node_modules/x/x.test.js",
            "tests/conftest.py",
            "tests/__init__.py",
            "src/attest.py",
            "tests",
        ] {
            assert!(!is_test_source(path), "{path}");
        }
    }
}
