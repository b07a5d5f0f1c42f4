#!/bin/sh
# A to-do list in a text file: one line per item, with its state before it.
# Every command is in a file of its own in lib/.
here=$(cd "$(dirname "$0")" && pwd)
TODO_FILE=${TODO_FILE:-todo.txt}
for part in "$here"/lib/*.sh; do
    [ ! -e "$part" ] || . "$part"
done
case ${1:-} in
add) shift; todo_add "$*" ;;
list) todo_list ;;
count) todo_count ;;
# more commands go above this line
*) echo "usage: todo.sh COMMAND" >&2; exit 2 ;;
esac
