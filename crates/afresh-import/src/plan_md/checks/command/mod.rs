//! Decides whether a text is a command or prose.
//!
//! About three in ten of the texts in a `<verify>` are prose: "All tests pass". Running that would be
//! wrong, and so would be skipping a command. The rules, in this order; in doubt it is prose, because
//! prose is shown to the worker and reported, while a command is run:
//!
//! 1. `$ cmd`, `` `cmd` ``, "Run `cmd`", "`cmd` passes" contain a command; so does "Run `cmd` to ensure
//!    that …", unless the command only prints (`grep`, `ls`), does not end, or another follows.
//! 2. Quotes and brackets must match: "doesn't work" is not a command.
//! 3. The first word is a known program, a path (`./check.sh`), or any plain word whose arguments
//!    look like a command's: an option, an operator, a redirection.
//! 4. Programs whose names are English words (`make`, `test`, `find` …) need such arguments too, or a
//!    typical subcommand (`make test`, `go vet`).
//! 5. None of its bare words describes a result ("returns", "should", "the"), it has no arrow, no
//!    remark in brackets, and does not end like a sentence.

mod around;
mod judge;
mod words;

use afresh_core::plan::shell::{ShellToken, shell_tokens};
use around::in_backticks;
pub use judge::{cannot_fail, counts_matches, leaves_the_tree};
use words::{PROGRAMS, SECOND_WORDS, VERDICTS, WORDS, listed};

/// The command in this text, if it is one.
pub fn find(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("$ ").unwrap_or(text).trim();
    if let Some(inside) = in_backticks(text) {
        return is_command(inside).then(|| inside.to_owned());
    }
    let lower = text.get(..4).unwrap_or_default().to_ascii_lowercase();
    let bare = if matches!(lower.as_str(), "run " | "run:") { text[4..].trim() } else { text };
    is_command(bare).then(|| bare.to_owned())
}

fn is_command(text: &str) -> bool {
    let Some(tokens) = shell_tokens(text) else { return false };
    let mut start = 0;
    // `FOO=bar cmd`, `(cmd`: tokens before the first word of the command.
    while tokens.get(start).is_some_and(is_prefix) {
        start += 1;
    }
    let Some(ShellToken::Word { text: first, quoted: false, .. }) = tokens.get(start) else {
        return false;
    };
    is_program(first, &tokens[start + 1..]) && !reads_like_prose(&tokens, text)
}

fn is_prefix(token: &ShellToken) -> bool {
    match token {
        ShellToken::Word { text, .. } => text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        }),
        ShellToken::Bracket(bracket) => *bracket == '(',
        ShellToken::Operator(operator) => *operator == "\n",
        ShellToken::Redirect { .. } => false,
    }
}

/// Whether the first word can be a program, given what follows.
fn is_program(first: &str, rest: &[ShellToken]) -> bool {
    if first.is_empty() || first.contains(' ') {
        return false;
    }
    if listed(PROGRAMS, first) && !listed(WORDS, first) {
        return true;
    }
    let path = first.contains('/')
        && !first.contains("://")
        && first.chars().all(|c| c.is_ascii_alphanumeric() || "/._-@+~$".contains(c));
    let plain =
        first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._+-".contains(c))
            && first.starts_with(|c: char| c.is_ascii_lowercase());
    let second = rest.first().is_some_and(
        |token| matches!(token, ShellToken::Word { text, .. } if listed(SECOND_WORDS, text) || is_path(text)),
    );
    (path && (rest.is_empty() || first.starts_with(['.', '/']) || looks_like_arguments(rest)))
        || (plain && looks_like_arguments(rest))
        || (listed(WORDS, first) && (second || (rest.is_empty() && first == "make")))
}

/// An option, an operator between commands, a redirection, a variable.
fn looks_like_arguments(rest: &[ShellToken]) -> bool {
    rest.iter().any(|token| match token {
        ShellToken::Word { text, .. } => {
            let option = text.strip_prefix('-').map(|rest| rest.trim_start_matches('-'));
            option.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
                || text.starts_with('$')
        }
        ShellToken::Operator(operator) => matches!(*operator, "&&" | "||" | "|"),
        ShellToken::Redirect { .. } => true,
        ShellToken::Bracket(_) => false,
    })
}

fn is_path(text: &str) -> bool {
    text.contains('/')
        || text.starts_with('.')
        || text.rsplit_once('.').is_some_and(|(a, b)| {
            !a.is_empty() && !b.is_empty() && b.chars().all(|c| c.is_ascii_alphanumeric())
        })
}

/// Whether it contains words that commands only have in quotes.
fn reads_like_prose(tokens: &[ShellToken], text: &str) -> bool {
    let mut prints = false;
    let mut starts = true;
    for token in tokens {
        match token {
            ShellToken::Word { text, quoted, .. } => {
                if starts {
                    prints = matches!(text.as_str(), "echo" | "printf" | "for" | "case");
                }
                let bare = text.trim_end_matches([',', '.', ';', ':']).to_ascii_lowercase();
                let is_verdict = listed(VERDICTS, &bare);
                let arrow =
                    matches!(text.as_str(), "->" | "=>" | "→" | "⇒" | "—" | "–" | "✓" | "≥");
                if !prints && !quoted && (arrow || (is_verdict && !starts)) {
                    return true;
                }
                // After these a command starts.
                let opens =
                    ["!", "if", "then", "else", "elif", "do", "while", "until", "{", "time"];
                starts = starts && !quoted && opens.contains(&text.as_str());
            }
            ShellToken::Operator(_) => starts = true,
            // `npm test (all pass)`: a bracket in the middle of a command is a remark.
            ShellToken::Bracket('(') if !starts => return true,
            ShellToken::Bracket(_) | ShellToken::Redirect { .. } => {}
        }
    }
    ends_like_a_sentence(tokens, text)
}

fn ends_like_a_sentence(tokens: &[ShellToken], text: &str) -> bool {
    let Some(ShellToken::Word { text: last, quoted: false, .. }) = tokens.last() else {
        return false;
    };
    let stem = last.trim_end_matches(['.', ':', ',']);
    let word = !stem.is_empty() && stem.chars().all(char::is_alphabetic);
    word && stem.len() < last.len() && text.split_whitespace().count() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FO-02: texts that are run as checks, from real plans.
    #[test]
    fn commands_are_recognised() {
        for text in [
            "npm test",
            "npx tsc --noEmit && ! grep -rn \"ANON_KEY\" src/",
            "cd backend && python -m pytest tests/ -x -q",
            "cargo test -p core 2>&1 | grep 'test result'",
            "grep -c 'a\\|b' f.html | grep '^0$'",
            "test -f src/a.ts && test -d src",
            "[ -f a ] && [ -d b ]",
            "make test",
            "make",
            "go vet ./...",
            "go test ./...",
            "find src -name '*.ts' | wc -l",
            "./scripts/check.sh",
            "scripts/check.sh --fast",
            "NODE_ENV=test npm run test:unit",
            "node -e \"require('./a')\"",
            "node --test",
            "node scripts/check.mjs",
            "docker compose config",
            "ls -la .claude/skills/spawn-protocol.md",
            "zola build --drafts",
            "(cd web && npm run build)",
            "for f in a b; do test -f $f; done",
            "if [ -f a ]; then exit 1; fi",
            "echo the end is near",
            "pnpm --filter @x/planning test && pnpm --filter @x/cli test -- --test-name-pattern \"toy | immutable\"",
            "xcodebuild -scheme App build",
            "swift build",
            "! ( git status --porcelain | grep -q src ) && grep -q a b",
            "npm test && [ \"$(grep -c x f)\" = \"2\" ]",
            "test \"$(cat V)\" = \"$(node -p \"require('./package.json').version\")\"",
        ] {
            assert_eq!(find(text).as_deref(), Some(text), "{text}");
        }
        for (text, command) in [
            ("$ npm test", "npm test"),
            ("`npm test`", "npm test"),
            ("Run `npm test`", "npm test"),
            ("`npm run build` succeeds.", "npm run build"),
            ("Run: npm test", "npm test"),
            ("Run npm run lint", "npm run lint"),
            ("Run `./gradlew :app:assembleDebug`.", "./gradlew :app:assembleDebug"),
            ("`npm run lint -- --quiet a.jsx` passes (no errors)", "npm run lint -- --quiet a.jsx"),
            ("`pytest tests -v` — all tests pass.", "pytest tests -v"),
            ("`mypy --strict a.py` clean.", "mypy --strict a.py"),
            ("Run `cargo check -p a` to confirm that `B` compiles.", "cargo check -p a"),
            ("`cd web && npx tsc --noEmit` — zero TypeScript errors", "cd web && npx tsc --noEmit"),
            ("`npx tsc --noEmit` — 0 errors", "npx tsc --noEmit"),
            ("`npx vitest run a.test.ts` — 22/22 pass (zero failures)", "npx vitest run a.test.ts"),
            ("`npx vitest run` → full suite green", "npx vitest run"),
            ("`cargo test slot` — all slot tests pass (6 updated + 1 new)", "cargo test slot"),
            ("`test -f docs/a.md` — the file exists", "test -f docs/a.md"),
        ] {
            assert_eq!(find(text).as_deref(), Some(command), "{text}");
        }
    }

    /// FO-02: texts that are never run.
    #[test]
    fn prose_is_recognised() {
        for text in [
            "",
            "All tests pass",
            "Tests pass and the page renders",
            "make sure the tests pass",
            "test that login works",
            "find the button and click it",
            "npm test passes",
            "npm run build succeeds without errors",
            "grep -c foo src/a.ts returns 3",
            "npm test (all pass)",
            "npm test → green",
            "ls src/a.ts shows the file",
            "it doesn't crash",
            "TypeScript compiles",
            "Visit http://localhost:3000 and log in",
            "http://localhost:3000",
            "curl localhost:3000/api returns 200",
            "`grep foo x` returns nothing",
            "`rg foo x` — at least 3 matches",
            "`cargo test a` — 3 tests fail",
            "`cargo test a` does not pass yet",
            "`cargo test a` — the suite passes, but with 2 errors",
            "`cargo test a` — an error is printed",
            "Run the app and check the login page",
            "go to the settings page.",
            "src/auth.ts exists",
            "open the app",
            "file exists at src/a.ts",
            "check types",
            "MISSING — Wave 0 must create tests/a.test.ts first",
            "构建成功",
            "run the linter.",
            "node exports the right symbols",
            "npm run build succeeds, visually confirm it",
            "npm run build, then look",
            "Run `grep -c x f` to confirm no matches",
            "Run `npm run dev` to verify the page",
            "`cd web && npx tsc --noEmit 2>&1 | grep View` returns 0 errors",
            "`npm test` passes; `npm run lint` passes",
            "Rebuild: `docker compose build`",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    #[test]
    fn checks_that_cannot_fail_are_recognised() {
        for text in [
            "npm test 2>&1 | tail -5",
            "a | head -20",
            "a || true",
            "make test; echo done",
            "bash -c \"grep -q x f && echo PASS || echo FAIL\"",
            "sh -c 'a || exit 0'",
            "a || exit 0",
            "(grep -q x f && echo yes || echo no)",
            "if grep -q x f; then echo PASS; else echo FAIL; fi",
        ] {
            assert!(cannot_fail(text).is_some(), "{text}");
        }
        for text in [
            "npm test",
            "a | grep -q x",
            "a && echo ok",
            "echo a | wc -l && b",
            "bash -c 'a && echo ok'",
            "if grep -q x f; then echo PASS; else exit 1; fi",
            "a || exit 1",
            "if a; then echo PASS; fi; b",
        ] {
            assert_eq!(cannot_fail(text), None, "{text}");
        }
    }

    /// Checks whose exit code is not what the author looked at.
    #[test]
    fn counts_and_other_machines_are_recognised() {
        for text in
            ["git status --porcelain x | grep -c \"certs/\"", "grep -rc a src", "grep --count a b"]
        {
            assert!(counts_matches(text), "{text}");
        }
        for text in ["test $(grep -c a b) -eq 0", "grep -c a b | grep -q '^0$'", "grep -q -- -c a"]
        {
            assert!(!counts_matches(text), "{text}");
        }
        for text in [
            "cd /home/me/app && npm test",
            "test -f /Users/x/a.ts",
            "$HOME/.cache/venv/bin/python -m pytest",
            "python -c \"open('c:/Users/x/a.txt')\"",
            "ssh host 'cd /opt/x && make'",
            "~/bin/check.sh",
            "diff a.txt \"${HOME}/b.txt\"",
        ] {
            assert!(leaves_the_tree(text), "{text}");
        }
        for text in
            ["npm test", "curl localhost:3000/home/x", "cd /tmp/x && ls", "test -f src/home/a"]
        {
            assert!(!leaves_the_tree(text), "{text}");
        }
    }
}
