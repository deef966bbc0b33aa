#!/bin/bash
# Instructions that it takes to prepare a kernel of BYTES of text (kinds.py), by
# byte, counted by valgrind: at most MOST, so that a text of 1 MiB is ready within
# 10 s, and of twice as much text hardly more than of the text, as they would be
# if the time of a pass grew with its square.
# usage: bounds.sh NEARFAR [NAME...]
set -eu
nearfar=$1
shift
BYTES=49152
MOST=20000
if ! command -v valgrind >/dev/null; then
	echo "valgrind is missing; 'make deps-dev' installs it" >&2
	exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for n in 1 2; do
	mkdir "$scratch/$n"
	PYTHONDONTWRITEBYTECODE=1 python3 tests/perf/kinds.py "$scratch/$n" \
		$((n * BYTES))
done

# The run ends at its first cycle, or is refused.
count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$nearfar" run --kernel "$1" --max-cycles 1 -j 1 -f csv \
		-o /dev/null 2>&1 >/dev/null | tee "$scratch/said" |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

failed=0
for job in "$scratch"/1/*.job; do
	name=$(basename "$job" .job)
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	each=$(($(count "$job") / BYTES))
	more=$(($(count "$scratch/2/$name.job") / BYTES / 2))
	if ! grep -q 'runs for more than 1 cycles' "$scratch/said"; then
		echo "not ok bounds: $name is not run:" \
			"$(grep nearfar: "$scratch/said")"
		failed=1
	elif [ "$more" -gt $MOST ] || [ "$more" -gt $((each * 13 / 10 + 100)) ]; then
		echo "not ok bounds: $name: $each instructions a byte," \
			"$more of twice as much"
		failed=1
	else
		echo "ok bounds: $name: $each instructions a byte, $more"
	fi
done
exit $failed
