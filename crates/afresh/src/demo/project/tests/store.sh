. tests/setup.sh
. lib/store.sh
expect "" "$(store_lines)"
store_add open "buy milk"
store_add done "call Ada"
expect "open buy milk
done call Ada" "$(store_lines)"
store_lines | sed 1d | store_keep
expect "done call Ada" "$(store_lines)"
store_lines | sed 1d | store_keep
expect "" "$(store_lines)"
