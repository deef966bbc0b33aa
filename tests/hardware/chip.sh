#!/bin/sh
# Measures a chip as the committed ones are: the checks with the default suite, the
# programs held out, those drawn at random, the draws that wait for silicon, and the
# counters of the small kernels with cold caches, by Nsight Compute where it is
# there. Stands alone, in the bundle. Parts: check, held-out, programs, kernels.
# usage: chip.sh NEARFAR OUT [PART...]
set -u
here=$(cd "$(dirname "$0")" && pwd)
nearfar=$1 out=$2
shift 2
failed=0

# run NAME COMMAND...: says how it ended, and after how many seconds.
run() {
	name=$1 begin=$(date +%s)
	shift
	"$@"
	code=$?
	echo "$name: ended with $code after $(($(date +%s) - begin)) s" |
		tee -a "$out/parts.txt"
	[ $code = 0 ] || failed=1
}

check() {
	"$here/check.sh" "$nearfar" "$out/suite" >"$out/check.txt" 2>&1
}

held_out() {
	"$here/suite.sh" "$nearfar" "$here/held-out.txt" "$out/held-out" \
		-b cuda >"$out/held-out.txt" 2>&1
}

# Folders of programs, each a file of cycles.
programs() {
	for folder in "$here"/programs-of/*/; do
		[ -d "$folder" ] || continue
		name=$(basename "$folder")
		"$here/programs.sh" "$nearfar" "$folder" -b cuda -r 3 \
			>"$out/$name.tsv" 2>"$out/$name.err" || return
	done
}

kernels() {
	"$here/kernels.py" "$nearfar" "$out/kernels" "$here/kernels" \
		'--match=-small.job$' --steps digests,cold \
		>"$out/kernels.txt" 2>&1
}

mkdir -p "$out"
"$nearfar" doctor >"$out/doctor.txt" 2>&1
for part in "${@:-check held-out programs kernels}"; do
	for name in $part; do
		case $name in
		held-out) run held-out held_out ;;
		check | programs | kernels) run "$name" "$name" ;;
		*)
			echo "chip.sh: '$name' is no part" >&2
			exit 2
			;;
		esac
	done
done
exit $failed
