//! Programs that succeed whatever the state of the work is.

/// Programs that always succeed.
const SUCCEEDING: &[&str] = &[
    "true", ":", "echo", "printf", "pwd", "date", "sleep", "export", "unset", "whoami", "hostname",
    "uname", "env",
];

/// Programs that pass on what they read: behind a pipe, their exit code says nothing about the program before them.
const PASSING_ON: &[&str] = &[
    "head", "tail", "cat", "tee", "wc", "less", "more", "tr", "cut", "uniq", "nl", "column",
    "fold", "rev", "tac", "sed", "strings", "xargs", "ts",
];

/// Tools of other people: that they print their version says nothing about the work.
const TOOLS: &[&str] = &[
    "python", "python3", "node", "npm", "npx", "pnpm", "yarn", "bun", "deno", "cargo", "rustc",
    "go", "git", "make", "cmake", "java", "javac", "mvn", "gradle", "ruby", "gem", "bundle", "php",
    "composer", "dotnet", "docker", "pytest", "jest", "tsc", "eslint", "pip", "pip3", "uv",
    "poetry", "swift", "kotlinc", "elixir", "mix", "perl", "gcc", "clang", "bash", "sh", "curl",
    "jq", "sqlite3",
];

/// Programs that start the program they are given.
const WRAPPERS: &[&str] =
    &["env", "timeout", "nice", "nohup", "command", "exec", "time", "stdbuf", "sudo", "xvfb-run"];

pub(super) fn is_wrapper(word: &str) -> bool {
    WRAPPERS.contains(&word)
}

/// The words of the program that a wrapper starts; the name of the wrapper's own result if it starts none.
pub(super) fn words_after_wrapper(words: &[String]) -> Vec<String> {
    let is_own = |word: &String| {
        word.starts_with('-')
            || word
                .split_once('=')
                .is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
            || word
                .trim_end_matches(['s', 'm', 'h'])
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.')
    };
    // `command -v x` looks for a program, and fails without it.
    if words.get(1).is_some_and(|word| matches!(word.as_str(), "-v" | "-V")) {
        return vec!["which".to_owned()];
    }
    let rest: Vec<String> = words[1..].iter().skip_while(|word| is_own(word)).cloned().collect();
    if rest.is_empty() { vec!["which".to_owned()] } else { rest }
}

/// Whether a simple command succeeds whatever the state of the work is. In doubt, no.
pub(super) fn never_fails(words: &[String]) -> bool {
    let program = words.first().map(String::as_str).unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or(program);
    let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let has = |options: &[&str]| arguments.iter().any(|word| options.contains(word));
    match name {
        // A program of the project may have one of these names.
        _ if program.starts_with("./") => false,
        _ if SUCCEEDING.contains(&name) => true,
        // With a process, its exit code is that of the process.
        "wait" => arguments.is_empty(),
        "test" | "[" | "[[" => is_true_condition(&arguments),
        "ls" => arguments.iter().all(|word| is_here(word)),
        "find" => {
            arguments.iter().take_while(|word| !is_test_of_find(word)).all(|word| is_here(word))
                && !has(&["-exec", "-execdir", "-quit"])
        }
        "git" => {
            // With a name, they ask for something that may be missing: `git config --get x`, `git log v1..`.
            let is_listing =
                arguments[1.min(arguments.len())..].iter().all(|word| word.starts_with('-'));
            arguments.first() == Some(&"status")
                || (is_listing && matches!(arguments.first(), Some(&("log" | "branch" | "remote"))))
                || (arguments.first() == Some(&"diff")
                    && !has(&["--exit-code", "--quiet", "--check", "--no-index"]))
        }
        "make" | "gmake" => has(&["-n", "-i", "--dry-run", "--just-print", "--ignore-errors"]),
        _ if is_python(name)
            || matches!(name, "node" | "ruby" | "perl" | "php" | "deno" | "bun") =>
        {
            let code =
                arguments.windows(2).find(|pair| matches!(pair[0], "-c" | "-e" | "-r" | "eval"));
            code.is_some_and(|pair| only_prints(pair[1])) || is_about_tool(name, &arguments)
        }
        _ => is_about_tool(name, &arguments),
    }
}

/// Behind a pipe, whether the exit code is about something else than the program before it.
pub(super) fn only_passes_on(words: &[String]) -> bool {
    let name =
        words.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    match name {
        "sort" => !words.iter().any(|word| matches!(word.as_str(), "-c" | "-C" | "--check")),
        "awk" | "gawk" | "mawk" => !words.iter().any(|word| word.contains("exit")),
        // It starts another program.
        "xargs" => {
            words.len() == 1
                || words[1..].iter().all(|word| word.starts_with('-') || word == "echo")
        }
        _ => PASSING_ON.contains(&name),
    }
}

/// An option, or the directory that a check starts in.
fn is_here(word: &str) -> bool {
    word.starts_with('-') || matches!(word, "." | "./")
}

fn is_test_of_find(word: &str) -> bool {
    word.starts_with('-') && word.len() > 2
}

fn is_about_tool(name: &str, arguments: &[&str]) -> bool {
    let asks = ["--version", "-V", "-version", "--help", "version"];
    matches!(arguments, [only] if asks.contains(only)) && (TOOLS.contains(&name) || is_python(name))
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python")
        .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// A condition about fixed words: `1 = 1`, `-n x`.
fn is_true_condition(arguments: &[&str]) -> bool {
    let arguments: Vec<&str> =
        arguments.iter().copied().filter(|word| !matches!(*word, "]" | "]]")).collect();
    if arguments.iter().any(|word| word.contains(['$', '`', '*', '?'])) {
        return false;
    }
    match arguments.as_slice() {
        [word] => !word.is_empty() && !word.starts_with('-'),
        ["-n", word] => !word.is_empty(),
        ["-z", word] => word.is_empty(),
        ["-d" | "-e", "." | "./" | "/" | "/tmp"] => true,
        [one, "=" | "==" | "-eq", other] => one == other,
        [one, "!=" | "-ne", other] => one != other,
        _ => false,
    }
}

/// Whether a program text has nothing that could fail: it prints a text, or does nothing.
fn only_prints(code: &str) -> bool {
    let words = [
        "import", "assert", "require", "raise", "throw", "exit", "open", "if ", "from", "process",
        "load", "eval",
    ];
    if words.iter().any(|word| code.contains(word)) {
        return false;
    }
    code.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        let printed = ["print(", "console.log(", "puts ", "puts(", "echo ", "print ", "p "];
        let call = printed.iter().find_map(|front| part.strip_prefix(front));
        let is_text = call.is_some_and(|rest| {
            let rest = rest.trim_end_matches(')').trim();
            let quote = rest.chars().next().unwrap_or(' ');
            rest.is_empty()
                || rest.bytes().all(|byte| byte.is_ascii_digit())
                || "'\"".contains(quote) && rest.ends_with(quote)
        });
        is_text || matches!(part, "pass" | "True" | "true" | "0" | "1")
    })
}
