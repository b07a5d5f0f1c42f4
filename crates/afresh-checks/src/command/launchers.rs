//! Programs that start the program they are given: `npx`, `uv run`.

/// A program, the words that follow it, and its options whose value is the next word.
struct LauncherSyntax {
    words: &'static [&'static str],
    valued: &'static [&'static str],
}

const fn launcher(
    words: &'static [&'static str],
    valued: &'static [&'static str],
) -> LauncherSyntax {
    LauncherSyntax { words, valued }
}

const LAUNCHERS: &[LauncherSyntax] = &[
    launcher(&["npx"], &["-p", "--package", "-w", "--workspace"]),
    launcher(&["bunx"], &["-p", "--package"]),
    launcher(&["uvx"], &["--from", "--with", "-p", "--python"]),
    launcher(&["npm", "exec"], &["-p", "--package", "-w", "--workspace"]),
    launcher(&["pnpm", "exec"], &["-C", "--dir", "--filter", "-F"]),
    launcher(&["pnpm", "dlx"], &["--package"]),
    launcher(&["yarn", "exec"], &[]),
    launcher(&["yarn", "dlx"], &["-p"]),
    launcher(&["bun", "x"], &[]),
    launcher(
        &["uv", "run"],
        &["--with", "--group", "--extra", "-p", "--python", "--package", "--env-file"],
    ),
    launcher(&["uv", "tool", "run"], &["--from", "--with", "-p", "--python"]),
    launcher(&["poetry", "run"], &[]),
    launcher(&["pipenv", "run"], &[]),
    launcher(&["pdm", "run"], &["-p"]),
    launcher(&["rye", "run"], &[]),
    launcher(&["hatch", "run"], &["-e"]),
    launcher(&["bundle", "exec"], &[]),
    launcher(&["cross-env"], &[]),
    launcher(&["dotenv"], &["-f", "-e"]),
    launcher(&["rustup", "run"], &[]),
    launcher(&["retry"], &["-t", "-d"]),
];

/// Tools that package managers start by their plain name: `yarn jest`.
const STARTED_BY_NAME: [&str; 6] = ["jest", "vitest", "mocha", "eslint", "tsc", "ruff"];

/// How many words come before the program that is started: 2 for `uv run pytest`. None if the program is no launcher.
pub fn words_before_program(words: &[String]) -> Option<usize> {
    let name = |at: usize| words.get(at).map(|word| word.rsplit('/').next().unwrap_or(word));
    if matches!(name(0), Some("yarn" | "pnpm" | "bun"))
        && name(1).is_some_and(|word| STARTED_BY_NAME.contains(&word))
    {
        return Some(1);
    }
    let known = LAUNCHERS.iter().find(|launcher| {
        launcher.words.iter().enumerate().all(|(at, word)| name(at) == Some(word))
    })?;
    let mut at = known.words.len();
    // The toolchain of `rustup run stable cargo test`.
    at += usize::from(known.words[0] == "rustup");
    while let Some(word) = words.get(at) {
        let is_assignment = known.words[0] == "cross-env" && word.contains('=');
        if !word.starts_with('-') && !is_assignment {
            break;
        }
        at += 1;
        if word == "--" {
            break;
        }
        at += usize::from(known.valued.contains(&word.as_str()));
    }
    (at < words.len()).then_some(at)
}
