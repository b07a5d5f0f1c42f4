//! Languages with a standard build tool: cargo, go, gradle, maven, dotnet, zig, swift, …

use super::{ProjectCheck, ProjectDir, ProjectStack, build, lint, owned, test};

pub(super) fn stacks(place: &ProjectDir<'_>) -> Vec<ProjectStack> {
    [
        cargo(place),
        golang(place),
        gradle(place),
        maven(place),
        simple(place, "Scala (sbt)", &["build.sbt"], "sbt test", &["target/"]),
        dotnet(place),
        zig(place),
        swift(place),
        simple(place, "Haskell (stack)", &["stack.yaml"], "stack test", &[".stack-work/"]),
        simple(place, "OCaml (dune)", &["dune-project"], "dune test", &["_build/"]),
        cmake(place),
        meson(place),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn stack(name: &'static str, file: &str, checks: Vec<ProjectCheck>, keep: &[&str]) -> ProjectStack {
    ProjectStack { name, file: file.to_owned(), setup: Vec::new(), checks, keep: owned(keep) }
}

fn simple(
    place: &ProjectDir<'_>,
    name: &'static str,
    files: &[&str],
    command: &str,
    keep: &[&str],
) -> Option<ProjectStack> {
    Some(stack(name, place.first(files)?, vec![test(command)], keep))
}

fn cargo(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["Cargo.toml"])?;
    let locked = if place.has("Cargo.lock") { " --locked" } else { "" };
    let whole = if place.mentions(file, "[workspace]") { " --workspace" } else { "" };
    let checks = vec![
        test(format!("cargo test -q{whole}{locked}")),
        lint("cargo fmt --all --check"),
        lint(format!("cargo clippy -q{whole}{locked} --all-targets -- -D warnings")),
    ];
    Some(stack("Rust (cargo)", file, checks, &["target/"]))
}

fn golang(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["go.work", "go.mod"])?;
    // Outside of every module, `./...` matches nothing: the modules are those that go.work lists.
    let each = |verb: &str| {
        if place.has("go.mod") {
            format!("go {verb} ./...")
        } else {
            format!("go list -f '{{{{.Dir}}}}/...' -m | xargs go {verb}")
        }
    };
    let mut checks = vec![test(each("test")), build(each("build")), lint(each("vet"))];
    if place.first(&[".golangci.yml", ".golangci.yaml", ".golangci.toml"]).is_some() {
        checks.push(lint("golangci-lint run"));
    }
    Some(stack("Go", file, checks, &[]))
}

/// Without a daemon, because it would be killed with the check that started it.
fn gradle(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&[
        "settings.gradle.kts",
        "settings.gradle",
        "build.gradle.kts",
        "build.gradle",
    ])?;
    let program = if place.has("gradlew") { "./gradlew" } else { "gradle" };
    let checks = vec![
        test(format!("{program} --no-daemon -q test")),
        build(format!("{program} --no-daemon -q assemble")),
        lint(format!("{program} --no-daemon -q check")),
    ];
    Some(stack("Gradle", file, checks, &[".gradle/", "build/"]))
}

fn maven(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["pom.xml"])?;
    let program = if place.has("mvnw") { "./mvnw" } else { "mvn" };
    let checks =
        vec![test(format!("{program} -q -B test")), build(format!("{program} -q -B compile"))];
    Some(stack("Maven", file, checks, &["target/"]))
}

fn dotnet(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let solution = place.ending_in(&[".sln", ".slnx"]);
    let file = solution.clone().or_else(|| place.ending_in(&[".csproj", ".fsproj", ".vbproj"]))?;
    let mut checks = vec![build("dotnet build --nologo")];
    // A project without tests passes without executing any.
    if solution.is_some() || file.contains("Test") {
        checks.insert(0, test("dotnet test --nologo"));
    }
    let found = stack(".NET", &file, checks, &["bin/", "obj/"]);
    Some(ProjectStack { setup: owned(&["dotnet restore"]), ..found })
}

fn zig(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["build.zig"])?;
    let mut checks = vec![build("zig build")];
    if place.mentions(file, "\"test\"") {
        checks.insert(0, test("zig build test"));
    }
    Some(stack("Zig", file, checks, &[".zig-cache/", "zig-out/"]))
}

/// Libraries in other languages have a manifest for Swift too.
fn swift(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["Package.swift"])?;
    let is_swift =
        place.below("").any(|path| path.strip_suffix(".swift").is_some() && path != file);
    let is_alone = place.below("").all(|path| !path.contains('/'));
    (is_swift || is_alone).then(|| stack("Swift", file, vec![test("swift test")], &[".build/"]))
}

fn cmake(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["CMakeLists.txt"])?;
    let make = "cmake -S . -B build && cmake --build build";
    let mut checks = vec![build(make)];
    let text = place.text(file).to_ascii_lowercase();
    if text.contains("enable_testing") || text.contains("include(ctest)") {
        checks.insert(0, test(format!("{make} && ctest --test-dir build --output-on-failure")));
    }
    Some(stack("CMake", file, checks, &["build/"]))
}

fn meson(place: &ProjectDir<'_>) -> Option<ProjectStack> {
    let file = place.first(&["meson.build"])?;
    let set_up = "{ test -d build || meson setup build; }";
    let checks = vec![
        test(format!("{set_up} && meson test -C build")),
        build(format!("{set_up} && meson compile -C build")),
    ];
    Some(stack("Meson", file, checks, &["build/"]))
}
