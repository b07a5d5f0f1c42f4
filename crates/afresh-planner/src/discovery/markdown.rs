//! What was found, as the one document that planning prompts contain: short, in plain sentences.

use std::fmt::Write as _;

use super::facts::{
    CommandProbe, PackageFacts, PatternUse, ProjectFacts, ProjectState, SourcedCommand, ToolPurpose,
};
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
    let files = facts.key_files.iter().map(|file| format!("{} ({})", code(&file.path), file.role));
    section(&mut text, "Key files", files);
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
        "\n{files} There are no patterns to follow: no stack, layout, naming, tests or commands. The plan chooses them, \
         and its first task creates them."
    );
}

fn render_overview(text: &mut String, facts: &ProjectFacts) {
    let languages = facts.languages.iter().take(MAX_ITEMS + 2).map(|language| {
        let lines =
            language.estimated_lines.map(|lines| format!(", about {} lines", rounded(lines)));
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
    let shown = facts.packages.iter().take(MAX_PACKAGES);
    let lines = shown.map(|package| render_package(package, facts.packages.len()));
    section(text, "Packages", lines);
    let hidden = facts.packages.len().saturating_sub(MAX_PACKAGES) as u64 + facts.packages_left_out;
    if hidden > 0 {
        let _ = writeln!(text, "- and {hidden} more");
    }
}

/// One line: of many packages less is told of each.
fn render_package(package: &PackageFacts, count: usize) -> String {
    let name = package.name.as_ref().map(|name| format!(" {}", code(name)));
    let mut line = format!("{}{}", code(&package.directory), name.unwrap_or_default());
    if !package.stacks.is_empty() {
        let _ = write!(line, ": {}", package.stacks.join(", "));
    }
    if !package.requires.is_empty() {
        let _ = write!(line, "; {}", package.requires.join(", "));
    }
    let _ = write!(line, "; {}", counted(package.source_files, "source file"));
    let sources = package.sources.iter().take(2).map(|path| code(path));
    if package.source_files > 0 {
        let _ = write!(line, " in {}", joined(sources));
    }
    if package.test_files > 0 {
        let _ = write!(line, ", {}", counted(package.test_files, "test file"));
    }
    let most = if count > MAX_ITEMS + 2 { MAX_ITEMS } else { MAX_DEPENDENCIES - 2 };
    let dependencies = dependencies(package, most);
    if !dependencies.is_empty() {
        let _ = write!(line, "; uses {dependencies}");
    }
    line
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
    let shown = facts.packages.iter().filter(|package| !package.commands.is_empty());
    for package in shown.take(MAX_ITEMS) {
        let commands = &package.commands;
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
    section(text, "Commands, run at the root", lines.into_iter());
    let ci = facts.ci.iter().take(MAX_CI).map(|command| code(&command.command));
    let source = facts.ci.first().map(|command| code(&command.source)).unwrap_or_default();
    inline_section(text, &format!("CI runs ({source})"), ci);
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
    match &probe.detail {
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

/// What new work has to satisfy.
fn render_demands(text: &mut String, facts: &ProjectFacts) {
    let mut lines = vec![
        "New code fits into these directories, names and patterns; it adds no parallel structure and no second \
         library for what one of these does."
            .to_owned(),
    ];
    let tests = facts.packages.iter().any(|package| !package.commands.test.is_empty());
    if tests {
        lines.push("The test commands above pass before and after each task.".to_owned());
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
