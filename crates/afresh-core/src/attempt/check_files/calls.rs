//! What interpreters and runners of tests load.

use super::interpreters::{READING_MODULES, ScriptInterpreter, ScriptSource, find_interpreter};
use super::line::LineReader;
use super::options::option_values;
use super::tools::{CheckTool, find_tool};
use super::word_path::WordPath;
use super::{FileMatcher, FileUse};

/// One program with its arguments, with what was wrapped around it taken away.
pub(super) struct ToolCall<'a> {
    pub(super) words: &'a [String],
    pub(super) directory: Option<&'a str>,
}

impl ToolCall<'_> {
    pub(super) fn program(&self) -> &str {
        let first = self.words.first().map(String::as_str).unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or(first);
        // `vendor/bin/phpunit.phar`, `node_modules/jest/bin/jest.js`
        [".js", ".mjs", ".cjs", ".py", ".phar"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name)
    }
}

impl LineReader {
    /// A script of an interpreter, and the program that the script is.
    pub(super) fn interpret(
        &mut self,
        interpreter: &ScriptInterpreter,
        call: &ToolCall<'_>,
        launches: usize,
    ) {
        self.preloads(interpreter, call);
        match interpreter.script_source(call.words) {
            ScriptSource::Nothing | ScriptSource::Inline => {}
            ScriptSource::Stdin => self.feeds_interpreter = true,
            ScriptSource::Module(words) => self.python_module(call, words, launches),
            ScriptSource::File(words) => {
                self.executes(&words[..1], call.directory);
                for end in interpreter.extensions {
                    if let Some(word) = WordPath::new(&words[0], call.directory) {
                        self.add(FileUse::Executes, FileMatcher::File(word.extended(end)));
                    }
                }
                self.delegates(call.directory);
                let inner = ToolCall { words, ..*call };
                if launches > 0 && find_tool(inner.program(), words).is_some() {
                    self.call(&inner, launches - 1);
                }
            }
        }
    }

    pub(super) fn preloads(&mut self, interpreter: &ScriptInterpreter, call: &ToolCall<'_>) {
        for value in option_values(call.words, interpreter.preloads) {
            self.executes(&[value], call.directory);
        }
    }

    /// `python -m NAME …`
    fn python_module(&mut self, call: &ToolCall<'_>, words: &[String], launches: usize) {
        let Some(name) = words.first() else { return };
        if READING_MODULES.contains(&name.as_str()) {
            return self.reads(&words[1..], call.directory);
        }
        if name == "unittest" {
            return self.unittest(call, &words[1..]);
        }
        let inner = ToolCall { words, ..*call };
        if launches > 0 && (find_tool(name, words).is_some() || name == "coverage") {
            return self.call(&inner, launches - 1);
        }
        for end in [".py", "/__main__.py", "/__init__.py"] {
            let path = format!("{}{end}", name.replace('.', "/"));
            self.add(FileUse::Executes, FileMatcher::Module(path));
        }
        self.delegates(call.directory);
    }

    /// `python -m unittest`: modules, their classes and methods, files, or a directory to search.
    fn unittest(&mut self, call: &ToolCall<'_>, words: &[String]) {
        let patterns = option_values(words, &["-p", "--pattern"]);
        let names = if patterns.is_empty() { vec!["test*.py".to_owned()] } else { patterns };
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            self.uses(FileUse::LoadsTest, word, call.directory);
            if let Some(directory) = WordPath::new(word, call.directory) {
                self.add(FileUse::LoadsTest, FileMatcher::Below(directory, names.clone()));
            }
            let parts: Vec<&str> = word.split('.').collect();
            // The last two may be a class and a method.
            for kept in (1..=parts.len()).rev().take(3) {
                let path = parts[..kept].join("/");
                for end in [".py", "/__init__.py"] {
                    self.add(FileUse::LoadsTest, FileMatcher::Module(format!("{path}{end}")));
                }
            }
        }
    }

    /// Arguments of a runner are tests, whatever option they belong to.
    pub(super) fn tests(&mut self, tool: &CheckTool, call: &ToolCall<'_>) {
        self.configs(tool, call);
        for word in &call.words[1..] {
            let value = match word.split_once('=') {
                Some((_, value)) if word.starts_with('-') => value,
                _ if word.starts_with('-') => continue,
                _ => word,
            };
            for one in value.split(',') {
                self.test_argument(tool, one, call.directory);
            }
        }
    }

    fn test_argument(&mut self, tool: &CheckTool, word: &str, directory: Option<&str>) {
        // `tests/a.py::test_x`, `spec/a_spec.rb:12`
        let word = word.split("::").next().unwrap_or(word);
        let word =
            word.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix(':').unwrap_or(word);
        // `./pkg/...`
        let word = word.strip_suffix("/...").unwrap_or(word);
        self.uses(FileUse::LoadsTest, word, directory);
        if let Some(directory) = WordPath::new(word, directory) {
            let names = tool.collects.iter().map(|&name| name.to_owned()).collect();
            self.add(FileUse::LoadsTest, FileMatcher::Below(directory, names));
        }
    }

    /// A script of the project: its runner is in the manifest, and gets the arguments.
    pub(super) fn scripts(&mut self, call: &ToolCall<'_>, launches: usize) {
        self.configs_of(call);
        // `bun x.ts`, `deno run x.ts`
        if let Some(interpreter) = find_interpreter(call.program()) {
            match interpreter.script_source(call.words) {
                ScriptSource::File(words) if words[0].contains(['.', '/']) => {
                    return self.interpret(interpreter, call, launches);
                }
                ScriptSource::Nothing | ScriptSource::Inline => return,
                _ => {}
            }
        }
        let mut names = call.words[1..].iter().filter(|word| !word.starts_with('-'));
        let tests = |word: &&String| ["test", "spec", "e2e"].iter().any(|part| word.contains(part));
        if names.find(tests).is_some() {
            for word in names {
                self.uses(FileUse::LoadsTest, word, call.directory);
            }
        }
    }

    /// `go run ./tools/check`
    pub(super) fn go_run(&mut self, call: &ToolCall<'_>) {
        if let Some(word) = call.words[2..].iter().find(|word| !word.starts_with('-')) {
            self.uses(FileUse::Executes, word, call.directory);
            if let Some(directory) = WordPath::new(word, call.directory) {
                let names = vec!["*.go".to_owned()];
                self.add(FileUse::Executes, FileMatcher::Below(directory, names));
            }
        }
    }

    /// Targets of cargo that a command names.
    pub(super) fn cargo(&mut self, call: &ToolCall<'_>) {
        self.configs_of(call);
        let targets = [
            ("--test", "tests", FileUse::LoadsTest),
            ("--bench", "benches", FileUse::LoadsTest),
            ("--example", "examples", FileUse::Executes),
            ("--bin", "src/bin", FileUse::Executes),
        ];
        for (option, directory, usage) in targets {
            for name in option_values(call.words, &[option]) {
                for end in [".rs", "/main.rs"] {
                    // In which package of a workspace is not known.
                    self.add(usage, FileMatcher::Module(format!("{directory}/{name}{end}")));
                }
            }
        }
    }
}
