use super::*;

fn use_of(line: &str, path: &str) -> &'static str {
    match CheckFiles::read([line]).use_of(path) {
        Some(FileUse::Executes) => "executes",
        Some(FileUse::LoadsTest) => "loads",
        Some(FileUse::LoadsConfig) => "config",
        None => "reads",
    }
}

#[track_caller]
fn expect_all(cases: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(line, path, expected)| use_of(line, path) != *expected)
        .map(|(line, path, expected)| {
            format!("{line}\n  {path}: {}, expected {expected}", use_of(line, path))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// EX-04: what a check reads is what it checks.
#[test]
fn files_that_are_read_are_no_tests() {
    let path = "src/index.ts";
    for line in [
        "grep -q x src/index.ts",
        "! grep -rn TODO src/index.ts",
        "test -f src/index.ts",
        "[ -s src/index.ts ]",
        "[[ -f src/index.ts && -r src/index.ts ]]",
        "cat src/index.ts",
        "cat src/index.ts | grep -c export",
        "head -5 src/index.ts",
        "tail -n +2 src/index.ts",
        "wc -l < src/index.ts",
        "diff src/index.ts expected.ts",
        "cmp src/index.ts other.ts",
        "ls src/index.ts",
        "stat -c %s src/index.ts",
        "find src/index.ts -newer x",
        "jq .a src/index.ts",
        "awk '/x/ { print }' src/index.ts",
        "sed -n 1p src/index.ts",
        "sha256sum src/index.ts",
        "git diff --exit-code src/index.ts",
        "test \"$(wc -l < src/index.ts)\" -ge 3",
        "test \"$(cat src/index.ts)\" = ok",
        "echo src/index.ts",
        "eslint src/index.ts",
        "npx tsc --noEmit src/index.ts",
        "npx prettier --check src/index.ts",
        "node --check src/index.ts",
        "bash -n src/index.ts",
        "python3 -m py_compile src/index.ts",
        "deno check src/index.ts",
        "node -e \"require('./src/index.ts')\"",
        "python3 -c 'print(open(\"src/index.ts\").read())'",
        "sqlite3 x.db < src/index.ts",
        "node tools/check.js src/index.ts",
        "bash ci.sh src/index.ts",
        "python3 -m json.tool src/index.ts > /dev/null",
        "npm run lint -- src/index.ts",
        "jest --testPathPattern=other",
        "timeout 5 grep -q x src/index.ts",
        "env A=b cat src/index.ts",
        "ls src/*.ts | xargs grep -q x",
        "find src -name '*.ts' -exec grep -l x {} +",
        "for f in src/*.ts; do test -s \"$f\"; done",
        "bash -c 'grep -q \"x y\" src/index.ts'",
        "cd src && grep -q x index.ts",
        "x=src/index.ts; grep -q x $x",
        "make -C src test",
        "go vet ./src/...",
        "gcc -c src/index.ts",
        "frobnicate src/index.ts",
        "pytest src",
        "jest src",
    ] {
        assert_eq!(use_of(line, path), "reads", "{line}");
    }
}

/// EX-04.
#[test]
fn programs_and_scripts_are_executed() {
    expect_all(&[
        ("./scripts/check", "scripts/check", "executes"),
        ("scripts/check --fast", "scripts/check", "executes"),
        ("bash x.sh", "x.sh", "executes"),
        ("bash -euo pipefail x.sh a", "x.sh", "executes"),
        ("sh ./ci/check", "ci/check", "executes"),
        ("python tests/x.py", "tests/x.py", "executes"),
        ("python3.12 -u tools/verify.py", "tools/verify.py", "executes"),
        ("python -m pkg.tests", "pkg/tests.py", "executes"),
        ("python -m pkg.tests", "pkg/tests/__main__.py", "executes"),
        ("python -m pkg.tests", "src/pkg/tests/__init__.py", "executes"),
        ("python tools/verify", "tools/verify/__main__.py", "executes"),
        ("node x.js", "x.js", "executes"),
        ("node tools/verify", "tools/verify.mjs", "executes"),
        ("node -r ./hooks/setup.js x.js", "hooks/setup.js", "executes"),
        ("npx tsx tools/verify.ts", "tools/verify.ts", "executes"),
        ("bun tools/verify.ts", "tools/verify.ts", "executes"),
        ("deno run -A tools/verify.ts", "tools/verify.ts", "executes"),
        ("ruby tools/verify.rb", "tools/verify.rb", "executes"),
        ("php artisan test", "artisan", "executes"),
        (". ./ci/env.sh && make", "ci/env.sh", "executes"),
        ("source ci/env.sh", "ci/env.sh", "executes"),
        ("awk -f tools/sum.awk data.txt", "tools/sum.awk", "executes"),
        ("awk -f tools/sum.awk data.txt", "data.txt", "reads"),
        ("jq -e -f tools/q.jq data.json", "tools/q.jq", "executes"),
        ("go run ./tools/check a", "tools/check/main.go", "executes"),
        ("go run tools/check.go", "tools/check.go", "executes"),
        ("cargo run --bin verify -- a", "src/bin/verify.rs", "executes"),
        ("coverage run tools/verify.py", "tools/verify.py", "executes"),
        ("poetry run python tools/verify.py", "tools/verify.py", "executes"),
        ("BASH_ENV=ci/env.sh bash -c true", "ci/env.sh", "config"),
    ]);
}

/// EX-04.
#[test]
fn arguments_of_runners_are_tests() {
    expect_all(&[
        ("pytest checks/verify.py", "checks/verify.py", "loads"),
        ("pytest checks/verify.py::TestA::test_b -q", "checks/verify.py", "loads"),
        ("python3 -m pytest -q checks/verify.py", "checks/verify.py", "loads"),
        ("coverage run -m pytest checks/verify.py", "checks/verify.py", "loads"),
        ("uv run --with x pytest checks/verify.py", "checks/verify.py", "loads"),
        ("pytest checks/", "checks/deep/test_a.py", "loads"),
        ("pytest checks/", "checks/deep/helper.py", "reads"),
        ("pytest .", "conftest.py", "config"),
        ("python3 -m unittest checks.verify", "checks/verify.py", "loads"),
        ("python3 -m unittest checks.verify.Case.test_a", "checks/verify.py", "loads"),
        ("python3 -m unittest discover -s checks -p 'v*.py'", "checks/verify.py", "loads"),
        ("python3 -m unittest discover -s checks", "checks/verify.py", "reads"),
        ("npx jest checks/a.js", "checks/a.js", "loads"),
        ("npx vitest run checks/a.ts", "checks/a.ts", "loads"),
        ("npx mocha checks", "checks/a.js", "loads"),
        ("npx mocha 'checks/**/*.js'", "checks/deep/a.js", "loads"),
        ("yarn mocha checks/a.js", "checks/a.js", "loads"),
        ("node --test checks/a.mjs", "checks/a.mjs", "loads"),
        ("node --import ./hook.mjs --test checks/a.mjs", "hook.mjs", "executes"),
        ("npm test -- checks/a.js", "checks/a.js", "loads"),
        ("node node_modules/.bin/mocha checks/a.js", "checks/a.js", "loads"),
        ("go test ./pkg/...", "pkg/deep/a_test.go", "loads"),
        ("go test ./pkg/...", "pkg/deep/a.go", "reads"),
        ("cargo test --test smoke", "tests/smoke.rs", "loads"),
        ("cargo test -p one --test=smoke", "crates/one/tests/smoke/main.rs", "loads"),
        ("cargo test smoke", "src/smoke.rs", "reads"),
        ("bundle exec rspec checks/a.rb:12", "checks/a.rb", "loads"),
        ("vendor/bin/phpunit checks/A.php", "checks/A.php", "loads"),
        ("bats checks", "checks/a.bats", "loads"),
        ("prove -r checks", "checks/a.t", "loads"),
        ("cypress run --spec=a.cy.js,b.cy.js", "b.cy.js", "loads"),
    ]);
}

/// EX-04.
#[test]
fn configuration_of_the_runner_that_is_called_counts() {
    expect_all(&[
        ("make test", "Makefile", "config"),
        ("make test", "sub/Makefile", "reads"),
        ("make -C sub test", "sub/Makefile", "config"),
        ("make -f ci/rules.mk test", "ci/rules.mk", "config"),
        ("make --file=ci/Make test", "ci/Make", "config"),
        ("pytest", "pytest.ini", "config"),
        ("pytest", "tox.ini", "config"),
        ("python -m pytest", "sub/conftest.py", "config"),
        ("pytest -c ci/pytest.cfg", "ci/pytest.cfg", "config"),
        ("jest", "jest.config.ts", "config"),
        ("npx jest --config ci/jest.json", "ci/jest.json", "config"),
        ("npx vitest run", "vitest.config.mts", "config"),
        ("mocha", ".mocharc.yml", "config"),
        ("npm test", "jest.config.js", "config"),
        ("npm test", "tsconfig.json", "reads"),
        ("sh ci.sh", "pytest.ini", "config"),
        ("eslint src", ".eslintrc.json", "config"),
        ("npx eslint src", "eslint.config.mjs", "config"),
        ("ruff check .", "ruff.toml", "config"),
        ("tsc --noEmit", "tsconfig.json", "config"),
        ("tsc -p web", "web/tsconfig.build.json", "config"),
        ("cd web && tsc", "tsconfig.base.json", "config"),
        ("cd web && tsc", "api/tsconfig.json", "reads"),
        ("mypy --config-file=ci/mypy.cfg src", "ci/mypy.cfg", "config"),
        ("cargo clippy --all-targets", "clippy.toml", "config"),
        ("frobnicate --config ci/frob.toml src", "ci/frob.toml", "config"),
        ("PYTEST_ADDOPTS='-c ci/p.ini' pytest", "ci/p.ini", "config"),
        ("just check", "justfile", "config"),
        ("grep -q x Makefile", "Makefile", "reads"),
        ("grep -q x jest.config.js", "jest.config.js", "reads"),
        ("test -f tsconfig.json", "tsconfig.json", "reads"),
    ]);
}

/// EX-04: a check is found behind whatever is wrapped around it.
#[test]
fn wrappers_quotes_and_substitutions_hide_nothing() {
    expect_all(&[
        ("timeout 5 bash x.sh", "x.sh", "executes"),
        ("env X=1 Y='a b' timeout -k 1 5 bash \"x.sh\"", "x.sh", "executes"),
        ("nice -n 5 env -u A ./x.sh", "x.sh", "executes"),
        ("bash -c 'cd ci && sh \"x y.sh\"'", "ci/x y.sh", "executes"),
        ("bash -lc \"sh -c 'python3 tools/v.py'\"", "tools/v.py", "executes"),
        ("eval \"sh ci/x.sh\"", "ci/x.sh", "executes"),
        ("test \"$(sh ci/x.sh)\" = ok", "ci/x.sh", "executes"),
        ("echo `sh ci/x.sh`", "ci/x.sh", "executes"),
        ("cd web && pytest checks/v.py", "web/checks/v.py", "loads"),
        ("cd web && pytest checks/v.py", "checks/v.py", "reads"),
        ("(cd web; sh x.sh); sh y.sh", "y.sh", "executes"),
        ("cd \"$X\" && sh x.sh", "any/x.sh", "executes"),
        ("sh 'ci/'x.sh", "ci/x.sh", "executes"),
        ("sh ci\\/x.sh", "ci/x.sh", "executes"),
        ("sh ./ci/../ci/x.sh", "ci/x.sh", "executes"),
        ("sh \"$PWD/ci/x.sh\"", "ci/x.sh", "executes"),
        ("sh $(git rev-parse --show-toplevel)/ci/x.sh", "ci/x.sh", "executes"),
        ("sh $(git rev-parse --show-toplevel)/ci/x.sh && cat a.ts", "a.ts", "reads"),
        ("sh /home/me/repo/ci/x.sh", "ci/x.sh", "executes"),
        ("S=ci/x.sh; sh $S", "ci/x.sh", "executes"),
        ("export S=ci; sh ${S}/x.sh", "ci/x.sh", "executes"),
        ("for f in ci/a.sh ci/b.sh; do sh \"$f\"; done", "ci/b.sh", "executes"),
        ("for f in ci/*.sh; do sh \"$f\" || exit 1; done", "ci/b.sh", "executes"),
        ("for f in $(ls ci/*.sh); do sh $f; done", "ci/b.sh", "executes"),
        ("ls ci/* | while read f; do sh \"$f\"; done", "ci/b.sh", "executes"),
        ("ls ci/*.sh | xargs -n 1 bash", "ci/b.sh", "executes"),
        ("find ci -name '*.sh' -exec sh {} \\;", "ci/deep/b.sh", "executes"),
        ("find ci -name '*.sh' -exec sh {} \\;", "src/b.sh", "reads"),
        ("find ci -name '*.sh' | xargs sh", "ci/b.sh", "executes"),
        ("bash < ci/x.sh", "ci/x.sh", "executes"),
        ("cat ci/x.sh | bash -s", "ci/x.sh", "executes"),
        ("cat tools/v.py | python3 -", "tools/v.py", "executes"),
        ("eval \"$(cat ci/x.sh)\"", "ci/x.sh", "executes"),
        ("bash -c \"$(cat ci/x.sh)\"", "ci/x.sh", "executes"),
        ("$(cat ci/command)", "ci/command", "executes"),
        ("sh ci/x$(cat ci/name)", "ci/name", "executes"),
        ("bash <<'E'\nsh ci/x.sh\nE", "ci/x.sh", "executes"),
        ("if true; then sh ci/x.sh; fi", "ci/x.sh", "executes"),
        ("! sh ci/x.sh || true", "ci/x.sh", "executes"),
        ("sh ci/{a,b}.sh", "ci/b.sh", "executes"),
        ("make -f $(pwd)/ci/rules.mk", "ci/rules.mk", "config"),
        ("npx -p jest jest checks/a.js", "checks/a.js", "loads"),
    ]);
}

/// EX-04: text that is no command line gives some answer.
#[test]
fn hostile_lines_end() {
    let parts = [
        "bash",
        "$(",
        "{}",
        "find",
        "for f in",
        "${f}",
        "f=$f$f",
        "npx",
        "python -m",
        "'",
        "\"",
        "**",
        "-c",
        "--config=",
        "cd ..",
        "read",
        "|",
        ";",
        "é",
        "\u{0}",
        "make -C",
        "unittest",
        "....",
        "coverage run",
        "go run",
        "node --test",
        "yarn",
        "=",
        ",",
    ];
    for one in parts {
        for other in parts {
            let line = format!("{one} {other};{other}{one} {one}\n{other}");
            CheckFiles::read([line.as_str()]).use_of("src/a.rs");
        }
        let long = format!("{one} ").repeat(20_000);
        CheckFiles::read([long.as_str()]).use_of("src/a.rs");
    }
}
