. tests/setup.sh
expect "added: buy milk" "$(sh todo.sh add "  buy milk ")"
expect "open buy milk" "$(cat "$TODO_FILE")"
