. tests/setup.sh
# Every command that the program knows is in the text.
commands=$(sed -n 's/^\([a-z]*\)) .*/\1/p' todo.sh)
expect "add count done drop list" "$(echo $(printf '%s\n' $commands | sort))"
for command in $commands; do
    grep -q "todo.sh $command" USAGE.md || { echo "USAGE.md does not explain $command"; exit 1; }
done
