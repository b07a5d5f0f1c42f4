. tests/setup.sh
printf 'open buy milk\ndone call Ada\n' >"$TODO_FILE"
expect "1 [ ] buy milk
2 [x] call Ada" "$(sh todo.sh list)"
