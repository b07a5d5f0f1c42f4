//! Detecting what a repository is built with from its files.

use afresh_formats::project::{self, CheckKind, FileListing, ProjectStack};

fn listing(files: &[(&str, &str)]) -> FileListing {
    let mut listing = FileListing::default();
    for (path, text) in files {
        listing.paths.insert((*path).to_owned());
        if project::needs_text(path) {
            listing.texts.insert((*path).to_owned(), (*text).to_owned());
        }
    }
    listing
}

/// One line per stack: name, file, setup, kept directories, and the checks with a letter for their
/// kind.
fn describe(files: &[(&str, &str)]) -> String {
    let line = |stack: &ProjectStack| {
        let checks: Vec<String> = stack
            .checks
            .iter()
            .map(|check| {
                let kind = match check.kind {
                    CheckKind::Test => 't',
                    CheckKind::Build => 'b',
                    CheckKind::Lint => 'l',
                };
                format!("{kind}:{}", check.command)
            })
            .collect();
        let ProjectStack { name, file, setup, keep, .. } = stack;
        format!("{name} [{file}] {} {} {}", setup.join(" ; "), keep.join(" "), checks.join(" ; "))
    };
    project::discover(&listing(files)).iter().map(line).collect::<Vec<_>>().join("\n")
}

const PACKAGE: &str = r#"{"scripts":{"test":"vitest run","lint":"eslint .","build":"vite build"},"devDependencies":{"vitest":"1"}}"#;

#[test]
fn the_stacks_that_people_use_are_found() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("cargo", &[("Cargo.toml", "[package]"), ("src/lib.rs", "")]),
        ("cargo workspace", &[("Cargo.toml", "[workspace]\nmembers = []"), ("Cargo.lock", "")]),
        ("npm", &[("package.json", PACKAGE), ("package-lock.json", "{}")]),
        ("npm without a lock file", &[("package.json", PACKAGE)]),
        ("pnpm", &[("package.json", PACKAGE), ("pnpm-lock.yaml", "")]),
        ("yarn 1", &[("package.json", PACKAGE), ("yarn.lock", "")]),
        ("yarn 4", &[("package.json", PACKAGE), ("yarn.lock", ""), (".yarnrc.yml", "")]),
        ("bun", &[("package.json", PACKAGE), ("bun.lock", "")]),
        (
            "no test",
            &[(
                "package.json",
                r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
            )],
        ),
        ("broken package.json", &[("package.json", "{")]),
        ("deno", &[("deno.json", r#"{"tasks":{"test":"deno test -A"}}"#)]),
        (
            "uv",
            &[
                ("pyproject.toml", "[project]\n[dependency-groups]\ndev=['pytest','ruff']"),
                ("uv.lock", ""),
            ],
        ),
        ("poetry", &[("pyproject.toml", "[tool.poetry]\npytest='*'"), ("poetry.lock", "")]),
        ("pip", &[("requirements.txt", "flask\n"), ("requirements-dev.txt", "pytest\n")]),
        ("unittest", &[("setup.py", ""), ("tests/test_a.py", "")]),
        ("python alone", &[("tox.ini", ""), ("test_a.py", "")]),
        ("go", &[("go.mod", "module x")]),
        ("gradle", &[("build.gradle.kts", ""), ("gradlew", "")]),
        ("maven", &[("pom.xml", "")]),
        ("dotnet", &[("App.sln", ""), ("App/App.csproj", "")]),
        ("mix", &[("mix.exs", "")]),
        ("rspec", &[("Gemfile", ""), ("spec/a_spec.rb", ""), (".rubocop.yml", "")]),
        ("rails", &[("Gemfile", ""), ("bin/rails", "")]),
        ("composer", &[("composer.json", "{}"), ("phpunit.xml.dist", "")]),
        ("zig", &[("build.zig", "b.step(\"test\", \"\")")]),
        ("cmake", &[("CMakeLists.txt", "project(x)\nenable_testing()")]),
        ("meson", &[("meson.build", "")]),
        ("swift", &[("Package.swift", "")]),
        ("flutter", &[("pubspec.yaml", "dependencies:\n  flutter:\n    sdk: flutter")]),
        ("make", &[("Makefile", "CC := gcc\nall: x\n\tcc\ntest lint: x\n\t./x\n.PHONY: test")]),
        ("just", &[("justfile", "check:\n  true\n")]),
        ("a Makefile around cargo", &[("Cargo.toml", ""), ("Makefile", "test:\n\tcargo test")]),
        ("two at once", &[("Cargo.toml", ""), ("package.json", PACKAGE), ("bun.lockb", "")]),
        (
            "in directories",
            &[("web/package.json", PACKAGE), ("web/yarn.lock", ""), ("api/go.mod", "")],
        ),
        ("a name that is no plain word", &[("a;rm -rf/go.mod", ""), ("-x/go.mod", "")]),
        ("nothing", &[("README.md", "")]),
    ];
    let described: Vec<String> = cases
        .iter()
        .map(|(name, files)| {
            format!(
                "{name}
{}",
                describe(files)
            )
        })
        .collect();
    insta::assert_snapshot!(described.join("\n\n"));
}

#[test]
fn kept_directories_that_are_not_ignored_are_reported() {
    let listing = listing(&[(".gitignore", "/target\nnode_modules/\n")]);
    let keep = ["target/", "web/node_modules/", ".venv/"].map(str::to_owned);
    assert_eq!(project::not_ignored(&listing, &keep), [".venv/"]);
}
