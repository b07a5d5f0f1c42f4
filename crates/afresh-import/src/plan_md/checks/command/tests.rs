//! Commands and sentences of real plans.

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
        "true",
        "exit 0",
        "echo ok",
        "if npm test; then echo ok; fi",
        "npm test || :",
        "npm test; exit 0",
        "{ npm test || true; } && echo ok",
        "(npm test || true)",
        "npm test || true && echo done",
        "set +e; npm test; true",
        "npm test &",
        "timeout 60 npm test || true",
        "bash -lc 'npm test; true'",
        "npm test | tee log.txt",
        "npm test | sed 's/a/b/'",
        "for f in a b; do npm test $f || true; done",
        "[ 1 -eq 1 ]",
        "test -n yes",
        "python3 -c \"print('ok')\"",
        "node --version",
        "find . -name '*.rs'",
        "make -n test",
        "git diff",
        "! false",
        "eval 'npm test || true'",
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
        "set -o pipefail; npm test | tail -5",
        "bash -o pipefail -c 'npm test | tee log'",
        "bash -eo pipefail -c 'npm test | tee log'",
        "set -e; npm test; echo done",
        "npm test || { echo failed; exit 1; }",
        "npm test || (echo failed; exit 1)",
        "out=$(npm test) && echo $out",
        "if ! npm test; then echo no; exit 1; fi",
        "test \"$(cat a)\" = b",
        "[ -n \"$X\" ]",
        "python3 -c \"import app; print('ok')\"",
        "./notes --version",
        "find src/new.py -name x",
        "git diff --exit-code",
        "for f in a b; do test -f $f || exit 1; done",
        "case x in x) false;; esac",
        "check() { npm test; }; check",
        "npm test && echo ok | tee log",
        "command -v notes",
        "./run --list | awk 'NR==1{exit !/x/}'",
        "cat < missing.txt",
        "! grep -q x f",
        "while read x; do test $x; done",
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
    for text in ["test $(grep -c a b) -eq 0", "grep -c a b | grep -q '^0$'", "grep -q -- -c a"] {
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
        "cd .. && npm test",
        "pytest ../other/tests",
        "cd web && diff a ../../b",
        "test -f /etc/app.conf",
        "npm test > /var/log/x",
    ] {
        assert!(leaves_the_tree(text), "{text}");
    }
    for text in [
        "npm test",
        "curl localhost:3000/home/x",
        "cd /tmp/x && ls",
        "test -f src/home/a",
        "cd web && npm test && cd .. && make",
        "cd web && diff a ../b",
        "grep -q '../x' src/a",
        "grep -q /etc/passwd src/a",
    ] {
        assert!(!leaves_the_tree(text), "{text}");
    }
}

/// TR-01: what waits for a process, asks for a setting or checks an order can fail.
#[test]
fn commands_that_wait_or_ask_can_fail() {
    for text in [
        "npm test & wait $!",
        "timeout 30 bash -c 'until curl -sf localhost:3000; do sleep 1; done'",
        "while ! nc -z localhost 5432; do sleep 1; done",
        "git config --get core.hooksPath",
        "git log v1.0..HEAD",
        "notes list | sort -c",
    ] {
        assert_eq!(cannot_fail(text), None, "{text}");
    }
    for text in [
        "npm test & wait",
        "while read -r x; do echo $x; done",
        "git log --oneline",
        "notes list | sort -u",
    ] {
        assert!(cannot_fail(text).is_some(), "{text}");
    }
}
