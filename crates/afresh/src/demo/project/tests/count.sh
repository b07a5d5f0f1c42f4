. tests/setup.sh
printf 'open buy milk\nopen call Ada\n' >"$TODO_FILE"
expect "2 to do" "$(sh todo.sh count)"
sh todo.sh done 1
expect "1 to do" "$(sh todo.sh count)"
