//! One command line, command by command.

use super::calls::ToolCall;
use super::interpreters::{SCRIPT_OPTIONS, find_interpreter};
use super::launchers::launched_at;
use super::options::{option_values, runs_substitution, take_directory};
use super::tools::{
    COMMON_CONFIG_OPTIONS, CONFIG_OPTIONS, CheckTool, ConfigReach, ToolKind, find_tool,
    test_configs,
};
use super::variables::ShellVariables;
use super::word_path::WordPath;
use super::{FileMatcher, FileUse};
use crate::plan::shell::SimpleCommand;

/// The most files of one line.
const MAX_USES: usize = 1_000;
/// How many programs start each other in one command.
const MAX_LAUNCHES: usize = 8;

/// Reads the commands of one line, in order.
#[derive(Default)]
pub(super) struct LineReader {
    variables: ShellVariables,
    found: Vec<(FileUse, FileMatcher)>,
    /// What the line reads: it is executed if it reaches an interpreter's standard input.
    read: Vec<WordPath>,
    pub(super) feeds_interpreter: bool,
}

impl LineReader {
    pub(super) fn finish(mut self) -> Vec<(FileUse, FileMatcher)> {
        if self.feeds_interpreter {
            let read = std::mem::take(&mut self.read);
            self.found
                .extend(read.into_iter().map(|word| (FileUse::Executes, FileMatcher::File(word))));
        }
        self.found
    }

    pub(super) fn command(&mut self, command: &SimpleCommand) {
        let directory = command.directory.as_deref();
        for (name, value) in &command.assignments {
            self.variables.add(name, value);
            self.loaded_by_variable(name, value, directory);
        }
        let expand = |word: &String| self.variables.expand(word);
        let words: Vec<Vec<String>> = command.words.iter().map(expand).collect();
        let inputs: Vec<String> = command.inputs.iter().flat_map(expand).collect();
        self.reads(&inputs, directory);
        // A variable of a loop makes several commands of one.
        let calls = words.iter().map(Vec::len).max().unwrap_or_default();
        for at in 0..calls {
            let words =
                words.iter().map(|values| values[at.min(values.len() - 1)].clone()).collect();
            let (words, entered) = take_directory(words, directory);
            let directory = if entered.is_some() { entered.as_deref() } else { directory };
            self.call(&ToolCall { words: &words, directory }, MAX_LAUNCHES);
        }
    }

    /// Variables through which a shell, an interpreter or a runner loads files.
    fn loaded_by_variable(&mut self, name: &str, value: &str, directory: Option<&str>) {
        let loading = [
            "BASH_ENV",
            "ENV",
            "PYTHONSTARTUP",
            "NODE_OPTIONS",
            "RUBYOPT",
            "PERL5OPT",
            "PYTEST_ADDOPTS",
            "MAKEFILES",
            "RUSTC_WRAPPER",
            "CARGO_TARGET_DIR_RUNNER",
        ];
        if loading.contains(&name) {
            for word in value.split([' ', '=', ',']) {
                self.uses(FileUse::LoadsConfig, word, directory);
            }
        }
    }

    pub(super) fn call(&mut self, call: &ToolCall<'_>, launches: usize) {
        let Some(first) = call.words.first() else { return };
        if runs_substitution(first) {
            self.feeds_interpreter = true;
        }
        if first.contains('/') {
            self.uses(FileUse::Executes, first, call.directory);
        }
        if let Some(at) = launched_at(call.words).filter(|_| launches > 0) {
            self.configs_of(call);
            return self.call(&ToolCall { words: &call.words[at..], ..*call }, launches - 1);
        }
        let program = call.program();
        match program {
            "for" => self.assign_loop(&call.words[1..]),
            "read" | "mapfile" | "readarray" => self.assign_read(&call.words[1..]),
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                self.assign(&call.words[1..]);
            }
            "." | "source" => self.executes(&call.words[1..], call.directory),
            "find" | "fd" => self.finds(&call.words[1..], call.directory),
            "coverage" if call.words.get(1).is_some_and(|word| word == "run") => {
                self.configs_of(call);
                let python = find_interpreter("python").expect("python is known");
                self.interpret(python, &ToolCall { words: &call.words[1..], ..*call }, launches);
            }
            "go" if call.words.get(1).is_some_and(|word| word == "run") => self.go_run(call),
            "cargo" => self.cargo(call),
            _ => self.call_known(call, launches),
        }
    }

    fn call_known(&mut self, call: &ToolCall<'_>, launches: usize) {
        let program = call.program();
        let tests = call.words.iter().any(|word| word == "--test" || word.starts_with("--test="));
        if find_tool(program, call.words).is_none()
            && let Some(interpreter) = find_interpreter(program)
        {
            if tests && !interpreter.extensions.is_empty() {
                self.preloads(interpreter, call);
                let runner = find_tool("node-test", &[]).expect("the runner of node is known");
                return self.tests(runner, call);
            }
            return self.interpret(interpreter, call, launches);
        }
        match find_tool(program, call.words) {
            // `bun x.ts` is no script of the project.
            Some(tool) if tool.kind == ToolKind::Scripts => self.scripts(call, launches),
            Some(tool) if tool.kind == ToolKind::Tests => self.tests(tool, call),
            Some(_) => self.configs_of(call),
            None => self.other(call),
        }
    }

    /// A program that is not known reads its arguments.
    fn other(&mut self, call: &ToolCall<'_>) {
        let program = call.program();
        let by_option = SCRIPT_OPTIONS.iter().find(|(programs, _)| programs.contains(&program));
        if let Some((_, options)) = by_option {
            self.executes(&option_values(call.words, options), call.directory);
        }
        for value in option_values(call.words, COMMON_CONFIG_OPTIONS) {
            self.uses(FileUse::LoadsConfig, &value, call.directory);
        }
        if call.words[0].contains('/') {
            self.delegates(call.directory);
        }
        self.reads(&call.words[1..], call.directory);
    }

    /// `find … -exec sh {} \;`
    fn finds(&mut self, words: &[String], directory: Option<&str>) {
        let names = option_values(words, &["-name", "-iname"]);
        let options = words.iter().position(|word| word.starts_with(['-', '(', '!']));
        let starts = &words[..options.unwrap_or(words.len())];
        let anywhere = [".".to_owned()];
        for start in if starts.is_empty() { &anywhere } else { starts } {
            let all = ["*".to_owned()];
            for name in if names.is_empty() { &all[..] } else { &names[..] } {
                let path = format!("{}/**/{name}", start.trim_end_matches('/'));
                self.variables.add("{}", &path);
                self.reads(&[path], directory);
            }
        }
    }

    /// `for f in a b`: one variable with several values.
    fn assign_loop(&mut self, words: &[String]) {
        if let Some((name, values)) = words.split_first() {
            for value in values.iter().filter(|value| *value != "in") {
                self.variables.add(name, value);
            }
        }
    }

    fn assign(&mut self, words: &[String]) {
        for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
            self.variables.add(name, value);
        }
    }

    /// `read f`: what the line reads may be the name of a script.
    fn assign_read(&mut self, words: &[String]) {
        for name in words.iter().filter(|word| !word.starts_with('-')) {
            self.variables.add(name, "$(read)");
        }
    }

    pub(super) fn configs_of(&mut self, call: &ToolCall<'_>) {
        if let Some(tool) = find_tool(call.program(), call.words) {
            self.configs(tool, call);
        }
    }

    /// The configuration of a tool: what its options name, and what it finds by itself.
    pub(super) fn configs(&mut self, tool: &CheckTool, call: &ToolCall<'_>) {
        let names: Vec<String> = tool.configs.iter().map(|&name| name.to_owned()).collect();
        for value in option_values(call.words, CONFIG_OPTIONS) {
            self.uses(FileUse::LoadsConfig, &value, call.directory);
            if let Some(directory) = WordPath::new(&value, call.directory) {
                self.add(FileUse::LoadsConfig, FileMatcher::Below(directory, names.clone()));
            }
        }
        let directory = call.directory.map(ToOwned::to_owned);
        let named = FileMatcher::Named { names, directory, reach: tool.reach };
        self.add(FileUse::LoadsConfig, named);
        if matches!(tool.kind, ToolKind::Build | ToolKind::Scripts) {
            self.delegates(call.directory);
        }
    }

    /// A program that may start any runner: the configuration of all of them counts.
    pub(super) fn delegates(&mut self, directory: Option<&str>) {
        let names = test_configs().map(ToOwned::to_owned).collect();
        let directory = directory.map(ToOwned::to_owned);
        let named = FileMatcher::Named { names, directory, reach: ConfigReach::Around };
        self.add(FileUse::LoadsConfig, named);
    }

    pub(super) fn executes(&mut self, words: &[String], directory: Option<&str>) {
        for word in words {
            if runs_substitution(word) {
                self.feeds_interpreter = true;
            }
            self.uses(FileUse::Executes, word, directory);
        }
    }

    pub(super) fn reads(&mut self, words: &[String], directory: Option<&str>) {
        let room = MAX_USES.saturating_sub(self.read.len());
        let paths = words.iter().filter_map(|word| WordPath::new(word, directory));
        self.read.extend(paths.take(room));
    }

    pub(super) fn uses(&mut self, usage: FileUse, word: &str, directory: Option<&str>) {
        if let Some(path) = WordPath::new(word, directory) {
            self.add(usage, FileMatcher::File(path));
        }
    }

    pub(super) fn add(&mut self, usage: FileUse, files: FileMatcher) {
        if self.found.len() < MAX_USES {
            self.found.push((usage, files));
        }
    }
}
