#!/bin/sh
# Workers under ThreadSanitizer; four must give the bytes of one.
# environment: NEARFAR, built with CONFIG=tsan
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TSAN_OPTIONS=halt_on_error=1

# Where the kernel spreads addresses too far for the sanitizer.
still=
"$NEARFAR" --version >/dev/null 2>&1 || still="setarch -R"

run() {
	name=$1
	shift
	for jobs in 1 4; do
		$still "$NEARFAR" run "$@" -j $jobs -f json \
			>"$scratch/$jobs.json"
	done
	cmp "$scratch/1.json" "$scratch/4.json"
	echo "ok race: $name"
}

run "points of one bench" pointer-chase -x 4KiB:4MiB:1 --loads 512 \
	--op ld.cg -r 2
run "points of several benches" pointer-chase atomic-contention prefetch-size \
	-x 32,64,128,256 --slot 16 --loads 512 --iterations 4 --lines 64
run "skipped points" pointer-chase -x 64,4KiB,64,8KiB

# An interrupted run: workers stop, what was finished is written.
$still "$NEARFAR" run pointer-chase --op ld.cg -j 4 -x 4KiB:64MiB:4 \
	-o "$scratch/stopped.json" &
child=$!
while kill -0 $child 2>/dev/null &&
	[ "$(cat "$scratch/stopped.json.journal" 2>/dev/null | wc -l)" -lt 2 ]; do
	sleep 0.1
done
kill -TERM $child
code=0
wait $child || code=$?
[ $code = 130 ] || [ $code = 0 ]
$still "$NEARFAR" show -f csv "$scratch/stopped.json" >/dev/null
echo "ok race: an interrupted run"
