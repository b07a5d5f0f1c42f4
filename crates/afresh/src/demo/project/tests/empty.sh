. tests/setup.sh
. lib/empty.sh
case $EMPTY_STYLE in
quiet) expect "" "$(todo_empty)" ;;
friendly) expect "nothing to do" "$(todo_empty)" ;;
*) echo "EMPTY_STYLE is neither quiet nor friendly"; exit 1 ;;
esac
