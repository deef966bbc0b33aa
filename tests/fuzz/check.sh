#!/bin/bash
# Runs every fuzz target for so many executions, from seeds that the program
# itself writes and from the corpus that is committed. What libFuzzer finds new
# stays in build/corpus, with the executions so far: run again, it goes on from
# there until each target has as many as were asked for.
# usage: check.sh TARGETS RUNS; environment: NEARFAR, FUZZ_ONLY (one target)
set -eu
targets=$1 runs=$2
corpus=build/corpus
export UBSAN_OPTIONS=print_stacktrace=1

seed() { # TARGET NAME: standard input becomes a seed
	mkdir -p "$corpus/$1"
	cat >"$corpus/$1/seed-$2"
}

seeds() {
	local bench n format
	"$NEARFAR" run pointer-chase prefetch-size -x 64,256 --slot 16 \
		--loads 512 --chunk 128 --lines 16 -r 2 \
		-o "$corpus/a.json" --raw "$corpus/raw.csv"
	"$NEARFAR" run near-far -m tests/golden/machines/small.yaml \
		--lines 8 -o "$corpus/map.json"
	for format in csv json; do
		"$NEARFAR" show -f $format "$corpus/a.json" |
			tee >(seed series $format) >(seed table $format) |
			seed plot $format
	done
	gzip -c "$corpus/a.json" | seed series gzip
	seed map json <"$corpus/map.json"
	seed samples json <"$corpus/map.json"
	head -n 200 "$corpus/raw.csv" | seed samples raw
	for bench in $("$NEARFAR" list benches | awk '{print $1}'); do
		"$NEARFAR" run "$bench" --dump-program | seed program "$bench"
	done
	for n in tests/golden/programs/*.txt; do
		seed program "$(basename "$n")" <"$n"
	done
	for n in tests/kernels/*/*-small.job; do
		seed job "$(basename "$n")" <"$n"
	done
	for n in tests/kernels/*/*.ptx; do
		seed ptx "$(basename "$n")" <"$n"
	done
	for n in 1 2 3 4 5 6 7 8; do
		"${NEARFAR%/*}/tests/values/differ" print $n | seed ptx case-$n
	done
	"$NEARFAR" run --kernel tests/kernels/gather/gather-small.job \
		-o "$corpus/gather.json" --profile "$corpus/profile.json"
	seed profile json <"$corpus/profile.json"
	for n in backend_sim/machines/*.yaml tests/golden/machines/*.yaml; do
		seed machine "$(basename "$n")" <"$n"
	done
	for n in tests/golden/imports/*.* tests/golden/imports/*/*; do
		seed import "$(basename "$n")" <"$n"
	done
	{
		"$NEARFAR" run --help | sed -n 's/.*[ =]\([^ ]*\).*/\1/p'
		printf '%s\n' 4KiB 1.5MB 4KiB:1GiB:4 1,2,%S sm_count=4 \
			l2_bytes=60MiB home_hash_mask=0x3000 \
			ld.global.cg.v2.b64 atom.global.add.u32 \
			createpolicy.fractional.L2::evict_last.b64
	} | split -l 8 - "$corpus/word."
	for n in "$corpus"/word.*; do
		seed words "$(basename "$n")" <"$n"
		rm "$n"
	done
}

mkdir -p "$corpus"
seeds
failed=0
for target in program machine series table plot map samples import job ptx \
	profile words; do
	[ "${FUZZ_ONLY:-$target}" = $target ] || continue
	mkdir -p "$corpus/$target"
	kept=tests/fuzz/corpus/$target.tar.gz
	[ ! -e $kept ] || tar -xzf $kept -C "$corpus/$target"
	done=$(cat "$corpus/$target.runs" 2>/dev/null || echo 0)
	while [ "$done" -lt "$runs" ]; do
		share=$((runs - done < 50000 ? runs - done : 50000))
		if ! FUZZ_TARGET=$target "$targets" "$corpus/$target" \
			-runs=$share -seed=$((done + 1)) -max_len=65536 \
			-timeout=25 -rss_limit_mb=2048 -detect_leaks=1 \
			-artifact_prefix="$corpus/$target-" -print_final_stats=1 \
			>"$corpus/$target.log" 2>&1; then
			echo "not ok fuzz $target"
			tail -n 40 "$corpus/$target.log" | sed 's/^/  /'
			failed=1
			break
		fi
		done=$((done + share))
		echo $done >"$corpus/$target.runs"
	done
	echo "fuzz $target: $done executions," \
		"$(ls "$corpus/$target" | wc -l) inputs"
done
exit $failed
