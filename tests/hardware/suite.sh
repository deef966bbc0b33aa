#!/bin/sh
# Runs a suite, a file for each row; more words follow those of a row, and the
# last of a kind counts.
# usage: suite.sh NEARFAR SUITE OUT [WORD...]   (SUITE: a file, or default)
# Prints "ok NAME" or "not ok NAME" and the reason, as each series is done.
set -u
nearfar=$1 list=$2 out=$3
shift 3
failed=0

mkdir -p "$out"
rows=$("$nearfar" plan "$list" --rows) || exit
while read -r name words <&3; do
	# Raw samples are kept only where their distribution is the result.
	case $words in
	*--samples* | near-far*) kept= ;;
	*) kept=--no-samples ;;
	esac
	# shellcheck disable=SC2086
	if "$nearfar" run $words $kept "$@" -o "$out/$name.json.gz"; then
		echo "ok $name"
	else
		code=$?
		echo "not ok $name"
		[ $code = 1 ] || [ $code = 2 ] || exit $code
		failed=1
	fi
done 3<<ROWS
$rows
ROWS
exit $failed
