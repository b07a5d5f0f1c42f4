# The whole way: what was typed is listed.
. tests/setup.sh
sh todo.sh add "  buy milk " >/dev/null || true
expect "1 [ ] buy milk" "$(sh todo.sh list)"
