//! Programs that run tests, lint or start other programs, and the configuration that they load.

/// What a program does with its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolKind {
    /// It loads them as tests.
    Tests,
    /// It reads them.
    Linter,
    /// They name targets, whose commands are in its configuration.
    Build,
    /// They name a script of the project, which gets the rest.
    Scripts,
}

/// Where a program finds its configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigReach {
    /// In the directory where it runs.
    Here,
    /// There, above, or below, beside the files that it is given.
    Around,
}

/// A program that checks call, and what it loads.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckTool {
    /// Names, with the subcommand where only that one is meant.
    programs: &'static [&'static str],
    pub(super) kind: ToolKind,
    /// Names of the files that it loads from a directory it is given.
    pub(super) collects: &'static [&'static str],
    /// Names of its configuration.
    pub(super) configs: &'static [&'static str],
    pub(super) reach: ConfigReach,
}

const fn tests(
    programs: &'static [&'static str],
    collects: &'static [&'static str],
    configs: &'static [&'static str],
) -> CheckTool {
    CheckTool { programs, kind: ToolKind::Tests, collects, configs, reach: ConfigReach::Around }
}

const fn linter(programs: &'static [&'static str], configs: &'static [&'static str]) -> CheckTool {
    CheckTool {
        programs,
        kind: ToolKind::Linter,
        collects: &[],
        configs,
        reach: ConfigReach::Around,
    }
}

const fn build(programs: &'static [&'static str], configs: &'static [&'static str]) -> CheckTool {
    CheckTool { programs, kind: ToolKind::Build, collects: &[], configs, reach: ConfigReach::Here }
}

const SCRIPT_NAMES: &[&str] =
    &["*.js", "*.cjs", "*.mjs", "*.ts", "*.cts", "*.mts", "*.jsx", "*.tsx"];
const JS_TESTS: &[&str] = &["*.test.*", "*.spec.*", "*.cy.*", "*.e2e.*"];

const TOOLS: &[CheckTool] = &[
    tests(
        &["pytest", "py.test", "ward", "green", "trial"],
        &["test_*.py", "*_test.py", "conftest.py", "test*.txt"],
        &[
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
            "tox.ini",
            "conftest.py",
            ".coveragerc",
        ],
    ),
    tests(&["unittest", "nose2", "nosetests"], &["test*.py"], &["unittest.cfg", "nose2.cfg"]),
    tests(&["behave"], &["*.feature", "*.py"], &["behave.ini", ".behaverc"]),
    tests(&["robot", "pabot"], &["*.robot", "*.resource"], &[]),
    tests(&["tox", "nox"], &[], &["tox.ini", "tox.toml", "noxfile.py"]),
    tests(&["jest"], JS_TESTS, &["jest.config.*", "jest.setup.*", "babel.config.*", ".babelrc*"]),
    tests(
        &["vitest"],
        JS_TESTS,
        &["vitest.config.*", "vitest.workspace.*", "vitest.setup.*", "vite.config.*"],
    ),
    tests(&["mocha", "_mocha"], SCRIPT_NAMES, &[".mocharc*", "mocha.opts"]),
    tests(&["ava"], SCRIPT_NAMES, &["ava.config.*"]),
    tests(
        &["tap", "tape", "uvu", "jasmine", "qunit", "bun test", "node-test"],
        SCRIPT_NAMES,
        &[".taprc", "jasmine.json", "bunfig.toml"],
    ),
    tests(&["karma"], SCRIPT_NAMES, &["karma.conf.*"]),
    tests(&["wtr", "web-test-runner"], SCRIPT_NAMES, &["web-test-runner.config.*"]),
    tests(&["playwright test"], JS_TESTS, &["playwright.config.*"]),
    tests(&["cypress run"], JS_TESTS, &["cypress.config.*", "cypress.json"]),
    tests(&["cucumber", "cucumber-js"], &["*.feature", "*.js", "*.ts", "*.rb"], &["cucumber.*"]),
    tests(&["deno test", "deno bench"], &["*_test.*", "*.test.*", "test.*"], &[]),
    tests(&["go test", "gotestsum", "ginkgo"], &["*_test.go"], &[]),
    tests(
        &["rspec", "rails test", "minitest"],
        &["*_spec.rb", "*_test.rb"],
        &[".rspec", "spec_helper.rb"],
    ),
    tests(
        &["phpunit", "pest", "paratest", "artisan test"],
        &["*Test.php"],
        &["phpunit.xml*", "phpunit.dist.xml"],
    ),
    tests(&["codecept run"], &["*Cest.php", "*Test.php"], &["codeception.y*ml"]),
    tests(&["bats"], &["*.bats"], &[]),
    tests(&["shellspec"], &["*_spec.sh"], &[".shellspec"]),
    tests(&["prove"], &["*.t"], &[".proverc"]),
    tests(&["run-parts"], &["*"], &[]),
    tests(&["busted"], &["*_spec.lua"], &[".busted"]),
    tests(&["mix test"], &["*_test.exs", "test_helper.exs"], &[]),
    tests(&["dart test", "flutter test"], &["*_test.dart"], &["dart_test.yaml"]),
    tests(
        &["swift test", "dotnet test", "zig test", "lein test"],
        &["*Tests.*", "*Test.*"],
        &["*.runsettings"],
    ),
    tests(
        &["hurl", "newman run", "k6 run", "artillery run", "venom run", "tavern-ci", "bru run"],
        &["*"],
        &[],
    ),
    tests(&["ctest"], &[], &["CTestCustom.cmake"]),
    linter(&["eslint", "eslint_d"], &[".eslintrc*", "eslint.config.*", ".eslintignore"]),
    linter(&["prettier"], &[".prettierrc*", "prettier.config.*", ".prettierignore"]),
    linter(&["biome", "rome"], &["biome.json*", "rome.json"]),
    linter(&["oxlint"], &[".oxlintrc.json", "oxlint.config.*"]),
    linter(&["stylelint"], &[".stylelintrc*", "stylelint.config.*"]),
    linter(
        &["tsc", "vue-tsc", "tsd", "tsgo", "svelte-check"],
        &["tsconfig*.json", "jsconfig.json"],
    ),
    linter(&["ruff"], &["ruff.toml", ".ruff.toml"]),
    linter(&["mypy", "dmypy"], &["mypy.ini", ".mypy.ini"]),
    linter(&["pyright", "basedpyright"], &["pyrightconfig.json"]),
    linter(&["pylint"], &["pylintrc", ".pylintrc*", "pylintrc.toml"]),
    linter(&["flake8"], &[".flake8", "tox.ini"]),
    linter(&["pycodestyle", "pydocstyle"], &["tox.ini", ".pycodestyle", ".pydocstyle*"]),
    linter(&["bandit"], &[".bandit", "bandit.y*ml"]),
    linter(&["isort"], &[".isort.cfg", ".editorconfig"]),
    linter(&["coverage"], &[".coveragerc"]),
    linter(&["rubocop", "standardrb"], &[".rubocop*.yml", ".standard.yml"]),
    linter(&["golangci-lint"], &[".golangci.*"]),
    linter(&["staticcheck"], &["staticcheck.conf"]),
    linter(&["shellcheck"], &[".shellcheckrc"]),
    linter(&["yamllint"], &[".yamllint*"]),
    linter(&["markdownlint", "markdownlint-cli2"], &[".markdownlint*"]),
    linter(&["hadolint"], &[".hadolint.y*ml"]),
    linter(&["sqlfluff"], &[".sqlfluff"]),
    linter(&["phpstan"], &["phpstan*.neon*"]),
    linter(&["psalm"], &["psalm.xml*"]),
    linter(&["phpcs"], &["phpcs.xml*", ".phpcs.xml*"]),
    linter(&["clang-tidy"], &[".clang-tidy"]),
    linter(&["clang-format"], &[".clang-format"]),
    linter(&["swiftlint"], &[".swiftlint.yml"]),
    linter(&["detekt"], &["detekt*.yml"]),
    linter(&["ktlint"], &[".editorconfig"]),
    linter(&["typos"], &["typos.toml", "_typos.toml", ".typos.toml"]),
    linter(&["codespell"], &[".codespellrc"]),
    linter(&["buf"], &["buf.yaml", "buf.work.yaml"]),
    linter(&["spectral"], &[".spectral.*"]),
    linter(&["commitlint"], &["commitlint.config.*", ".commitlintrc*"]),
    linter(&["c8", "nyc"], &[".c8rc*", ".nycrc*", "nyc.config.*"]),
    linter(&["size-limit", "knip", "depcheck"], &[".size-limit*", "knip.*", ".depcheckrc*"]),
    linter(&["cargo clippy"], &["clippy.toml", ".clippy.toml"]),
    linter(&["cargo fmt", "rustfmt"], &["rustfmt.toml", ".rustfmt.toml"]),
    linter(&["cargo deny"], &["deny.toml"]),
    tests(&["cargo nextest"], &[], &["nextest.toml"]),
    build(
        &["make", "gmake", "bmake"],
        &["Makefile", "makefile", "GNUmakefile", "BSDmakefile", "*.mk"],
    ),
    build(&["just"], &["justfile", "Justfile", ".justfile"]),
    build(&["task", "go-task"], &["Taskfile.y*ml", "taskfile.y*ml"]),
    build(&["rake"], &["Rakefile", "rakefile", "*.rake"]),
    build(&["invoke", "inv"], &["tasks.py"]),
    build(&["doit"], &["dodo.py"]),
    build(&["mage"], &["magefile.go"]),
    build(&["earthly"], &["Earthfile"]),
    build(&["gulp"], &["gulpfile.*"]),
    build(&["grunt"], &["Gruntfile.*", "gruntfile.*"]),
    build(&["jake"], &["Jakefile*"]),
    build(
        &["nx", "turbo", "lerna", "wireit"],
        &["nx.json", "turbo.json", "lerna.json", "project.json"],
    ),
    CheckTool {
        programs: &[
            "npm", "pnpm", "yarn", "bun", "deno", "composer", "poe", "hatch", "pdm", "pixi",
        ],
        kind: ToolKind::Scripts,
        collects: &[],
        configs: &["pixi.toml", "hatch.toml"],
        reach: ConfigReach::Around,
    },
];

/// The program that these words start: what comes before the arguments is its name, and its subcommand.
pub(super) fn find_tool(program: &str, words: &[String]) -> Option<&'static CheckTool> {
    let first = words.iter().skip(1).find(|word| !word.starts_with('-')).map(String::as_str);
    let named = |wanted: &&str| match wanted.split_once(' ') {
        Some((name, subcommand)) => program == name && first == Some(subcommand),
        None => program == *wanted,
    };
    let exact = |tool: &&CheckTool| tool.programs.iter().any(named);
    // `bun test` comes before `bun`.
    TOOLS.iter().find(exact)
}

/// The names of what configures runners of tests, for a program that may start any of them.
pub(super) fn test_configs() -> impl Iterator<Item = &'static str> {
    let tests = TOOLS.iter().filter(|tool| tool.kind == ToolKind::Tests);
    tests.flat_map(|tool| tool.configs.iter().copied()).filter(|name| !SHARED.contains(name))
}

/// Configuration that is as often that of a build.
const SHARED: [&str; 4] = ["vite.config.*", "babel.config.*", ".babelrc*", "bunfig.toml"];

/// Options of runners whose value is their configuration; other values count as tests all the same.
pub(super) const CONFIG_OPTIONS: &[&str] = &[
    "-c",
    "--config",
    "--config-file",
    "--configuration",
    "--conf",
    "--rcfile",
    "-f",
    "--file",
    "--makefile",
    "--justfile",
    "--taskfile",
    "--rakefile",
    "-p",
    "--project",
    "--settings",
    "--setup",
];

/// Options of any other program whose value is its configuration.
pub(super) const COMMON_CONFIG_OPTIONS: &[&str] = &["--config", "--config-file", "--rcfile"];

/// Options that say where a program runs.
pub(super) const DIRECTORY_OPTIONS: &[&str] =
    &["-C", "--directory", "--prefix", "--cwd", "--working-directory"];

#[cfg(test)]
mod tests {
    use super::*;

    fn tool_of(line: &str) -> Option<&'static CheckTool> {
        let words: Vec<String> = line.split(' ').map(ToOwned::to_owned).collect();
        find_tool(&words[0], &words)
    }

    #[test]
    fn a_subcommand_decides_where_a_program_does_several_things() {
        let kind = |line| tool_of(line).map(|tool| tool.kind);
        assert_eq!(kind("bun test a.ts"), Some(ToolKind::Tests));
        assert_eq!(kind("bun run a"), Some(ToolKind::Scripts));
        assert_eq!(kind("go test ./..."), Some(ToolKind::Tests));
        assert_eq!(kind("go build ./..."), None);
        assert_eq!(kind("make"), Some(ToolKind::Build));
        assert_eq!(kind("grep x"), None);
    }

    #[test]
    fn the_names_of_tools_are_unique() {
        let mut names: Vec<&str> = TOOLS.iter().flat_map(|tool| tool.programs).copied().collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
