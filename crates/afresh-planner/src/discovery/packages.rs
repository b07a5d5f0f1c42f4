//! Packages: directories with a manifest, their commands, and where their sources and tests are.

use std::collections::{BTreeMap, BTreeSet};

use afresh_formats::project::{self, CheckKind, FileListing, ProjectStack};

use super::facts::{PackageCommands, PackageFacts, SourcedCommand, WorkspaceDeclaration};
use super::manifests::{self, ManifestFacts, MemberPatterns, members};
use super::sample::SourceFile;
use super::{RepositoryFile, paths, shown};

/// The most packages that are described.
const MAX_PACKAGES: usize = 40;
/// How deep a package that no workspace declares may be.
const MAX_DEPTH: usize = 3;
const MAX_COMMANDS: usize = 8;
const MAX_DIRECTORIES: usize = 6;
const MAX_WORKSPACES: usize = 8;

/// The packages of a repository.
#[derive(Debug)]
pub(super) struct PackageSurvey {
    pub(super) packages: Vec<PackageFacts>,
    pub(super) left_out: u64,
    pub(super) workspaces: Vec<WorkspaceDeclaration>,
    /// Every manifest that was read, by path.
    pub(super) manifests: BTreeMap<String, ManifestFacts>,
}

impl PackageSurvey {
    pub(super) fn new(
        files: &[RepositoryFile],
        sources: &[SourceFile<'_>],
        texts: &BTreeMap<String, String>,
    ) -> Self {
        let read = texts.iter().filter(|(path, _)| manifests::is_manifest(path));
        let manifests: BTreeMap<String, ManifestFacts> =
            read.map(|(path, text)| (path.clone(), manifests::read_manifest(path, text))).collect();
        let candidates = find_candidates(files);
        let declared = declared_members(&manifests, &candidates);
        let listing = listing(files, texts);
        let directories = choose_directories(&listing, &candidates, &declared);
        let tallies = PackageTally::count_all(sources, &directories);
        let mut ordered: Vec<&str> = directories.iter().map(String::as_str).collect();
        let files_in = |directory: &str| tallies.get(directory).map_or(0, PackageTally::files);
        ordered.sort_by_key(|directory| {
            let is_example = paths::is_example(&format!("{directory}/x"));
            let files = std::cmp::Reverse(files_in(directory));
            (!directory.is_empty(), is_example, files, *directory)
        });
        // A manifest without any source holds the tools of others.
        ordered.retain(|directory| directory.is_empty() || files_in(directory) > 0);
        let left_out = ordered.len().saturating_sub(MAX_PACKAGES) as u64;
        ordered.truncate(MAX_PACKAGES);
        let empty = PackageTally::default();
        let packages = ordered.into_iter().filter_map(|directory| {
            let tally = tallies.get(directory).unwrap_or(&empty);
            let member_of = declared.get(directory);
            describe_package(&listing, &manifests, directory, tally, member_of)
        });
        let packages = packages.collect();
        let workspaces = describe_workspaces(&manifests, &candidates, texts);
        Self { packages, left_out, workspaces, manifests }
    }

    /// Every dependency, also those of development, with the manifest nearest to the root that names it.
    pub(super) fn dependency_sources(&self) -> BTreeMap<String, String> {
        let mut sources: BTreeMap<String, String> = BTreeMap::new();
        for (path, facts) in &self.manifests {
            for name in facts.dependencies.iter().chain(&facts.development) {
                let known = sources.entry(name.clone()).or_insert_with(|| path.clone());
                if path.matches('/').count() < known.matches('/').count() {
                    known.clone_from(path);
                }
            }
        }
        sources
    }

    /// Go modules by their path, with their directory.
    pub(super) fn go_modules(&self) -> Vec<(String, String)> {
        let modules = self.manifests.iter().filter(|(path, _)| paths::file_name(path) == "go.mod");
        modules
            .filter_map(|(path, facts)| Some((facts.name.clone()?, paths::parent(path).to_owned())))
            .collect()
    }
}

fn listing(files: &[RepositoryFile], texts: &BTreeMap<String, String>) -> FileListing {
    let own = files.iter().filter(|file| paths::foreign_part(&file.path).is_none());
    let texts = texts.iter().filter(|(path, _)| project::is_read(path));
    FileListing {
        paths: own.map(|file| file.path.clone()).collect(),
        texts: texts.map(|(path, text)| (path.clone(), text.clone())).collect(),
    }
}

/// Directories with manifests of their own, and these.
type PackageCandidates = BTreeMap<String, Vec<String>>;

fn find_candidates(files: &[RepositoryFile]) -> PackageCandidates {
    let paths = files.iter().map(|file| file.path.as_str());
    let has_nx = files.iter().any(|file| file.path == "nx.json");
    let is_manifest = |path: &&str| {
        manifests::is_package_manifest(path) || has_nx && paths::file_name(path) == "project.json"
    };
    let manifests = paths.filter(is_manifest).filter(|path| paths::foreign_part(path).is_none());
    let mut candidates = PackageCandidates::new();
    for path in manifests {
        candidates.entry(paths::parent(path).to_owned()).or_default().push(path.to_owned());
    }
    candidates
}

/// The declaration of each member: the nearest one above it.
fn declared_members(
    manifests: &BTreeMap<String, ManifestFacts>,
    candidates: &PackageCandidates,
) -> BTreeMap<String, (String, &'static str)> {
    // Of two in one directory the longer name wins: `pnpm-workspace.yaml` says more than `package.json`.
    let nearness = |path: &str| (paths::parent(path).len(), path.len());
    let mut declared: BTreeMap<String, (String, &'static str)> = BTreeMap::new();
    for (path, facts) in manifests {
        let Some(patterns) = &facts.members else { continue };
        for directory in members_of(patterns, path, candidates) {
            let known = declared.get(directory).map(|(file, _)| nearness(file));
            if known.is_none_or(|known| nearness(path) >= known) {
                declared.insert(directory.to_owned(), (path.clone(), patterns.kind));
            }
        }
    }
    declared
}

fn members_of<'c>(
    patterns: &MemberPatterns,
    path: &str,
    candidates: &'c PackageCandidates,
) -> Vec<&'c str> {
    let base = paths::parent(path);
    let fits = |manifests: &[String]| {
        manifests.iter().any(|manifest| members::is_manifest_of(patterns.kind, manifest))
    };
    let all = candidates.iter().filter(|(_, manifests)| fits(manifests));
    let all = all.map(|(directory, _)| directory.as_str());
    all.filter(|directory| members::is_member(patterns, base, directory)).collect()
}

fn describe_workspaces(
    manifests: &BTreeMap<String, ManifestFacts>,
    candidates: &PackageCandidates,
    texts: &BTreeMap<String, String>,
) -> Vec<WorkspaceDeclaration> {
    let declaring = manifests.iter().filter(|(path, _)| !paths::is_example(path));
    let declaring = declaring.filter_map(|(path, facts)| {
        let members = members_of(facts.members.as_ref()?, path, candidates).len() as u64;
        let kind = facts.members.as_ref()?.kind.to_owned();
        // One crate that is its own workspace ties nothing together.
        (members > 0).then(|| WorkspaceDeclaration { kind, file: shown::text(path), members })
    });
    let mut found: Vec<WorkspaceDeclaration> = declaring.collect();
    for (file, kind) in [("nx.json", "Nx"), ("turbo.json", "Turborepo")] {
        if texts.contains_key(file) {
            let members =
                candidates.keys().filter(|directory| !directory.is_empty()).count() as u64;
            let (kind, file) = (kind.to_owned(), file.to_owned());
            found.push(WorkspaceDeclaration { kind, file, members });
        }
    }
    found.truncate(MAX_WORKSPACES);
    found
}

/// The root, every member of a workspace, and other packages that are not too deep. Without any of them, directories
/// with a weaker sign, such as a Makefile.
fn choose_directories(
    listing: &FileListing,
    candidates: &PackageCandidates,
    declared: &BTreeMap<String, (String, &'static str)>,
) -> BTreeSet<String> {
    let near = |directory: &&String| {
        let depth = directory.split('/').count();
        let file = format!("{directory}/x");
        // The tests of a .NET project are a project.
        let is_project = directory.ends_with(".Tests") || directory.ends_with(".Test");
        depth <= MAX_DEPTH && !paths::is_example(&file) && (is_project || !paths::is_test(&file))
    };
    let other = candidates.keys().filter(|directory| !directory.is_empty()).filter(near);
    let mut chosen: BTreeSet<String> = other.chain(declared.keys()).cloned().collect();
    if !project::stacks_in(listing, "").is_empty() {
        chosen.insert(String::new());
    }
    if chosen.is_empty() {
        let weak = project::discover(listing);
        chosen.extend(weak.iter().map(|stack| paths::parent(&stack.file).to_owned()));
    }
    chosen
}

fn describe_package(
    listing: &FileListing,
    manifests: &BTreeMap<String, ManifestFacts>,
    directory: &str,
    tally: &PackageTally,
    member_of: Option<&(String, &'static str)>,
) -> Option<PackageFacts> {
    let stacks = project::stacks_in(listing, directory);
    let own = manifests.iter().filter(|(path, _)| paths::parent(path) == directory);
    let own: Vec<(&String, &ManifestFacts)> = own.collect();
    let manifest = stacks.first().map(|stack| stack.file.clone());
    let manifest = manifest.or_else(|| own.first().map(|(path, _)| (*path).clone()));
    let nx = Some(format!("{directory}/project.json")).filter(|path| listing.paths.contains(path));
    let manifest = manifest.or(nx)?;
    let mut names: Vec<String> = Vec::new();
    for stack in &stacks {
        if !names.iter().any(|name| name == stack.name) {
            names.push(stack.name.to_owned());
        }
    }
    let mut requires: Vec<String> = Vec::new();
    for version in own.iter().flat_map(|(_, facts)| &facts.requires) {
        if !requires.contains(version) {
            requires.push(version.clone());
        }
    }
    // What a gem depends on is in its specification; a Gemfile adds what its developers use.
    let gem = own.iter().filter(|(path, facts)| {
        path.strip_suffix(".gemspec").is_some() && !facts.dependencies.is_empty()
    });
    let gem: Vec<String> = gem.flat_map(|(_, facts)| facts.dependencies.clone()).collect();
    let dependencies = if gem.is_empty() {
        own.iter().flat_map(|(_, facts)| facts.dependencies.clone()).collect()
    } else {
        gem
    };
    Some(PackageFacts {
        directory: if directory.is_empty() { ".".to_owned() } else { shown::text(directory) },
        name: own.iter().find_map(|(_, facts)| facts.name.clone()),
        stacks: names,
        manifest: shown::text(&manifest),
        requires,
        dependencies: manifests::in_order(dependencies),
        member_of: member_of.map(|(file, _)| shown::text(file)),
        source_files: tally.source_files,
        test_files: tally.test_files,
        sources: largest(&tally.sources),
        tests: largest(&tally.tests),
        commands: package_commands(&stacks, member_of.map(|(_, kind)| *kind)),
    })
}

/// Build tools that are started at the root of a workspace for all its members.
const DRIVEN_AT_ROOT: &[&str] = &[
    "Cargo workspace",
    "Go workspace",
    "Maven multi-module build",
    "Gradle multi-project build",
    ".NET solution",
];

fn package_commands(stacks: &[ProjectStack], member_of: Option<&str>) -> PackageCommands {
    let mut commands = PackageCommands::default();
    if member_of.is_some_and(|kind| DRIVEN_AT_ROOT.contains(&kind)) {
        return commands;
    }
    for stack in stacks {
        let sourced = |command: &String| SourcedCommand {
            command: command.clone(),
            source: shown::text(&stack.file),
            probed: None,
        };
        // The root of a workspace installs for its members.
        if member_of.is_none() {
            commands.setup.extend(stack.setup.iter().map(sourced));
        }
        for check in &stack.checks {
            let list = match check.kind {
                CheckKind::Test => &mut commands.test,
                CheckKind::Build => &mut commands.build,
                CheckKind::Lint => &mut commands.lint,
            };
            list.push(sourced(&check.command));
        }
    }
    for list in [&mut commands.setup, &mut commands.test, &mut commands.build, &mut commands.lint] {
        list.truncate(MAX_COMMANDS);
    }
    commands
}

/// The files of one package.
#[derive(Debug, Default)]
struct PackageTally {
    source_files: u64,
    test_files: u64,
    /// Files by directory, from the root of the repository.
    sources: BTreeMap<String, u64>,
    tests: BTreeMap<String, u64>,
}

impl PackageTally {
    fn files(&self) -> u64 {
        self.source_files + self.test_files
    }

    fn count_all(
        sources: &[SourceFile<'_>],
        directories: &BTreeSet<String>,
    ) -> BTreeMap<String, Self> {
        let mut owned: BTreeMap<&str, Vec<SourceFile<'_>>> = BTreeMap::new();
        for file in sources {
            owned.entry(owner(file.path, directories)).or_default().push(*file);
        }
        let tallies = owned.into_iter();
        tallies
            .map(|(directory, files)| (directory.to_owned(), Self::count(directory, &files)))
            .collect()
    }

    fn count(directory: &str, files: &[SourceFile<'_>]) -> Self {
        let mut tally = Self::default();
        let mut tops: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for file in files {
            if let Some(tests) = paths::test_directory(file.path) {
                *tally.tests.entry(tests.to_owned()).or_default() += 1;
            }
            if file.is_test {
                tally.test_files += 1;
                continue;
            }
            if is_aside(file.path, directory) {
                continue;
            }
            tally.source_files += 1;
            let start = if directory.is_empty() { 0 } else { directory.len() + 1 };
            let top = file.path[start..].split_once('/').map(|(top, _)| start + top.len() + 1);
            let top =
                top.map_or_else(|| format!("{directory}/"), |end| file.path[..end].to_owned());
            tops.entry(top.trim_start_matches('/').to_owned()).or_default().push(file.path);
        }
        for (top, files) in tops {
            let count = files.len() as u64;
            *tally.sources.entry(narrow(top, &files)).or_default() += count;
        }
        tally
    }
}

/// Whether a source file of a package is an example, or belongs to a hidden directory.
fn is_aside(path: &str, package: &str) -> bool {
    let inside = path.strip_prefix(package).unwrap_or(path).trim_start_matches('/');
    let is_hidden = paths::directories(inside).any(|directory| directory.starts_with('.'));
    is_hidden || paths::is_example(inside)
}

/// The package that a file belongs to: the nearest one above it.
fn owner<'p>(path: &'p str, directories: &BTreeSet<String>) -> &'p str {
    let mut directory = paths::parent(path);
    while !directory.is_empty() && !directories.contains(directory) {
        directory = paths::parent(directory);
    }
    directory
}

/// `src/` becomes `src/main/java/org/x/` if all of its files are below that.
fn narrow(mut directory: String, files: &[&str]) -> String {
    while !directory.is_empty() {
        let mut next =
            files.iter().map(|path| path[directory.len()..].split_once('/').map(|it| it.0));
        let Some(Some(first)) = next.next() else { break };
        if !next.all(|other| other == Some(first)) {
            break;
        }
        directory = format!("{directory}{first}/");
    }
    directory
}

/// The directories with the most files.
fn largest(directories: &BTreeMap<String, u64>) -> Vec<String> {
    let mut ordered: Vec<(&String, &u64)> = directories.iter().collect();
    ordered.sort_by_key(|(path, files)| (std::cmp::Reverse(**files), *path));
    let named = ordered.into_iter().take(MAX_DIRECTORIES).map(|(path, _)| path.as_str());
    named.map(|path| if path.is_empty() { "./".to_owned() } else { shown::text(path) }).collect()
}
