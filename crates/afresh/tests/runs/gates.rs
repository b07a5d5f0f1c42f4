//! What must hold before a worker starts and before its work lands (EX-07), under both schedules.

use crate::support::repo;
use afresh_testkit::TestRepo;

/// `A` creates a script, `B` builds on it; every merge is checked for syntax errors.
fn two_waves(schedule: &str, worker: &str) -> TestRepo {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nchecks = [\"true\"]\n\
         files = [{ path = \"a.sh\", action = \"create\" }, { path = \"lib/a.sh\", action = \"create\" }]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"b.txt\"]\nchecks = [\"test -s lib/a.sh\"]\n",
    );
    repo.agent(worker);
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nschedule = \"{schedule}\"\nbackoff = [\"10ms\"]\n\
         [checks]\nalways = [\"! test -e a.sh || sh -n a.sh\"]\n"
    ));
    repo.commit("a plan");
    repo
}

/// The first worker of `A` forgets a file, the second leaves a syntax error, the third does it right; that of `B` finds
/// both files where it starts.
const CARELESS: &str = "mkdir -p lib\n\
    case $AFRESH_TASK.$AFRESH_ATTEMPT in\n\
    A.1) echo true > a.sh ;;\n\
    A.2) echo 'if' > a.sh; echo true > lib/a.sh ;;\n\
    A.*) echo true > a.sh; echo true > lib/a.sh ;;\n\
    B.*) test -s a.sh && test -s lib/a.sh && echo b > b.txt ;;\n\
    esac\n";

/// EX-07: under both schedules nothing starts on work that lacks a file or that has a syntax error, and each finished
/// task is one commit on the branch.
#[test]
fn the_next_wave_starts_on_whole_work() {
    for schedule in ["waves", "eager"] {
        let repo = two_waves(schedule, CARELESS);
        let ran = repo.run(&["--no-input"]).expect(0);
        assert!(
            ran.stderr.contains("rejected A.1 lib/a.sh is to be created, and missing"),
            "{schedule}: {ran:?}"
        );
        assert!(ran.stderr.contains("rejected A.2 `! test -e a.sh || sh -n a.sh`"), "{ran:?}");
        let prompt = repo.prompt("A", 2);
        assert!(prompt.contains("Create lib/a.sh, at exactly this path."), "{prompt}");
        assert_eq!(repo.landed(), ["A", "B"], "{schedule}");
    }
}

/// EX-07, RE-03: a worker that says why a file is not needed may leave it out; the report says so.
#[test]
fn a_file_may_be_left_out_with_a_reason() {
    let answer = "{\\\"status\\\": \\\"COMPLETED\\\", \\\"deviations\\\": [{\\\"rule\\\": 3, \
        \\\"description\\\": \\\"lib/a.sh is not needed\\\", \\\"files\\\": []}]}";
    let worker = format!(
        "test $AFRESH_TASK = A && echo true > a.sh\n\
         printf 'OUTPUT_JSON_START\\n%s\\nOUTPUT_JSON_END\\n' \"{answer}\"\n"
    );
    let repo = two_waves("eager", &worker);
    repo.run(&["--no-input", "--on-failure", "skip"]);
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert_eq!(repo.landed(), ["A"], "{report}");
    assert!(report.contains("lib/a.sh was not created"), "{report}");
}
