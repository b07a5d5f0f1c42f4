//! Programs that execute the script they are given.

/// Where an interpreter finds what it executes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScriptSource<'a> {
    /// The script, and what it is given.
    File(&'a [String]),
    /// `-m`: a module, and what it is given.
    Module(&'a [String]),
    /// Text in the command line.
    Inline,
    /// Standard input.
    Stdin,
    /// It only checks the syntax.
    Nothing,
}

/// A program that executes scripts.
#[derive(Debug)]
pub(super) struct ScriptInterpreter {
    names: &'static [&'static str],
    /// Options whose value is the program itself.
    inline: &'static [&'static str],
    /// Options with which nothing is executed.
    inert: &'static [&'static str],
    /// Options whose value is something else.
    valued: &'static [&'static str],
    /// Options whose value is a file that is executed before.
    pub(super) preloads: &'static [&'static str],
    /// How a file is named without its extension.
    pub(super) extensions: &'static [&'static str],
    /// Words that may come before the script.
    subcommands: &'static [&'static str],
}

const PLAIN: ScriptInterpreter = ScriptInterpreter {
    names: &[],
    inline: &["-e"],
    inert: &["-h", "--help", "--version"],
    valued: &[],
    preloads: &[],
    extensions: &[],
    subcommands: &[],
};

const NODE_EXTENSIONS: &[&str] = &[
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".mts",
    ".cts",
    ".json",
    "/index.js",
    "/index.mjs",
    "/index.ts",
];

const INTERPRETERS: &[ScriptInterpreter] = &[
    ScriptInterpreter {
        names: &["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"],
        inline: &["-c"],
        inert: &["-n", "-nv", "-vn", "--version", "--help", "--noexec", "--no-execute"],
        valued: &["-o", "-O", "+o", "+O", "-eo", "-euo", "-exo", "-euxo", "-uo", "-xo", "-ueo"],
        preloads: &["--rcfile", "--init-file"],
        subcommands: &["sh", "ash"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["python", "python2", "python3", "pypy", "pypy3", "ipython", "micropython"],
        inline: &["-c"],
        inert: &["-V", "--version", "-h", "--help"],
        valued: &["-W", "-X", "-Q", "--check-hash-based-pycs"],
        extensions: &["/__main__.py"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &[
            "node",
            "nodejs",
            "tsx",
            "ts-node",
            "ts-node-esm",
            "babel-node",
            "bun",
            "esr",
            "jiti",
        ],
        inline: &["-e", "--eval", "-p", "--print", "-pe"],
        inert: &["-c", "--check", "-v", "--version", "-h", "--help"],
        valued: &[
            "-C",
            "--conditions",
            "--env-file",
            "--input-type",
            "-P",
            "--project",
            "--tsconfig",
        ],
        preloads: &[
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
            "--preload",
        ],
        extensions: NODE_EXTENSIONS,
        subcommands: &["run", "watch"],
    },
    ScriptInterpreter {
        names: &["deno"],
        inline: &["eval"],
        inert: &["check", "lint", "fmt", "--version"],
        valued: &["-c", "--config", "--import-map", "--lock", "-L"],
        preloads: &["--preload"],
        subcommands: &["run", "serve"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["ruby", "jruby"],
        inert: &["-c", "-v", "--version"],
        valued: &["-I", "-C"],
        preloads: &["-r", "--require"],
        extensions: &[".rb"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["perl"],
        inline: &["-e", "-E", "-ne", "-pe", "-nE", "-lne", "-0777"],
        inert: &["-c", "-v"],
        valued: &["-I"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["php"],
        inline: &["-r"],
        inert: &["-l", "-v", "-i", "-m", "--syntax-check"],
        valued: &["-c", "-d", "-S", "-t"],
        preloads: &["-f", "--file"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &[
            "Rscript", "julia", "lua", "luajit", "tclsh", "elixir", "groovy", "guile", "racket",
            "scala",
        ],
        inline: &["-e", "--eval", "-E"],
        valued: &["-l"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["pwsh", "powershell"],
        inline: &["-c", "-Command", "-command"],
        preloads: &["-File", "-f", "-file"],
        ..PLAIN
    },
    ScriptInterpreter {
        names: &["expect", "osascript", "swift", "dart", "kotlin", "jshell"],
        ..PLAIN
    },
];

/// The interpreter of this name; `python3.12` is `python`.
pub(super) fn find_interpreter(program: &str) -> Option<&'static ScriptInterpreter> {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.iter().find(|it| it.names.contains(&program) || it.names.contains(&bare))
}

impl ScriptInterpreter {
    /// What these words make it execute; the first is its own name.
    pub(super) fn script_source<'a>(&self, words: &'a [String]) -> ScriptSource<'a> {
        let has_modules = self.names.contains(&"python");
        let is_shell = self.names.contains(&"bash");
        let mut subcommands = self.subcommands.iter();
        let mut at = 1;
        while let Some(word) = words.get(at) {
            let word = word.as_str();
            if self.inert.contains(&word) {
                return ScriptSource::Nothing;
            }
            if self.inline.contains(&word) {
                return ScriptSource::Inline;
            }
            if has_modules && word == "-m" {
                return words.get(at + 1..).map_or(ScriptSource::Nothing, ScriptSource::Module);
            }
            at += 1;
            if word == "--" {
                break;
            }
            if word == "-" || (is_shell && word == "-s") {
                return ScriptSource::Stdin;
            }
            let is_option = word.starts_with('-') || (is_shell && word.starts_with('+'));
            if is_option {
                at += usize::from(self.valued.contains(&word) || self.preloads.contains(&word));
            } else if !subcommands.any(|subcommand| *subcommand == word) {
                at -= 1;
                break;
            }
        }
        match words.get(at..) {
            Some([]) | None => ScriptSource::Stdin,
            Some(rest) => ScriptSource::File(rest),
        }
    }
}

/// Modules of Python's own library that only read what they are given.
pub(super) const READING_MODULES: [&str; 8] = [
    "py_compile",
    "compileall",
    "json.tool",
    "tokenize",
    "ast",
    "zipfile",
    "tarfile",
    "http.server",
];

/// Programs whose script is a file only if an option says so, and the options.
pub(super) const SCRIPT_OPTIONS: &[(&[&str], &[&str])] = &[
    (&["awk", "gawk", "mawk", "nawk"], &["-f", "--file", "-E", "--exec"]),
    (&["sed", "gsed"], &["-f", "--file"]),
    (&["jq", "gojq", "yq"], &["-f", "--from-file"]),
    (&["psql"], &["-f", "--file"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn source(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        let interpreter = find_interpreter(&words[0]).expect("an interpreter");
        match interpreter.script_source(&words) {
            ScriptSource::File(rest) => rest.join(" "),
            ScriptSource::Module(rest) => format!("-m {}", rest.join(" ")),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_script_is_told_from_options_and_their_values() {
        for (line, expected) in [
            ("bash x.sh -c y", "x.sh -c y"),
            ("bash -euo pipefail x.sh", "x.sh"),
            ("bash -n x.sh", "Nothing"),
            ("bash", "Stdin"),
            ("bash -s a", "Stdin"),
            ("busybox sh x", "x"),
            ("python3.12 -W error -u x.py a", "x.py a"),
            ("python -m unittest tests.x", "-m unittest tests.x"),
            ("python -c code", "Inline"),
            ("python -", "Stdin"),
            ("node --check x.js", "Nothing"),
            ("node -r ./setup.js x.js", "x.js"),
            ("node --enable-source-maps x", "x"),
            ("bun run x.ts", "x.ts"),
            ("deno run -A x.ts", "x.ts"),
            ("ruby -c x.rb", "Nothing"),
            ("php artisan test", "artisan test"),
            ("perl -ne code x", "Inline"),
        ] {
            assert_eq!(source(line), expected, "{line}");
        }
        assert!(find_interpreter("pythonic").is_none());
    }
}
