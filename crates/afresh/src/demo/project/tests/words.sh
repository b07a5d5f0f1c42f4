. tests/setup.sh
. lib/words.sh
expect "buy milk" "$(words_clean "  buy milk ")"
if words_clean "   " >/dev/null 2>&1; then
    echo "an empty text was taken"
    exit 1
fi
