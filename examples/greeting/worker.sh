#!/bin/sh
# A worker that needs no model: it knows the four tasks of greeting.plan.toml by heart. Its first
# try at T002 is wrong on purpose, and claims success all the same: afresh runs the check itself,
# rejects the work, and a second, fresh worker is told what failed.
set -eu

case "$AFRESH_TASK" in
T001)
    echo 'echo "Hello, $1!"' >greet.sh
    ;;
T002)
    if [ "$AFRESH_ATTEMPT" = 1 ]; then
        echo 'echo "Hello, ${1:-nobody}!"' >greet.sh
    else
        echo 'echo "Hello, ${1:-world}!"' >greet.sh
    fi
    ;;
T003)
    printf '# Usage\n\n    sh greet.sh Ada\n' >USAGE.md
    ;;
T004)
    cat >test.sh <<'TEST'
set -eu
test "$(sh greet.sh Ada)" = "Hello, Ada!"
test "$(sh greet.sh)" = "Hello, world!"
TEST
    ;;
esac

cat <<'ANSWER'
Done.
OUTPUT_JSON_START
{"status": "COMPLETED"}
OUTPUT_JSON_END
ANSWER
