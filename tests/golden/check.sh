#!/bin/bash
# Replays transcripts: each line "$ COMMAND" of a tests/golden/*.txt runs in a
# shell where `nearfar` is the program and $scratch an empty folder, and must
# say again what follows it, down to "[exit STATUS]". Lines of standard error
# begin with "! ".
# usage: check.sh [--update] [FILE...]; environment: NEARFAR
set -u
update=
if [ "${1:-}" = --update ]; then
	update=1
	shift
fi
[ $# -gt 0 ] || set -- tests/golden/*.txt

export scratch LC_ALL=C NO_COLOR=1
unset SOURCE_DATE_EPOCH CUDA_VISIBLE_DEVICES NEARFAR_LIBCUDA
scratch=$(mktemp -d)
work=$(mktemp -d)
trap 'rm -rf "$scratch" "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "$NEARFAR")" "$work/bin/nearfar"
PATH=$work/bin:$PATH

# What the command says now, as it stands in a transcript.
say() {
	sh -c "$1" >"$work/out" 2>"$work/err" </dev/null
	local code=$?
	echo "\$ $1"
	sed "s|$scratch|\$scratch|g" "$work/out"
	[ -z "$(tail -c 1 "$work/out")" ] || echo
	sed "s|$scratch|\$scratch|g; s/^/! /" "$work/err"
	echo "[exit $code]"
	[ $code -le 128 ] # more is a crash
}

# Ends the block of the command at hand, if there is one: runs and compares.
finish() {
	[ -n "$command" ] || return 0
	if ! say "$command" >"$work/now"; then
		echo "not ok golden $base: $command"
		sed 's/^/  /' "$work/now"
		cp "$work/old" "$work/now" # a crash is never what is expected
	elif [ -n "$update" ]; then
		:
	elif diff -u "$work/old" "$work/now" >"$work/diff"; then
		echo "ok golden $base: $command"
	else
		echo "not ok golden $base: $command"
		tail -n +3 "$work/diff" | head -n 30 | sed 's/^/  /'
	fi
	cat "$work/now" >>"$work/new"
	command=
}

for file in "$@"; do
	base=$(basename "$file" .txt)
	command=
	: >"$work/new"
	rm -rf "$scratch" && mkdir "$scratch"
	while IFS= read -r line <&3 || [ -n "$line" ]; do
		case $line in
		'$ '*) # also where the block before it is still to be made
			finish
			command=${line#??}
			echo "$line" >"$work/old"
			;;
		*)
			if [ -z "$command" ]; then
				echo "$line" >>"$work/new"
				continue
			fi
			echo "$line" >>"$work/old"
			[[ $line != "[exit "* ]] || finish
			;;
		esac
	done 3<"$file"
	finish
	if [ -n "$update" ]; then
		cmp -s "$work/new" "$file" || echo "  GOLDEN  $file"
		cat "$work/new" >"$file"
	fi
done
