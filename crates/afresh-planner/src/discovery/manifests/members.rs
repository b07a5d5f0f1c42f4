//! Which directories the patterns of a workspace match.

use super::MemberPatterns;
use crate::discovery::paths;

/// The most comparisons of a pattern with a path: a hostile pattern is not worth more.
const MAX_STEPS: usize = 10_000;

/// Whether a workspace in `base` has this directory as a member.
pub(in crate::discovery) fn is_member(
    patterns: &MemberPatterns,
    base: &str,
    directory: &str,
) -> bool {
    if directory == base || !paths::is_below(directory, base) {
        return false;
    }
    let relative = if base.is_empty() { directory } else { &directory[base.len() + 1..] };
    let matches = |pattern: &String| {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        let parts: Vec<&str> = pattern.split('/').collect();
        let names: Vec<&str> = relative.split('/').collect();
        matches_parts(&parts, &names, &mut 0)
    };
    patterns.included.iter().any(matches) && !patterns.excluded.iter().any(matches)
}

/// Whether a workspace of this kind can have the directory of a manifest as its member: `crates/*` of Cargo says
/// nothing about a directory that has only a `package.json`.
pub(in crate::discovery) fn is_manifest_of(kind: &str, manifest: &str) -> bool {
    let name = paths::file_name(manifest);
    match kind {
        "Cargo workspace" => name == "Cargo.toml",
        "Go workspace" => name == "go.mod",
        "Maven multi-module build" => name == "pom.xml",
        "Gradle multi-project build" => name.starts_with("build.gradle"),
        ".NET solution" => super::is_dotnet_project(name),
        "uv workspace" => name == "pyproject.toml",
        "Poetry path dependencies" => matches!(name, "pyproject.toml" | "setup.py"),
        _ => matches!(name, "package.json" | "project.json" | "deno.json"),
    }
}

fn matches_parts(parts: &[&str], names: &[&str], steps: &mut usize) -> bool {
    *steps += 1;
    if *steps > MAX_STEPS {
        return false;
    }
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            (0..=names.len()).any(|skipped| matches_parts(rest, &names[skipped..], steps))
        }
        (Some((part, rest)), Some((name, others))) => {
            matches_name(part, name) && matches_parts(rest, others, steps)
        }
        _ => false,
    }
}

/// `*` stands for any part of a name, `{a,b}` for one of several.
fn matches_name(part: &str, name: &str) -> bool {
    if let Some((before, rest)) = part.split_once('{')
        && let Some((choices, after)) = rest.split_once('}')
    {
        let middle = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        return middle.is_some_and(|middle| choices.split(',').any(|one| one == middle));
    }
    let Some((before, after)) = part.split_once('*') else { return part == name };
    // One star is what people write; a second one matches nothing.
    name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
}
