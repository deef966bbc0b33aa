#!/bin/bash
# Runs every fuzz target, from seeds that the program itself writes and from the
# corpus that is committed. What libFuzzer finds new stays in build/corpus.
#
# check.sh TARGETS RUNS: each target until it has so many executions; their
#   number stays in build/corpus, and another run goes on from there.
# check.sh TARGETS --long FAST: each target by FAST, a build without
#   AddressSanitizer, until it has as many executions as tests/fuzz/executions.tsv
#   wants; then all inputs that were kept by TARGETS, the sanitised build.
#   Both numbers are added to that table; another run goes on from there.
# environment: NEARFAR; FUZZ_ONLY: names of targets, else all; FUZZ_SHARES: of a
#   long run, so many times 250,000 executions of each at most
set -eu
targets=$1 runs=$2 fast=${3:-}
corpus=build/corpus
table=tests/fuzz/executions.tsv
declare -A words=([ptx]=kernels.dict [job]=kernels.dict)
export UBSAN_OPTIONS=print_stacktrace=1

seed() { # TARGET NAME: standard input becomes a seed
	mkdir -p "$corpus/$1"
	cat >"$corpus/$1/seed-$2"
}

# Each form of an instruction that ptxas takes, 40 a module.
forms() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests/ptx python3 - "$corpus/ptx" <<-'END'
	import sys, forms
	taken = [text.replace(forms.END_OF_LINE, '\n') for (kind, _, text), good in forms.kept()
	         if good and kind == 'i']
	head = '.version 9.0\n' + open(forms.HEAD).read()
	for i in range(0, len(taken), 40):
	    with open('%s/seed-forms-%d' % (sys.argv[1], i), 'w') as f:
	        f.write(head + '\n'.join(taken[i:i + 40]) + '\nL2: ret;\n}\n')
	END
}

seeds() {
	local bench n format
	"$NEARFAR" run pointer-chase prefetch-size -x 64,256 --slot 16 \
		--loads 512 --chunk 128 --lines 16 -r 2 --force \
		-o "$corpus/a.json" --raw "$corpus/raw.csv"
	"$NEARFAR" run near-far -m tests/golden/machines/small.yaml \
		--lines 8 --force -o "$corpus/map.json"
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
	for n in tests/fuzz/seeds/*.ptx; do
		seed ptx "$(basename "$n")" <"$n"
	done
	forms
	for n in 1 2 3 4 5 6 7 8; do
		"${NEARFAR%/*}/tests/values/differ" print $n | seed ptx case-$n
	done
	for n in 3 5; do
		printf '%s\n' '-kernel name = add' '-grid dim = (2,1,1)' \
			'-block dim = (32,1,1)' '-shmem = 256' '-nregs = 16' \
			"-accelsim tracer version = $n" '-enable lineinfo = 0' \
			'-shmem base_addr = 0x00007fb0f2000000'
		for block in 0 1; do
			printf '%s\n' "thread block = $block,0,0" 'warp = 0' \
				'insts = 5' \
				'0000 ffffffff 1 R4 LDG.E 1 R6 4 1 0x7fb0fc400000 4' \
				'0010 00ffff00 1 R5 FFMA 3 R4 R4 R5 0' \
				'0020 ffffffff 1 R2 LDS 1 R7 4 1 0x7fb0f2000000 4' \
				'0030 0000000f 0 STG.E 2 R6 R5 4 2 0x7fb0fc400200 128 128 -64' \
				'0040 ffffffff 0 EXIT 0 0'
		done | if [ $n = 5 ]; then sed '/^[0-9]/s/$/ 0/'; else cat; fi
	done | split -l 24 --additional-suffix=.trace - "$corpus/t."
	for n in "$corpus"/t.*.trace; do
		seed trace "$(basename "$n")" <"$n"
		rm "$n"
	done
	"$NEARFAR" run --kernel tests/kernels/gather/gather-small.job \
		--force -o "$corpus/gather.json" --profile "$corpus/profile.json"
	seed profile json <"$corpus/profile.json"
	for n in backend_sim/machines/*.yaml tests/golden/machines/*.yaml; do
		seed machine "$(basename "$n")" <"$n"
	done
	for n in tests/golden/imports/*.* tests/golden/imports/*/*; do
		seed import "$(basename "$n")" <"$n"
	done
	seed suite suite <results/suite.txt
	printf '# gates\n%s\n%s\n' 'pointer-chase:op=ld.* 5%,knee=0.5' \
		'* median=1%,direction=worse,test=yes,missing=no' |
		seed gates gates
	for n in 12 13; do
		jq -cn --argjson n $n --argjson count $(grep -c '^	OUTCOME_' \
			harness/fit/search/parts.h) '{settings: "00\($n)",
			point: 1, outcome: [range($count - 1) | 1e3, null][1:]}'
	done | seed state records
	sed -n 's/^	WHOLE(\(.*\)),/"\1": 8,/p' harness/fit/device.c |
		sed '1s/^/{"name": "x", "clock_hz": 1e9,/; $s/,$/}/' | seed device device
	for n in 0 1 2; do
		"$NEARFAR" show -f json "$corpus/a.json" | jq -c --argjson n $n \
			'{series: 0, index: $n, point: .series[0].points[0]},
			{series: 0, index: $n, failed: "why"}' |
			seed kept point-$n
	done
	for n in tests/fleet/bases/*; do
		gzip -dc "$n" | seed fingerprint "$(basename "$n" .gz)"
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

# fuzz BINARY TARGET OPTION...: libFuzzer on build/corpus/TARGET.
fuzz() {
	local binary=$1 target=$2
	shift 2
	FUZZ_TARGET=$target "$binary" "$corpus/$target" -timeout=25 \
		${words[$target]:+-dict="$corpus/${words[$target]}"} \
		-rss_limit_mb=2048 -artifact_prefix="$corpus/$target-" \
		-print_final_stats=1 "$@" >"$corpus/$target.log" 2>&1 && return
	echo "not ok fuzz $target"
	tail -n 40 "$corpus/$target.log" | sed 's/^/  /'
	return 1
}

# Executions of the call before, as libFuzzer counts them.
executed() {
	sed -n 's/^stat::number_of_executed_units: *//p' "$corpus/$1.log"
}

# cell TARGET COLUMN [NEW]: reads or writes one cell of the table.
cell() {
	if [ $# = 2 ]; then
		awk -F'\t' -v t="$1" -v c="$2" '$1 == t { print $c }' $table
		return
	fi
	awk -F'\t' -v OFS='\t' -v t="$1" -v c="$2" -v n="$3" \
		'$1 == t { $c = n } { print }' $table >"$corpus/table.new" &&
		mv "$corpus/table.new" $table
}

# By the sanitised build alone, to the number that was asked for.
short() {
	local target=$1 done share
	done=$(cat "$corpus/$target.runs" 2>/dev/null || echo 0)
	while [ "$done" -lt "$runs" ]; do
		share=$((runs - done < 50000 ? runs - done : 50000))
		fuzz "$targets" $target -runs=$share -seed=$((done + 1)) \
			-max_len=65536 -detect_leaks=1 || return
		done=$((done + share))
		echo $done >"$corpus/$target.runs"
	done
	echo "fuzz $target: $done executions," \
		"$(ls "$corpus/$target" | wc -l) inputs"
}

# Shares by the fast build, what they kept by the sanitised one.
long() {
	local target=$1 done wanted shares=${FUZZ_SHARES:-1000000}
	wanted=$(cell $target 2)
	done=$(cell $target 3)
	while [ "$done" -lt "$wanted" ] && [ "$shares" -gt 0 ]; do
		shares=$((shares - 1))
		fuzz "$fast" $target -runs=250000 -seed=$((done + 1)) \
			-max_len=8192 -detect_leaks=0 || return
		done=$((done + $(executed $target)))
		cell $target 3 $done
	done
	fuzz "$targets" $target -runs=0 -max_len=65536 || return
	cell $target 4 $(($(cell $target 4) + $(executed $target)))
	cell $target 5 "$(ls "$corpus/$target" | wc -l)"
	echo "fuzz $target: $(grep "^$target	" $table)"
}

mkdir -p "$corpus"
tests/fuzz/dictionary.sh >"$corpus/kernels.dict"
seeds
failed=0
for target in ${FUZZ_ONLY:-$(tail -n +2 $table | cut -f1)}; do
	mkdir -p "$corpus/$target"
	[ ! -d tests/fuzz/corpus/$target ] ||
		cp tests/fuzz/corpus/$target/* "$corpus/$target"
	if [ "$runs" = --long ]; then
		long $target || failed=1
	else
		short $target || failed=1
	fi
done
exit $failed
