//! Programs of package managers and the like that start another program: `npx jest`, `poetry run pytest`.
//!
//! Those that every shell has (`env`, `timeout`, `xargs`) are taken away before.

use super::interpreters::find_interpreter;
use super::tools::find_tool;

/// The words before the program that is started.
const LAUNCHERS: &[&[&str]] = &[
    &["npx"],
    &["bunx"],
    &["pnpx"],
    &["uvx"],
    &["pipx", "run"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["npm", "exec"],
    &["npm", "x"],
    &["yarn", "exec"],
    &["yarn", "dlx"],
    &["bun", "x"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["uv", "run"],
    &["rye", "run"],
    &["conda", "run"],
    &["mamba", "run"],
    &["bundle", "exec"],
    &["direnv", "exec"],
    &["mise", "exec"],
    &["asdf", "exec"],
    &["dotenv"],
    &["env-cmd"],
    &["cross-env"],
    &["cross-env-shell"],
    &["c8"],
    &["nyc"],
    &["valgrind"],
    &["strace"],
    &["kcov"],
    &["hyperfine"],
    &["parallel"],
    &["retry"],
    &["watchexec"],
    &["nodemon"],
    &["nix", "develop"],
    &["nix-shell"],
    &["doppler", "run"],
    &["op", "run"],
];

/// Those that start a script of the project, unless they are given a program that is known.
const SCRIPT_LAUNCHERS: &[&[&str]] = &[
    &["yarn", "run"],
    &["yarn"],
    &["pnpm", "run"],
    &["pnpm"],
    &["npm", "run"],
    &["hatch", "run"],
    &["pdm", "run"],
    &["pixi", "run"],
    &["composer", "exec"],
];

/// Where in `words` the program begins that a launcher starts; none if the first word is no launcher.
pub(super) fn launched_at(words: &[String]) -> Option<usize> {
    let starts = |prefix: &&&[&str]| {
        words.len() > prefix.len() && words.iter().zip(prefix.iter()).all(|(word, one)| word == one)
    };
    let known = |from: usize| {
        let is_known = |at: &usize| is_program(&words[*at..]);
        (from..words.len()).find(is_known)
    };
    if let Some(prefix) = LAUNCHERS.iter().find(starts) {
        let plain = |word: &String| !word.starts_with('-') && !word.contains('=');
        let first = words[prefix.len()..].iter().position(plain).map(|at| at + prefix.len());
        // After an option, it may be the option's value.
        return first.filter(|at| *at == prefix.len()).or_else(|| known(prefix.len())).or(first);
    }
    let prefix = SCRIPT_LAUNCHERS.iter().find(starts)?;
    let is_next = |at: &usize| words[prefix.len()..*at].iter().all(|word| word.starts_with('-'));
    known(prefix.len()).filter(is_next)
}

/// Whether these words start a program that we know.
fn is_program(words: &[String]) -> bool {
    let Some(first) = words.first() else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    find_tool(name, words).is_some() || find_interpreter(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(line: &str) -> Option<String> {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        launched_at(&words).map(|at| words[at..].join(" "))
    }

    #[test]
    fn the_program_is_found_behind_options_and_their_values() {
        let is = |line, expected: &str| assert_eq!(launched(line).as_deref(), Some(expected));
        is("npx --yes jest a", "jest a");
        is("npx -p typescript tsc --noEmit", "tsc --noEmit");
        is("uv run --with x pytest a", "pytest a");
        is("cross-env A=b mocha x", "mocha x");
        is("npx own-tool make", "own-tool make");
        is("yarn jest a", "jest a");
        is("pnpm run vitest a", "vitest a");
        assert_eq!(launched("yarn test a"), None);
        assert_eq!(launched("npm run build -- jest"), None);
        assert_eq!(launched("npx"), None);
        assert_eq!(launched("grep npx jest"), None);
    }
}
