//! What was found, as the one document that planning prompts contain: short, in plain sentences.

use std::fmt::Write as _;

use super::facts::{
    CommandProbe, PackageFacts, PatternUse, ProjectFacts, ProjectState, SourcedCommand, ToolPurpose,
};
use super::paths;
use afresh_core::probe::CheckClass;

/// How much of each list is shown; the JSON has more.
const MAX_PACKAGES: usize = 12;
const MAX_DEPENDENCIES: usize = 12;
const MAX_ITEMS: usize = 4;
const MAX_CI: usize = 8;
const MAX_TOOLS: usize = 8;

/// The document.
pub fn render_markdown(facts: &ProjectFacts) -> String {
    let mut text = String::new();
    let title = match facts.state {
        ProjectState::New => "# New project\n",
        ProjectState::Existing => "# Existing project\n",
    };
    text.push_str(title);
    text.push('\n');
    if let Some(directory) = &facts.directory {
        line(&mut text, "Directory", &code(directory));
        if facts.state == ProjectState::New {
            text.push('\n');
        }
    }
    if facts.state == ProjectState::New {
        render_new(&mut text, facts);
        return text;
    }
    render_overview(&mut text, facts);
    render_packages(&mut text, facts);
    render_commands(&mut text, facts);
    render_patterns(&mut text, facts);
    render_testing(&mut text, facts);
    render_key_files(&mut text, facts);
    let foreign = facts.leave_alone.iter().take(MAX_TOOLS);
    let foreign = foreign.map(|path| format!("{} ({})", code(&path.path), path.reason));
    inline_section(&mut text, "Leave alone", foreign);
    render_demands(&mut text, facts);
    text
}

fn render_new(text: &mut String, facts: &ProjectFacts) {
    let files = match facts.files {
        0 => "The repository is empty.".to_owned(),
        1 => "The repository has 1 file, and no source code.".to_owned(),
        files => format!("The repository has {files} files, and no source code."),
    };
    let _ = writeln!(
        text,
        "{files} There are no patterns to follow: no stack, layout, naming, tests or commands. The plan chooses them, \
         and its first task creates them."
    );
}

fn render_overview(text: &mut String, facts: &ProjectFacts) {
    let languages = facts.languages.iter().take(MAX_ITEMS + 2).map(|language| {
        let lines = language
            .estimated_lines
            .map(|lines| format!(", about {}", counted(rounded(lines), "line")));
        let files = counted(language.files, "file");
        format!("{} ({files}{})", language.name, lines.unwrap_or_default())
    });
    line(text, "Languages", &joined(languages));
    let mut stacks: Vec<String> = Vec::new();
    for package in &facts.packages {
        for stack in &package.stacks {
            if !stacks.contains(stack) {
                stacks.push(stack.clone());
            }
        }
    }
    line(text, "Stack", &joined(stacks.into_iter().take(MAX_ITEMS + 2)));
    let workspaces = facts.workspaces.iter().map(|workspace| {
        let members = counted(workspace.members, "member");
        format!("{} in {} ({members})", workspace.kind, code(&workspace.file))
    });
    line(text, "Monorepo", &joined(workspaces));
}

fn render_packages(text: &mut String, facts: &ProjectFacts) {
    if let [package] = facts.packages.as_slice() {
        let place = (package.directory != ".").then(|| code(&package.directory));
        line(text, "Package directory", &place.unwrap_or_default());
        line(text, "Requires", &package.requires.join(", "));
        line(text, "Dependencies", &dependencies(package, MAX_DEPENDENCIES));
        line(text, "Source layout", &layout(&package.sources, package.source_files));
        line(text, "Test layout", &layout(&package.tests, package.test_files));
        return;
    }
    let own: Vec<&str> =
        facts.packages.iter().filter_map(|package| package.name.as_deref()).collect();
    let shown = facts.packages.iter().filter(|package| !is_example(package));
    let lines: Vec<String> =
        shown.take(MAX_PACKAGES).map(|package| render_package(package, facts, &own)).collect();
    let hidden = (facts.packages.len() - lines.len()) as u64 + facts.packages_left_out;
    section(text, "Packages", lines.into_iter());
    if hidden > 0 {
        let _ = writeln!(text, "- and {hidden} more");
    }
}

/// One line, without what the root says too; of many packages less is told of each.
fn render_package(package: &PackageFacts, facts: &ProjectFacts, own: &[&str]) -> String {
    let root = facts.packages.first().filter(|root| root.directory != package.directory);
    let mut line = code(&package.directory);
    let last = package.directory.rsplit('/').next();
    if let Some(name) = package.name.as_ref().filter(|name| Some(name.as_str()) != last) {
        let _ = write!(line, " {}", code(name));
    }
    let mut parts = Vec::new();
    if root.is_none_or(|root| root.stacks != package.stacks) && !package.stacks.is_empty() {
        parts.push(package.stacks.join(", "));
    }
    let is_new = |version: &&String| root.is_none_or(|root| !root.requires.contains(version));
    parts.extend(package.requires.iter().filter(is_new).cloned());
    if package.source_files > 0 {
        let start = format!("{}/", package.directory);
        let relative = |path: &String| {
            let path = path.strip_prefix(&start).unwrap_or(path);
            code(if path.is_empty() { "./" } else { path })
        };
        let sources = joined(package.sources.iter().take(2).map(relative));
        parts.push(format!("{} in {sources}", counted(package.source_files, "source file")));
    }
    if package.test_files > 0 {
        parts.push(counted(package.test_files, "test file"));
    }
    let is_large = facts.packages.len() > MAX_ITEMS + 2;
    let most = if is_large { MAX_ITEMS - 1 } else { MAX_DEPENDENCIES - 2 };
    let foreign = package.dependencies.iter().filter(|name| !own.contains(&name.as_str()));
    let foreign: Vec<String> = foreign.take(most).cloned().collect();
    if !foreign.is_empty() {
        parts.push(format!("uses {}", foreign.join(", ")));
    }
    format!("{line}: {}", parts.join("; "))
}

fn is_example(package: &PackageFacts) -> bool {
    paths::is_example(&format!("{}/x", package.directory))
}

fn dependencies(package: &PackageFacts, most: usize) -> String {
    let hidden = package.dependencies.len().saturating_sub(most);
    let mut named = joined(package.dependencies.iter().take(most).cloned());
    if hidden > 0 {
        let _ = write!(named, " and {hidden} more");
    }
    named
}

fn layout(directories: &[String], files: u64) -> String {
    if directories.is_empty() || files == 0 {
        return String::new();
    }
    let files = counted(files, "file");
    format!("{} ({files})", joined(directories.iter().take(MAX_ITEMS).map(|path| code(path))))
}

fn render_commands(text: &mut String, facts: &ProjectFacts) {
    let mut lines = Vec::new();
    let own = facts.packages.iter().filter(|package| !is_example(package));
    let mut shown = own.filter(|package| !package.commands.is_empty());
    // The first package is the root, unless there is nothing to run at the root.
    if let Some(first) = shown.next() {
        let commands = &first.commands;
        let kinds = [
            ("set up", &commands.setup),
            ("test", &commands.test),
            ("build", &commands.build),
            ("lint", &commands.lint),
        ];
        for (kind, commands) in kinds.into_iter().filter(|(_, commands)| !commands.is_empty()) {
            let commands = commands.iter().take(MAX_ITEMS).map(render_command);
            lines.push(format!("{kind}: {}", joined(commands)));
        }
    }
    for package in shown.filter(|package| !package.commands.test.is_empty()).take(MAX_ITEMS) {
        let commands = package.commands.setup.iter().chain(&package.commands.test);
        lines.push(format!(
            "{}: {}",
            code(&package.directory),
            joined(commands.map(render_command))
        ));
    }
    section(text, "Commands, run at the root", lines.into_iter());
    let shown = &facts.ci[..facts.ci.len().min(MAX_CI)];
    let mut sources: Vec<&str> = Vec::new();
    for command in shown {
        if !sources.contains(&command.source.as_str()) {
            sources.push(&command.source);
        }
    }
    for source in sources {
        let ci = shown.iter().filter(|command| command.source == source);
        let ci = ci.map(|command| code(&command.command));
        inline_section(text, &format!("CI runs ({})", code(source)), ci);
    }
}

fn render_command(command: &SourcedCommand) -> String {
    let probed = command.probed.as_ref().map(|probe| format!(", {}", describe_probe(probe)));
    format!("{} ({}{})", code(&command.command), command.source, probed.unwrap_or_default())
}

fn describe_probe(probe: &CommandProbe) -> String {
    let class = match probe.class {
        CheckClass::Vacuous | CheckClass::Guard => "passes now",
        CheckClass::Red => "fails now",
        CheckClass::Unrunnable | CheckClass::Pending => "cannot run here",
        CheckClass::Empty => "runs no test",
        CheckClass::Flaky => "flaky",
        CheckClass::Unprobed => "was not tried",
    };
    // That a command passes says it all.
    let is_fine = matches!(probe.class, CheckClass::Vacuous | CheckClass::Guard);
    match probe.detail.as_ref().filter(|_| !is_fine) {
        Some(detail) => format!("{class}: {detail}"),
        None => class.to_owned(),
    }
}

fn render_patterns(text: &mut String, facts: &ProjectFacts) {
    let patterns = &facts.patterns;
    let mut lines = Vec::new();
    for naming in &patterns.naming {
        let parts =
            [("files", naming.files), ("functions", naming.functions), ("types", naming.types)];
        let parts =
            parts.iter().filter_map(|(what, style)| Some(format!("{what} {}", (*style)?.word())));
        lines.push(format!("Naming ({}): {}", naming.language, joined(parts)));
    }
    lines.extend(patterns.imports.iter().map(|sentence| format!("Imports, {sentence}")));
    let hints = patterns.architecture.iter().take(MAX_TOOLS);
    let hints = hints.map(|hint| format!("{} {}", code(&hint.directory), hint.meaning));
    push_list(&mut lines, "Architecture", hints);
    push_list(&mut lines, "Errors", patterns.errors.iter().take(MAX_ITEMS).map(render_use));
    push_list(&mut lines, "Logging", patterns.logging.iter().take(MAX_ITEMS - 1).map(render_use));
    let heading = format!("Patterns, from {}", counted(facts.sampled_files, "file"));
    section(text, &heading, lines.into_iter());
}

fn render_use(found: &PatternUse) -> String {
    if found.files == 0 {
        return format!("{} (named in {})", found.pattern, code(&found.example));
    }
    format!("{} ({}, as in {})", found.pattern, counted(found.files, "file"), code(&found.example))
}

fn render_testing(text: &mut String, facts: &ProjectFacts) {
    let testing = &facts.testing;
    let mut lines = Vec::new();
    push_list(&mut lines, "Framework", testing.frameworks.iter().take(MAX_ITEMS).map(render_use));
    push_list(&mut lines, "Layout", testing.layout.iter().cloned());
    push_list(
        &mut lines,
        "Shared by tests",
        testing.fixtures.iter().take(MAX_ITEMS + 2).map(|path| code(path)),
    );
    section(text, "Tests", lines.into_iter());
}

/// One line for each role.
fn render_key_files(text: &mut String, facts: &ProjectFacts) {
    let mut roles: Vec<&str> = Vec::new();
    for file in &facts.key_files {
        if !roles.contains(&file.role.as_str()) {
            roles.push(&file.role);
        }
    }
    let lines = roles.into_iter().map(|role| {
        let files = facts.key_files.iter().filter(|file| file.role == role);
        format!("{role}: {}", joined(files.map(|file| code(&file.path))))
    });
    section(text, "Key files", lines);
}

/// What new work has to satisfy.
fn render_demands(text: &mut String, facts: &ProjectFacts) {
    let mut lines = vec![
        "New code fits into these directories, names and patterns; it adds no parallel structure and no second \
         library for what one of these does."
            .to_owned(),
    ];
    let tests = facts.packages.iter().any(|package| !package.commands.test.is_empty());
    if tests {
        lines.push("Test commands that pass before a task pass after it.".to_owned());
    } else {
        lines
            .push("No test command was found: the plan has to say how work is checked.".to_owned());
    }
    for (purpose, word) in [
        (ToolPurpose::Linter, "Linters"),
        (ToolPurpose::Formatter, "Formatters"),
        (ToolPurpose::TypeChecker, "Type checkers"),
        (ToolPurpose::CommitHook, "Before commits"),
    ] {
        let tools = facts.quality_tools.iter().filter(|tool| tool.purpose == purpose);
        let tools = tools.map(|tool| format!("{} ({})", tool.name, code(&tool.source)));
        push_list(&mut lines, word, tools);
    }
    if !facts.testing.fixtures.is_empty() {
        lines.push("Tests reuse what they share today.".to_owned());
    }
    section(text, "Integration demands", lines.into_iter());
}

fn line(text: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let _ = writeln!(text, "- {name}: {value}");
    }
}

fn push_list(lines: &mut Vec<String>, name: &str, items: impl Iterator<Item = String>) {
    let list = joined(items);
    if !list.is_empty() {
        lines.push(format!("{name}: {list}"));
    }
}

fn section(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let mut lines = lines.peekable();
    if lines.peek().is_some() {
        let _ = writeln!(text, "\n{heading}:");
        for line in lines {
            let _ = writeln!(text, "- {line}");
        }
    }
}

fn inline_section(text: &mut String, heading: &str, items: impl Iterator<Item = String>) {
    let list = joined(items);
    if !list.is_empty() {
        let _ = writeln!(text, "\n{heading}: {list}.");
    }
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// `1 file`, `2 files`.
fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Two significant digits: it is an estimate.
fn rounded(lines: u64) -> u64 {
    let mut unit = 1;
    while lines / unit >= 100 {
        unit *= 10;
    }
    lines / unit * unit
}
