# What every test starts with: an empty list, and a way to compare.
set -eu
TODO_FILE=${TMPDIR:-/tmp}/todo-test.$$
export TODO_FILE
trap 'rm -f "$TODO_FILE"' EXIT
expect() {
    [ "$1" = "$2" ] || { echo "expected: $1"; echo "found:    $2"; exit 1; }
}
