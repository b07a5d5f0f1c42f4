//! Manifests of interpreted languages.

use afresh_formats::project::{parse_json_manifest, parse_toml_manifest};
use serde_json::Value;

use super::{ManifestFacts, MemberPatterns, keys, named, quoted, requirement, texts};
use crate::discovery::shown;

pub(super) fn read_package_json(text: &str) -> ManifestFacts {
    let json = parse_json_manifest(text).unwrap_or_default();
    let listed = match &json["workspaces"] {
        Value::Array(_) => texts(&json["workspaces"]),
        other => texts(&other["packages"]),
    };
    let (excluded, included): (Vec<String>, Vec<String>) =
        listed.into_iter().partition(|pattern| pattern.starts_with('!'));
    let excluded = excluded.iter().map(|pattern| pattern[1..].to_owned()).collect();
    let members = (!included.is_empty()).then_some(MemberPatterns {
        kind: "npm or yarn workspaces",
        included,
        excluded,
    });
    let main = [&json["source"], &json["main"], &json["module"], &json["bin"]];
    let commands = json["bin"].as_object().into_iter().flatten().map(|(_, path)| path);
    let entry_points = main.into_iter().chain(commands).filter_map(Value::as_str);
    let mut requires: Vec<String> =
        requirement("Node.js", &json["engines"]["node"]).into_iter().collect();
    if json["type"] == "module" {
        requires.push("ES modules".to_owned());
    }
    ManifestFacts {
        name: named(&json["name"]),
        requires,
        dependencies: [keys(&json["dependencies"]), keys(&json["peerDependencies"])].concat(),
        development: keys(&json["devDependencies"]),
        entry_points: entry_points.map(|path| path.trim_start_matches("./").to_owned()).collect(),
        members,
    }
}

/// The list below `packages:`.
pub(super) fn read_pnpm_workspace(text: &str) -> ManifestFacts {
    let lines = text.lines().skip_while(|line| !line.starts_with("packages:")).skip(1);
    let items = lines.map_while(|line| {
        let line = line.trim();
        (line.is_empty() || line.starts_with(['-', '#'])).then_some(line)
    });
    let items = items.filter_map(|line| line.strip_prefix('-'));
    let patterns = items.map(|item| {
        let item = item.split(" #").next().unwrap_or_default();
        item.trim().trim_matches(['"', '\'']).to_owned()
    });
    let (excluded, included): (Vec<String>, Vec<String>) =
        patterns.partition(|pattern| pattern.starts_with('!'));
    let excluded = excluded.iter().map(|pattern| pattern[1..].to_owned()).collect();
    let members = (!included.is_empty()).then_some(MemberPatterns {
        kind: "pnpm workspace",
        included,
        excluded,
    });
    ManifestFacts { members, ..ManifestFacts::default() }
}

pub(super) fn read_lerna(text: &str) -> ManifestFacts {
    let json = parse_json_manifest(text).unwrap_or_default();
    let included = texts(&json["packages"]);
    let members = (!included.is_empty()).then_some(MemberPatterns {
        kind: "Lerna repository",
        included,
        excluded: Vec::new(),
    });
    ManifestFacts { members, ..ManifestFacts::default() }
}

pub(super) fn read_pyproject(text: &str) -> ManifestFacts {
    let toml = parse_toml_manifest(text).unwrap_or_default();
    let (project, poetry) = (&toml["project"], &toml["tool"]["poetry"]);
    let version = requirement("Python", &project["requires-python"])
        .or_else(|| requirement("Python", &poetry["dependencies"]["python"]));
    let mut dependencies = python_names(&project["dependencies"]);
    dependencies.extend(keys(&poetry["dependencies"]).into_iter().filter(|name| name != "python"));
    let mut development = keys(&poetry["dev-dependencies"]);
    for groups in [&toml["dependency-groups"], &project["optional-dependencies"]] {
        let lists = groups.as_object().into_iter().flatten();
        development.extend(lists.flat_map(|(_, list)| python_names(list)));
    }
    let groups = poetry["group"].as_object().into_iter().flatten();
    development.extend(groups.flat_map(|(_, group)| keys(&group["dependencies"])));
    let uv = &toml["tool"]["uv"];
    development.extend(python_names(&uv["dev-dependencies"]));
    let workspace = &uv["workspace"];
    let local = poetry["dependencies"].as_object().into_iter().flatten();
    let local: Vec<String> =
        local.filter_map(|(_, value)| value["path"].as_str().map(str::to_owned)).collect();
    let members = if workspace.is_object() {
        let (included, excluded) = (texts(&workspace["members"]), texts(&workspace["exclude"]));
        Some(MemberPatterns { kind: "uv workspace", included, excluded })
    } else {
        let kind = "Poetry path dependencies";
        (!local.is_empty()).then_some(MemberPatterns {
            kind,
            included: local,
            excluded: Vec::new(),
        })
    };
    ManifestFacts {
        name: named(&project["name"]).or_else(|| named(&poetry["name"])),
        requires: version.into_iter().collect(),
        dependencies,
        development,
        entry_points: Vec::new(),
        members,
    }
}

/// The names of `name[extra]>=1; marker`.
fn python_names(list: &Value) -> Vec<String> {
    texts(list).iter().filter_map(|item| python_name(item)).collect()
}

/// An address or a path is no name, unless it says which package it is: `git+https://x.org/y.git#egg=y`.
fn python_name(item: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let (name, rest) = item.split_at(item.find(|c| !is_part(c)).unwrap_or(item.len()));
    let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !rest.starts_with(|c: char| "+:/\\".contains(c));
    if !is_name {
        return item.split_once("#egg=").and_then(|(_, name)| python_name(name));
    }
    shown::name(name).map(|name| name.to_ascii_lowercase())
}

pub(super) fn read_requirements(text: &str) -> ManifestFacts {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '-']));
    let dependencies = lines.filter_map(python_name).collect();
    ManifestFacts { dependencies, ..ManifestFacts::default() }
}

/// A program; only its literal name and version are read.
pub(super) fn read_setup_py(text: &str) -> ManifestFacts {
    let literal = |key: &str| {
        let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(key))?;
        quoted(line.trim_start_matches([' ', '=']))
    };
    let version = literal("python_requires").and_then(shown::version);
    ManifestFacts {
        name: literal("name").and_then(shown::name),
        requires: version.map(|version| format!("Python {version}")).into_iter().collect(),
        ..ManifestFacts::default()
    }
}

pub(super) fn read_composer(text: &str) -> ManifestFacts {
    let json = parse_json_manifest(text).unwrap_or_default();
    let packages = |key: &str| -> Vec<String> {
        // `php` and `ext-json` are no packages.
        keys(&json[key]).into_iter().filter(|name| name.contains('/')).collect()
    };
    ManifestFacts {
        name: named(&json["name"]),
        requires: requirement("PHP", &json["require"]["php"]).into_iter().collect(),
        dependencies: packages("require"),
        development: packages("require-dev"),
        ..ManifestFacts::default()
    }
}

/// Gems in a block for tests or development are apart.
pub(super) fn read_gemfile(text: &str) -> ManifestFacts {
    let mut facts = ManifestFacts::default();
    let mut is_development = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("group ") {
            is_development = is_for_developers(line);
        } else if line == "end" {
            is_development = false;
        } else if let Some(rest) = line.strip_prefix("gem ") {
            let name = quoted(rest).and_then(shown::name);
            let is_own =
                line.split_once("group").is_some_and(|(_, groups)| is_for_developers(groups));
            let list = if is_development || is_own {
                &mut facts.development
            } else {
                &mut facts.dependencies
            };
            list.extend(name);
        } else if let Some(rest) = line.strip_prefix("ruby ") {
            facts
                .requires
                .extend(quoted(rest).and_then(shown::version).map(|v| format!("Ruby {v}")));
        }
    }
    facts
}

fn is_for_developers(groups: &str) -> bool {
    groups.contains(":test") || groups.contains(":development")
}

pub(super) fn read_gemspec(text: &str) -> ManifestFacts {
    let mut facts = ManifestFacts::default();
    for line in text.lines().map(str::trim) {
        let argument = || quoted(line);
        if line.contains("Gem::Specification.new")
            || line.contains(".name ")
            || line.contains(".name=")
        {
            facts.name = facts.name.or_else(|| argument().and_then(shown::name));
        } else if line.contains("add_development_dependency") {
            facts.development.extend(argument().and_then(shown::name));
        } else if line.contains("add_dependency") || line.contains("add_runtime_dependency") {
            facts.dependencies.extend(argument().and_then(shown::name));
        } else if line.contains("required_ruby_version") {
            facts.requires.extend(argument().and_then(shown::version).map(|v| format!("Ruby {v}")));
        }
    }
    facts
}
