//! What the place and the name of a file say: test, vendored, generated, example.

/// Directories of other people's code.
const VENDORED: &[&str] = &[
    "node_modules",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "extern",
    "external",
    "deps",
    "Pods",
    "bower_components",
    "jspm_packages",
    ".yarn",
    "site-packages",
    ".venv",
    "venv",
];
/// Directories that programs write.
const GENERATED: &[&str] = &[
    "__generated__",
    "generated",
    "dist",
    "_generated",
    "generated-sources",
    "__snapshots__",
    "snapshots",
];
/// Directories of tests.
const TESTS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "specs",
    "e2e",
    "cypress",
    "testing",
    "Tests",
    "testsuite",
    "t",
];
/// Directories whose projects are no part of the product.
const EXAMPLES: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "fixtures",
    "__fixtures__",
    "fixture",
    "testdata",
    "test-data",
    "template",
    "templates",
    "playground",
    "corpus",
    "fuzz",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
];
/// Directories of sources.
const SOURCE_ROOTS: &[&str] = &["src", "lib", "app", "internal", "pkg"];
/// Tests only outside of a directory of sources.
const TESTS_OUTSIDE: &[&str] = &["spec", "specs", "t", "testing", "e2e"];
/// Ends of generated files.
const GENERATED_ENDS: &[&str] = &[
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.ts",
    "_pb.d.ts",
    ".min.js",
    ".min.css",
    ".bundle.js",
    ".g.dart",
    ".freezed.dart",
    ".g.cs",
    ".designer.cs",
    ".Designer.cs",
    ".generated.ts",
    ".generated.go",
    ".gen.go",
    ".gen.ts",
    "_generated.go",
    "_string.go",
    "zz_generated.deepcopy.go",
    ".snap",
];

/// Names that are only telling near the root: further down, people use them for their own modules.
const NEAR_ROOT: &[&str] = &["extern", "external", "deps", "dist", "snapshots"];
/// How deep those are telling, in components.
const MAX_NEAR: usize = 2;
/// Below these, names of directories are packages of a language.
const LANGUAGE_ROOTS: &[&str] = &["java", "kotlin", "scala"];

/// Why a file is not edited by hand, and the directory that says so; the file itself if its own name does.
pub(super) fn foreign_part(path: &str) -> Option<(&str, &'static str)> {
    for (depth, (above, component)) in prefixes(path).enumerate() {
        if LANGUAGE_ROOTS.contains(&component) {
            break;
        }
        let is_telling = depth < MAX_NEAR || !NEAR_ROOT.contains(&component) || is_test(above);
        if is_telling && VENDORED.contains(&component) {
            return Some((above, "vendored"));
        }
        if is_telling && GENERATED.contains(&component) {
            return Some((above, "generated"));
        }
    }
    GENERATED_ENDS.iter().any(|end| path.ends_with(end)).then_some((path, "generated"))
}

/// Every directory of a path with a slash at its end, and its last component.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, &str)> {
    path.match_indices('/').map(move |(end, _)| {
        let start = path[..end].rfind('/').map_or(0, |at| at + 1);
        (&path[..=end], &path[start..end])
    })
}

/// Whether a file belongs to an example, not to the product. Below a directory of sources, such a name is a module.
pub(super) fn is_example(path: &str) -> bool {
    let outside = directories(path).take_while(|name| !SOURCE_ROOTS.contains(name));
    outside.into_iter().any(|directory| EXAMPLES.contains(&directory))
}

/// Whether this is a test, by its directory or its name.
pub(super) fn is_test(path: &str) -> bool {
    test_directory(path).is_some() || is_test_name(path.rsplit('/').next().unwrap_or(path))
}

/// The part of the path up to its first directory of tests.
pub(super) fn test_directory(path: &str) -> Option<&str> {
    let mut is_source = false;
    for (above, component) in prefixes(path) {
        if LANGUAGE_ROOTS.contains(&component) {
            return None;
        }
        let is_project = component.ends_with(".Tests") || component.ends_with(".Test");
        let is_test =
            TESTS.contains(&component) && !(is_source && TESTS_OUTSIDE.contains(&component));
        if is_test || is_project {
            return Some(above);
        }
        is_source |= SOURCE_ROOTS.contains(&component);
    }
    None
}

/// The form of a test's name, such as `*_test.go`.
pub(super) fn test_name_form(name: &str) -> Option<String> {
    let (stem, end) = name.rsplit_once('.')?;
    let form = match end {
        "py" if stem.starts_with("test_") => "test_*.py".to_owned(),
        "py" | "go" | "rb" | "dart" | "exs" | "c" | "cc" | "cpp" | "rs"
            if stem.ends_with("_test") =>
        {
            format!("*_test.{end}")
        }
        "rb" if stem.ends_with("_spec") => "*_spec.rb".to_owned(),
        "c" | "cc" | "cpp" if stem.starts_with("test_") => format!("test_*.{end}"),
        "java" | "kt" | "cs" | "php" | "scala" | "swift" => {
            let ends = ["Tests", "Test", "IT", "Spec"];
            let word = ends.iter().find(|word| stem.len() > word.len() && stem.ends_with(*word))?;
            format!("*{word}.{end}")
        }
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "vue" | "svelte" => {
            let (_, kind) = stem.rsplit_once(['.', '-'])?;
            let dot = if stem.ends_with(&format!(".{kind}")) { '.' } else { '-' };
            matches!(kind, "test" | "spec" | "cy").then(|| format!("*{dot}{kind}.{end}"))?
        }
        _ => return None,
    };
    Some(form)
}

fn is_test_name(name: &str) -> bool {
    test_name_form(name).is_some()
}

/// The directories that a file is in, from the root.
pub(super) fn directories(path: &str) -> impl Iterator<Item = &str> {
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    above.split('/').filter(|part| !part.is_empty())
}

/// The directory that a file is in; empty for the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a file is below a directory; empty for the root.
pub(super) fn is_below(path: &str, directory: &str) -> bool {
    directory.is_empty() || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
}
