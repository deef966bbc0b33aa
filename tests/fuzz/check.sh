#!/bin/sh
# Makes seeds and mutates them, for every reader.
# usage: check.sh FUZZ SEED CASES SECONDS; environment: NEARFAR
set -eu
fuzz=$1 seed=$2 cases=$3 seconds=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export UBSAN_OPTIONS=print_stacktrace=1

"$NEARFAR" run pointer-chase prefetch-size -x 64,256 --slot 16 --loads 512 \
	--chunk 128 --lines 16 -r 2 -o "$scratch/a.json" --raw "$scratch/raw.csv"
"$NEARFAR" run near-far -m tests/golden/machines/small.yaml --lines 16 -r 2 \
	-o "$scratch/map.json"
for format in csv json jsonl; do
	"$NEARFAR" show -f $format "$scratch/a.json" >"$scratch/b.$format"
done
for bench in $("$NEARFAR" list benches | awk '{print $1}'); do
	"$NEARFAR" run "$bench" --dump-program >"$scratch/$bench.program"
done
"$NEARFAR" run --help | sed -n 's/.*[ =]\([^ ]*\).*/\1/p' >"$scratch/words"
printf '%s\n' 4KiB 1.5MB 4KiB:1GiB:4 1,2,%S sm_count=4 l2_bytes=60MiB \
	home_hash_mask=0x3000 ld.global.cg.v2.b64 atom.global.add.u32 \
	createpolicy.fractional.L2::evict_last.b64 >"$scratch/more"

"$fuzz" program "$seed" "$cases" "$seconds" "$scratch"/*.program \
	tests/golden/programs/*.txt
"$fuzz" machine "$seed" "$cases" "$seconds" backend_sim/machines/*.yaml \
	tests/golden/machines/*.yaml
"$fuzz" series "$seed" "$((cases / 4))" "$seconds" "$scratch"/*.json* \
	"$scratch"/*.csv
"$fuzz" import "$seed" "$((cases / 2))" "$seconds" tests/golden/imports/*.* \
	tests/golden/imports/*/*
"$fuzz" words "$seed" "$((cases / 10))" "$seconds" "$scratch/words" \
	"$scratch/more"
