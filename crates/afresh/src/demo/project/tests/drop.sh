. tests/setup.sh
printf 'open buy milk\nopen call Ada\n' >"$TODO_FILE"
sh todo.sh drop 1
expect "open call Ada" "$(cat "$TODO_FILE")"
