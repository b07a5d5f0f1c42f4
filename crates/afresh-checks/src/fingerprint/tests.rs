//! What makes two failures the same, and what does not.

use proptest::prelude::*;

use super::*;

fn same(a: &str, b: &str) {
    assert_eq!(fingerprint("x", a), fingerprint("x", b), "{:?}\n{:?}", normalise(a), normalise(b));
}

fn different(a: &str, b: &str) {
    assert_ne!(fingerprint("x", a), fingerprint("x", b), "{:?}", normalise(a));
}

/// TR-09: what differs from run to run does not count.
#[test]
fn the_same_failure_in_another_run_is_the_same() {
    for (a, b) in [
        ("/tmp/ws-1/src/a.py:12: AssertionError", "/home/x/w2/src/a.py:99: AssertionError"),
        ("File \"/w1/tests/t.py\", line 4, in f", "File \"/w2/tests/t.py\", line 51, in f"),
        (
            "thread 't::bad' (29704) panicked at src/lib.rs:6:93:",
            "thread 't::bad' (17) panicked at src/lib.rs:8:9:",
        ),
        ("at Context.<anonymous> (test/a.js:3:76)", "at Context.<anonymous> (test/a.js:4:1)"),
        ("src/a.ts(1,17): error TS2307: no", "src/a.ts(21,3): error TS2307: no"),
        ("--- FAIL: TestBad (0.00s)", "--- FAIL: TestBad (1.53s)"),
        ("✖ bad (5.15ms)", "✖ bad (12ms)"),
        ("FAIL [   0.210s] (2/2) demo bad", "FAIL [   1.003s] (5/7) demo bad"),
        ("<Thing object at 0x7f0a1b2c3d4e> is none", "<Thing object at 0x55aa> is none"),
        ("connect to localhost:54321 failed", "connect to localhost:41 failed"),
        ("listening on port 8080", "listening on port 39000"),
        ("killed process 17", "killed process 90123"),
        ("2026-11-18T00:50:21.162Z boom", "2026-11-19T10:00:00.9Z boom"),
        ("at 12:30:05 boom", "at 09:01:59 boom"),
        ("run 832bd5db-a3e9-4f10-8b63-7f92d99425de", "run 10d5aa01-1111-4f10-8b63-aaaaaaaaaaa1"),
        ("target/debug/deps/demo-8348ca7a80742723", "target/debug/deps/demo-1111ca7a80749999"),
        ("assert {'b', 'a'} == {'c'}", "assert {'a', 'b'} == {'c'}"),
        ("a\nb", "b\na\n\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("> 3 | expect(a)", "> 4 | expect(a)"),
        ("took 3 seconds", "took 41 seconds"),
        ("F.s\nE: no", "F.....\nE: no"),
        ("test a ... ok\ntest b ... FAILED", "test b ... FAILED\ntest c ... ok"),
        ("/tmp/.tmpAb12/x/out.txt is missing", "/tmp/.tmpZZ99/x/out.txt is missing"),
        ("no /tmp/tmpabcd1234", "no /var/tmp/zzz"),
    ] {
        same(a, b);
    }
}

/// TR-09: another assertion, another test, another error is another failure.
#[test]
fn another_failure_is_another() {
    for (a, b) in [
        ("assert 1 == 2", "assert 1 == 3"),
        ("AssertionError: 3 != 4", "AssertionError: 3 != 5"),
        ("FAILED tests/t.py::test_a", "FAILED tests/t.py::test_b"),
        ("  left: 1\n right: 2", "  left: 1\n right: 20"),
        ("/w/src/a.py:12: AssertionError", "/w/src/b.py:12: AssertionError"),
        ("error TS2307: no", "error TS2322: no"),
        ("error[E0432]: unresolved", "error[E0433]: unresolved"),
        ("expected 'a' to be 'b'", "expected 'b' to be 'a'"),
        ("status 404", "status 500"),
        ("Expected: 2", "Expected: 2.5"),
        ("x: y", ""),
        ("version 1.2.3", "version 1.2.4"),
    ] {
        different(a, b);
    }
    assert_ne!(fingerprint("pytest a", "no"), fingerprint("pytest b", "no"));
}

proptest! {
    /// TR-09: directories, times, process ids, addresses and the order of lines never make a difference; the values
    /// of an assertion always do.
    #[test]
    fn only_the_failure_counts(
        directory in "/[a-z]{1,8}(/[a-zA-Z0-9_-]{1,12}){0,4}",
        other in "/[a-z]{1,8}(/[a-zA-Z0-9_-]{1,12}){0,4}",
        seconds in (0_u32..100_000, 0_u32..100_000),
        pids in (1_u32..4_000_000, 1_u32..4_000_000),
        lines in (1_u32..9_999, 1_u32..9_999),
        address in (any::<u32>(), any::<u32>()),
        value in 0_u32..9_999,
    ) {
        let render = |directory: &str, time: u32, pid: u32, line: u32, address: u32, value: u32, turn: bool| {
            let mut output = [
                format!("File \"{directory}/tests/test_a.py\", line {line}, in test_bad"),
                format!("tests/test_a.py:{line}: AssertionError"),
                format!("E   assert {value} == 2"),
                format!("<Server at 0x{address:x}, pid {pid}>"),
                format!("========= 1 failed, {} passed in {}.{}s =========", line, time / 1000, time % 1000),
                format!("finished after {time}ms"),
            ];
            if turn {
                output.reverse();
            }
            output.join("\n")
        };
        let one = render(&directory, seconds.0, pids.0, lines.0, address.0, value, false);
        let two = render(&other, seconds.1, pids.1, lines.1, address.1, value, true);
        prop_assert_eq!(fingerprint("x", &one), fingerprint("x", &two));
        let third = render(&other, seconds.1, pids.1, lines.1, address.1, value + 1, true);
        prop_assert_ne!(fingerprint("x", &one), fingerprint("x", &third));
    }

    #[test]
    fn no_output_breaks_it(output in "\\PC{0,200}") {
        prop_assert_eq!(fingerprint("x", &output).len(), 32);
        let _ = normalise(&output);
    }
}
