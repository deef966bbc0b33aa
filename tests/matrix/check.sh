#!/bin/sh
# Every compiler at every level gives the same bytes: the transcripts, which
# hold the output of nearly every command, and a run with samples.
# usage: check.sh   environment: COMPILERS, LEVELS
set -eu
compilers=${COMPILERS:-gcc clang-14}
levels=${LEVELS:-0 1 2 3}
failed=0
first=

for cc in $compilers; do
	for level in $levels; do
		name=matrix-$cc-O$level
		make --no-print-directory -s CONFIG="$name" CC="$cc" \
			CFLAGS="-O$level" -j"${JOBS:-2}" \
			"build/$name/nearfar" >/dev/null
		NEARFAR=build/$name/nearfar tests/golden/check.sh \
			>"build/$name/golden.tap" || true
		"build/$name/nearfar" run pointer-chase atomic-contention \
			near-far -m tests/golden/machines/small.yaml \
			-x 256,4224 --lines 64 --slot 16 --samples \
			-o "build/$name/run.json" || failed=1
		bad=$(grep -c '^not ok' "build/$name/golden.tap" || true)
		good=$(grep -c '^ok' "build/$name/golden.tap" || true)
		[ -n "$first" ] || first=build/$name/run.json
		if [ "$bad" = 0 ] && [ "$good" != 0 ] &&
			cmp "$first" "build/$name/run.json"; then
			echo "ok matrix: $cc -O$level, $good transcripts"
		else
			echo "not ok matrix: $cc -O$level, $bad differ"
			failed=1
		fi
	done
done
exit $failed
