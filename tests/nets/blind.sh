#!/bin/sh
# A blind draw: programs that are drawn and written down before anything is
# measured, measured, and compared with the model once. Nothing is fitted to them; a
# draw that was compared is spent, and its figures stay.
#   results/log/blind/SEED/drawn.tsv        seed, date, digest of the programs
#                          programs.txt.gz  the programs, one behind the other
#                          MACHINE.tsv      what programs.sh measured on a chip
#                          compared.md      the model's errors, by chip and kind
#                          model-MACHINE.tsv  the model's cycles
#                          now-MACHINE.tsv  the same of a later model, of which
#                          pages show pooled errors alone
# usage: blind.sh step NEARFAR SEED    the step that is due: draws, or says what is
#                                      to measure, or compares, or shows
#        blind.sh again NEARFAR SEED   writes now-MACHINE.tsv of a spent draw
#        blind.sh waiting FOLDER       FOLDER/blind-SEED/*.txt of each draw that was
#                                      not compared, for the bundle
set -eu
export LC_ALL=C
blind=results/log/blind
each=12 # programs of each of ten kinds

digest() { sha256sum | cut -d' ' -f1; }

# unpack SEED FOLDER: a file a program, if they are still what was drawn.
unpack() {
	if [ "$(gzip -dc "$blind/$1/programs.txt.gz" | digest)" != \
		"$(sed -n 's/^sha256	//p' "$blind/$1/drawn.tsv")" ]; then
		echo "blind.sh: '$blind/$1/programs.txt.gz' is not what was" \
			"drawn: its digest is not that of drawn.tsv" >&2
		return 1
	fi
	mkdir -p "$2"
	gzip -dc "$blind/$1/programs.txt.gz" | awk -v folder="$2" '
	/^nearfar-program / { head = $0; next }
	head != "" {
		file = folder "/" $2 ".txt"
		print head >file
		head = ""
	}
	{ print >file }'
}

draw() {
	made=$(mktemp -d)
	python3 tests/support/draw_net.py "$1" $each "$made"
	mkdir -p "$blind/$1"
	cat "$made"/*.txt | gzip -9n >"$blind/$1/programs.txt.gz"
	{
		printf '# what\tvalue\n'
		printf 'seed\t%s\n' "$1"
		printf 'programs\t%s\n' "$(ls "$made" | wc -l)"
		printf 'drawn by\ttests/support/draw_net.py %s %s\n' "$1" $each
		printf 'date\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
		printf 'commit\t%s\n' "$(git rev-parse HEAD 2>/dev/null ||
			echo unknown)"
		printf 'sha256\t%s\n' "$(cat "$made"/*.txt | digest)"
	} >"$blind/$1/drawn.tsv"
	rm -rf "$made"
	echo "drawn: $blind/$1; commit it, then measure:"
	how_to_measure "$1"
}

how_to_measure() {
	cat <<-EOF
	  make bundle                                  # carries the draw
	  build/bundle/chip.sh build/bundle/nearfar OUT programs    # on a GPU
	  cp OUT/blind-$1.tsv $blind/$1/MACHINE.tsv    # h200-sxm or h100-sxm
	  make blind SEED=$1                           # compares, once
	EOF
}

compare() {
	folder=$(mktemp -d)
	trap 'rm -rf "$folder" "$folder.md"' EXIT
	unpack "$2" "$folder"
	{
		echo "# Blind draw $2"
		for silicon in "$blind/$2"/h*.tsv; do
			machine=$(basename "$silicon" .tsv)
			model=$blind/$2/model-$machine.tsv
			tests/hardware/programs.sh "$1" "$folder" -b sim \
				-m "$machine" -r 1 -w 0 >"$model"
			echo
			echo "\`$machine\` beside $(awk -F'\t' '
			/^# device.name/ { name = $2 }
			/^# device.uuid/ { uuid = $2 }
			END { print name ", " uuid }' "$silicon"):"
			echo
			tests/support/program_errors.sh "$silicon" "$model"
		done
	} >"$folder.md"
	mv "$folder.md" "$blind/$2/compared.md"
	chmod 644 "$blind/$2/compared.md"
}

again() {
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
	unpack "$2" "$folder"
	for silicon in "$blind/$2"/h*.tsv; do
		machine=$(basename "$silicon" .tsv)
		tests/hardware/programs.sh "$1" "$folder" -b sim \
			-m "$machine" -r 1 -w 0 >"$folder/now"
		mv "$folder/now" "$blind/$2/now-$machine.tsv"
	done
}

step() {
	case $2 in
	'' | *[!0-9]* | 0?*) # 07 would draw what 7 drew, once more
		echo "blind.sh: '$2' is no seed: make blind SEED=NUMBER" >&2
		exit 2
		;;
	esac
	if [ ! -e "$blind/$2/drawn.tsv" ]; then
		draw "$2"
	elif [ -e "$blind/$2/compared.md" ]; then
		cat "$blind/$2/compared.md"
		echo
		echo "this draw is spent: it was compared, and stays as it is"
	elif ls "$blind/$2"/h*.tsv >/dev/null 2>&1; then
		compare "$1" "$2"
		cat "$blind/$2/compared.md"
	else
		echo "$blind/$2 waits for silicon:"
		how_to_measure "$2"
	fi
}

waiting() {
	for drawn in "$blind"/*/drawn.tsv; do
		seed=$(basename "$(dirname "$drawn")")
		[ ! -e "$drawn" ] || [ -e "$blind/$seed/compared.md" ] ||
			unpack "$seed" "$1/blind-$seed"
	done
}

verb=$1
shift
case $verb in
step | again | waiting) "$verb" "$@" ;;
*)
	echo "blind.sh: '$verb' is none of step, again and waiting" >&2
	exit 2
	;;
esac
