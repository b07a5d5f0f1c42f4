//! Manifests of compiled languages.

use afresh_formats::project::parse_toml_manifest;
use serde_json::Value;

use super::{ManifestFacts, MemberPatterns, between, keys, named, quoted, requirement, texts};
use crate::discovery::shown;

pub(super) fn read_cargo(text: &str) -> ManifestFacts {
    let toml = parse_toml_manifest(text).unwrap_or_default();
    let package = &toml["package"];
    let shared = &toml["workspace"];
    let requires = [
        requirement("Rust edition", &package["edition"])
            .or_else(|| requirement("Rust edition", &shared["package"]["edition"])),
        requirement("Rust", &package["rust-version"])
            .or_else(|| requirement("Rust", &shared["package"]["rust-version"])),
    ];
    let members = shared.is_object().then(|| MemberPatterns {
        kind: "Cargo workspace",
        included: texts(&shared["members"]),
        excluded: texts(&shared["exclude"]),
    });
    let mut dependencies = keys(&toml["dependencies"]);
    if package.is_null() {
        dependencies.extend(foreign_crates(&shared["dependencies"]));
    }
    ManifestFacts {
        name: named(&package["name"]),
        requires: requires.into_iter().flatten().collect(),
        dependencies,
        development: keys(&toml["dev-dependencies"]),
        entry_points: Vec::new(),
        members,
    }
}

/// Dependencies that are not members themselves.
fn foreign_crates(table: &Value) -> Vec<String> {
    let all = table.as_object().into_iter().flatten();
    let foreign = all.filter(|(_, value)| value["path"].is_null());
    foreign.filter_map(|(name, _)| shown::name(name)).collect()
}

pub(super) fn read_go_module(text: &str) -> ManifestFacts {
    let mut facts = ManifestFacts::default();
    let mut is_block = false;
    for line in text.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["module", name, ..] => facts.name = shown::name(name),
            ["go", version, ..] => {
                facts.requires.extend(shown::version(version).map(|v| format!("Go {v}")));
            }
            ["require", "("] => is_block = true,
            [")"] => is_block = false,
            ["require", name, _] => facts.dependencies.extend(module_name(name)),
            [name, _] if is_block => facts.dependencies.extend(module_name(name)),
            _ => {}
        }
    }
    facts
}

/// Without the host where nearly all modules are.
fn module_name(path: &str) -> Option<String> {
    shown::name(path.strip_prefix("github.com/").unwrap_or(path))
}

pub(super) fn read_go_workspace(text: &str) -> ManifestFacts {
    let mut included = Vec::new();
    let mut is_block = false;
    for line in text.lines().map(|line| line.split("//").next().unwrap_or_default().trim()) {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["use", "("] => is_block = true,
            [")"] => is_block = false,
            ["use", path] => included.push((*path).to_owned()),
            [path] if is_block => included.push((*path).to_owned()),
            _ => {}
        }
    }
    let members = MemberPatterns { kind: "Go workspace", included, excluded: Vec::new() };
    ManifestFacts { members: Some(members), ..ManifestFacts::default() }
}

pub(super) fn read_maven(text: &str) -> ManifestFacts {
    let without_parent = match (text.find("<parent>"), text.find("</parent>")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    };
    let name = between(&without_parent, "<artifactId>", "</artifactId>").and_then(shown::name);
    let versions = ["maven.compiler.release", "maven.compiler.source", "java.version"];
    let java = versions.iter().find_map(|key| between(text, &format!("<{key}>"), "<"));
    let mut facts = ManifestFacts { name, ..ManifestFacts::default() };
    facts.requires.extend(java.and_then(shown::version).map(|version| format!("Java {version}")));
    for part in text.split("<dependency>").skip(1) {
        let part = part.split("</dependency>").next().unwrap_or_default();
        let artifact = between(part, "<artifactId>", "</artifactId>").and_then(shown::name);
        let list = if part.contains("<scope>test</scope>") {
            &mut facts.development
        } else {
            &mut facts.dependencies
        };
        list.extend(artifact);
    }
    let modules: Vec<String> = text
        .split("<module>")
        .skip(1)
        .filter_map(|rest| rest.split_once("</module>").map(|(path, _)| path.trim().to_owned()))
        .collect();
    if !modules.is_empty() {
        let kind = "Maven multi-module build";
        facts.members = Some(MemberPatterns { kind, included: modules, excluded: Vec::new() });
    }
    facts
}

pub(super) fn read_gradle(text: &str) -> ManifestFacts {
    let mut facts = ManifestFacts::default();
    for line in text.lines().map(str::trim) {
        // `implementation`, `testImplementation`, `androidTestImplementation` …
        let word = line.split(['(', ' ']).next().unwrap_or_default().to_ascii_lowercase();
        if !["implementation", "api", "compileonly", "runtimeonly"]
            .iter()
            .any(|end| word.ends_with(end))
        {
            continue;
        }
        let list =
            if word.contains("test") { &mut facts.development } else { &mut facts.dependencies };
        // `project(":core")` is a part of this build: a coordinate starts with a group.
        let coordinates = quoted(line).filter(|inside| !inside.starts_with(':'));
        let coordinates = coordinates.and_then(|inside| inside.split(':').nth(1));
        // An alias of the version catalog.
        let alias = line.split_once("libs.").map(|(_, rest)| rest.split([')', ' ', ',']).next());
        let alias = alias.flatten().map(|alias| alias.replace('.', "-"));
        list.extend(coordinates.and_then(shown::name).or_else(|| shown::name(&alias?)));
    }
    let marks = ["JavaLanguageVersion.of(", "jvmToolchain("];
    let java = marks.iter().find_map(|mark| between(text, mark, ")"));
    facts.requires.extend(java.and_then(shown::version).map(|version| format!("Java {version}")));
    facts
}

pub(super) fn read_gradle_settings(text: &str) -> ManifestFacts {
    let mut included = Vec::new();
    let mut is_list = false;
    for line in text.lines().map(str::trim) {
        let is_start = line.starts_with("include") && !line.starts_with("includeBuild");
        if !is_start && !is_list {
            continue;
        }
        let pieces = line.split(['"', '\'']).skip(1).step_by(2);
        // `:a:b` is the directory a/b.
        included.extend(pieces.map(|path| path.trim_start_matches(':').replace(':', "/")));
        is_list = line.ends_with(',') || line.ends_with('(');
    }
    let members =
        MemberPatterns { kind: "Gradle multi-project build", included, excluded: Vec::new() };
    let name = text.lines().find(|line| line.trim().starts_with("rootProject.name"));
    let name = name.and_then(quoted).and_then(shown::name);
    ManifestFacts { name, members: Some(members), ..ManifestFacts::default() }
}

pub(super) fn read_dotnet_project(file: &str, text: &str) -> ManifestFacts {
    let name = file.rsplit_once('.').and_then(|(stem, _)| shown::name(stem));
    let framework = between(text, "<TargetFramework>", "<")
        .or_else(|| between(text, "<TargetFrameworks>", "<")?.split(';').next());
    let packages = text.split("<PackageReference").skip(1);
    let dependencies = packages.filter_map(|rest| {
        let tag = rest.split('>').next()?;
        shown::name(between(tag, "Include=\"", "\"")?)
    });
    ManifestFacts {
        name,
        requires: framework.and_then(shown::version).into_iter().collect(),
        dependencies: dependencies.collect(),
        ..ManifestFacts::default()
    }
}

/// A solution lists project files; their directories are the members.
pub(super) fn read_solution(text: &str) -> ManifestFacts {
    let words = text.split('"').map(|word| word.replace('\\', "/"));
    let projects = words.filter(|word| super::is_dotnet_project(word));
    let included: Vec<String> = projects
        .filter_map(|path| path.rsplit_once('/').map(|(above, _)| above.to_owned()))
        .collect();
    let members = MemberPatterns { kind: ".NET solution", included, excluded: Vec::new() };
    ManifestFacts { members: Some(members), ..ManifestFacts::default() }
}

pub(super) fn read_cmake(text: &str) -> ManifestFacts {
    let lower = text.to_ascii_lowercase();
    let after = |word: &str| -> Vec<String> {
        let starts = lower.match_indices(word).map(|(at, _)| at + word.len());
        let rest = starts.filter_map(|at| text.get(at..));
        let first =
            rest.filter_map(|rest| rest.split([' ', ')', '\n', '\t']).find(|it| !it.is_empty()));
        first.filter_map(shown::name).collect()
    };
    let standard = between(text, "CMAKE_CXX_STANDARD ", ")").and_then(shown::version);
    ManifestFacts {
        name: after("project(").into_iter().next(),
        requires: standard.map(|version| format!("C++{version}")).into_iter().collect(),
        dependencies: after("find_package("),
        ..ManifestFacts::default()
    }
}
