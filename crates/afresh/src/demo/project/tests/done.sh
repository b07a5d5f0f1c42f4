. tests/setup.sh
printf 'open buy milk\nopen call Ada\n' >"$TODO_FILE"
sh todo.sh done 2
expect "open buy milk
done call Ada" "$(cat "$TODO_FILE")"
