#!/bin/sh
# The command line where a transcript does not do: signals, files that must
# not appear, equality of runs, installation.
# environment: NEARFAR
set -u
export LC_ALL=C NO_COLOR=1
unset SOURCE_DATE_EPOCH CUDA_VISIBLE_DEVICES
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
small=tests/golden/machines/small.yaml

# check NAME COMMAND...: the command succeeds.
check() {
	name=$1
	shift
	if "$@" >"$scratch/said" 2>&1; then
		echo "ok cli: $name"
	else
		echo "not ok cli: $name"
		head -n 10 "$scratch/said" | sed 's/^/  /'
	fi
}

run() { "$NEARFAR" run "$@"; }

# status WANTED COMMAND...
status() {
	wanted=$1
	shift
	"$@"
	got=$?
	[ $got = "$wanted" ] || { echo "status $got, not $wanted"; false; }
}

# ---- equal runs ----

sweep="pointer-chase atomic-contention prefetch-size -x 32,64,256 -f json
	--slot 16 --loads 512 --chunk 64 --iterations 4 -r 2"

twice() { # with two and with one worker
	run $sweep -j "$1" >"$scratch/a.json" &&
		run $sweep -j "$2" >"$scratch/b.json" &&
		cmp "$scratch/a.json" "$scratch/b.json"
}
check "the same run twice gives the same bytes" twice 1 1
check "two workers give the bytes of one" twice 1 2

seeds() {
	run pointer-chase -x 1MiB --loads 512 --op ld.cg --seed 1 -f csv |
		grep -v '^#' >"$scratch/one"
	run pointer-chase -x 1MiB --loads 512 --op ld.cg --seed 2 -f csv |
		grep -v '^#' >"$scratch/two"
	! cmp -s "$scratch/one" "$scratch/two"
}
check "another seed gives another run" seeds

program() { # a bench's own program, run as a user's
	run pointer-chase -x 64KiB --op ld.cg --loads 512 -f csv |
		tail -n 1 | cut -d, -f2 >"$scratch/bench" &&
		run pointer-chase -x 64KiB --op ld.cg --loads 512 \
			--dump-program >"$scratch/p.txt" &&
		run --program "$scratch/p.txt" -f csv |
		tail -n 1 | cut -d, -f2 >"$scratch/program"
	[ -s "$scratch/bench" ]
}
check "a dumped program runs" program

epoch() {
	SOURCE_DATE_EPOCH=0 run pointer-chase -x 4KiB -f csv |
		grep -x '# date: 1970-01-01T00:00:00Z'
}
check "SOURCE_DATE_EPOCH is the date" epoch

# ---- formats ----

formats() {
	run pointer-chase -x 4KiB,64KiB -o "$scratch/s.json.gz" || return
	for format in csv json; do
		"$NEARFAR" show -f $format "$scratch/s.json.gz" \
			>"$scratch/s.$format" &&
			"$NEARFAR" show -f $format "$scratch/s.$format" |
			cmp - "$scratch/s.$format" || return
	done
}
check "what show writes, show reads" formats

gzip_dated() {
	run pointer-chase -x 4KiB -o "$scratch/1.json.gz" && sleep 1.1 &&
		run pointer-chase -x 4KiB -o "$scratch/2.json.gz" &&
		cmp "$scratch/1.json.gz" "$scratch/2.json.gz"
}
check "a gzipped file carries no time" gzip_dated

# ---- failures leave nothing ----

nothing_written() {
	status 2 run pointer-chase -x 4KiB --slot 0 -o "$scratch/n.json" &&
		[ ! -e "$scratch/n.json" ]
}
check "a refused run leaves no file" nothing_written

full_disk() {
	[ -e /dev/full ] || return 0
	status 1 run pointer-chase -x 4KiB -f csv >/dev/full
}
check "a full disk is a failure" full_disk

keeps_old() {
	echo old >"$scratch/old.json"
	status 2 run pointer-chase -x 4KiB --op ld.xx -o "$scratch/old.json" &&
		[ "$(cat "$scratch/old.json")" = old ]
}
check "a refused run keeps the file that was there" keeps_old

# ---- signals ----

# A quick point and then slow ones; the signal comes in between.
interrupted() {
	out=$scratch/interrupted-$1.json
	"$NEARFAR" run pointer-chase -j 1 -o "$out" --op ld.cg --loads 8192 \
		-x 4KiB,64MiB,65MiB,66MiB,67MiB,68MiB,69MiB,70MiB,71MiB,72MiB &
	child=$!
	sleep 0.6
	kill -"$1" $child
	status 130 wait $child || return
	points=$("$NEARFAR" show -f csv "$out" | grep -c '^[0-9]')
	echo "$points points"
	[ "$points" -ge 1 ] && [ "$points" -lt 10 ]
}
check "SIGTERM ends with 130 and saves the finished points" interrupted TERM
check "SIGINT ends with 130 and saves the finished points" interrupted INT

pipe() { # the reader goes away: no message, no core
	run pointer-chase -x 4KiB,8KiB -f csv 2>"$scratch/pipe.err" | true
	! grep -i 'core\|segmentation' "$scratch/pipe.err"
}
check "a reader that goes away is no crash" pipe

# ---- machines ----

check "a machine file" run pointer-chase -m $small -x 4KiB
check "a machine derived from a derived one" \
	run pointer-chase -m tests/golden/machines/derived.yaml -x 4KiB
machines() {
	"$NEARFAR" list machines | while read -r machine _; do
		run pointer-chase -m "$machine" -x 64KiB,1MiB --op ld.cg \
			>/dev/null &&
			"$NEARFAR" list parameters -m "$machine" >/dev/null ||
			echo "$machine fails"
	done | grep . && return 1
	return 0
}
check "every built-in machine runs" machines

# ---- this host ----

check "doctor" "$NEARFAR" doctor
for command in list run show compare modes doctor; do
	check "$command --help" "$NEARFAR" $command --help
done

installed() {
	cp "$NEARFAR" "$scratch/nearfar" && cd "$scratch" &&
		./nearfar run pointer-chase -x 4KiB
}
check "the program needs nothing beside it" installed
