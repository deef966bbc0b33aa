#!/bin/bash
# Instructions that fixed workloads execute, counted by valgrind, against the
# committed table; 3 % more is a failure. The compiler must be that of the
# table's first line, or the comparison means nothing.
# usage: check.sh [--update] NEARFAR
set -eu
table=tests/perf/instructions.tsv
update=
if [ "$1" = --update ]; then
	update=1
	shift
fi
nearfar=$1
if ! command -v valgrind >/dev/null; then
	echo "valgrind is missing; 'make deps-dev' installs it" >&2
	exit 1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# reads NAME BYTES COUNT SMS ACCESS: 32 warps of each SM make COUNT accesses.
reads() {
	cat <<-END >"$scratch/$1.txt"
	nearfar-program 1
	name $1
	seed 1
	buffer data bytes=$2
	launch go
	  role reader sms=0:$4 threads=1024
	    repeat $3 unroll=4 time=region region=measure
	      $5
	    end
	END
}

# What the workloads read.
inputs() {
	local dense="data + lane*16 + warp*512 + block*16KiB + loop0*2112KiB"

	reads stream-l2 8MiB 8 66 "ld.global.cg.v4.b32 [$dense wrap 8MiB]"
	reads stream-dram 1GiB 8 66 "ld.global.cg.v4.b32 [$dense wrap 1GiB]"
	reads random 4GiB 4 16 "ld.global.cg.b32 [data random slot=32]"
	"$nearfar" run pointer-chase --op ld.cg -x 64KiB,1MiB --loads 20000 \
		-m h100-pcie -j 1 -o "$scratch/fit.json"
}

# Each runs the model for less than a second without valgrind.
workloads() {
	cat <<-END
	chase-l1	pointer-chase --op ld.ca -x 64KiB --loads 100000
	chase-l2	pointer-chase --op ld.cg -x 8MiB --loads 100000
	chase-dram	pointer-chase --op ld.cg -x 1GiB --loads 50000 --set l2_bytes=6MiB
	chase-parallel	pointer-chase --op ld.cg -x 8MiB --warps 8 --lanes 32 --loads 512
	stream-read	stride-sweep -x 4 --volume 32MiB
	stream-write	stride-sweep --op st.wb -x 4 --volume 32MiB
	gather	stride-sweep -x 128 --volume 32MiB
	atomics-word	atomic-contention -x 132
	atomics-lines	atomic-contention -x 132 --pattern thread-line --iterations 4
	residency	prefetch-size -x 32
	program-stream-l2	--program $scratch/stream-l2.txt
	program-stream-dram	--program $scratch/stream-dram.txt
	program-random	--program $scratch/random.txt
	program-chase	pointer-chase --op ld.cg -x 8MiB --loads 20000
	program-atomics	atomic-contention -x 132 --iterations 8
	program-copy-2	remote --memory device --by sms -x 2MiB
	program-copy-8	remote --memory device --by sms -x 8MiB
	kernel-copy	--kernel tests/kernels/stream/copy-small.job
	kernel-arithmetic	--kernel tests/kernels/compute/n_body-small.job
	kernel-atomics	--kernel tests/kernels/reduce/sum_atomic-small.job
	fit	fit --from $scratch/fit.json --nearest h200-sxm --free l2_* --budget 8
	END
}

# count WORDS: of run, or of fit.
count() {
	local words="run $1 --force -o $scratch/out.json"

	if [ "${1%% *}" = fit ]; then
		words="$1 -o $scratch/out.yaml"
	fi
	set -f
	# shellcheck disable=SC2086
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$nearfar" $words -j 1 \
		2>"$scratch/said" >&2 || { cat "$scratch/said" >&2; exit 1; }
	set +f
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/said"
}

compiler="# $(cc --version | head -n 1)"
{
	echo "$compiler"
	printf 'workload\tinstructions\n'
	inputs
	workloads | while IFS=$'\t' read -r name words; do
		instructions=$(count "$words")
		printf '%s\t%s\n' "$name" "$instructions"
	done
} >"$scratch/now.tsv"

if [ -n "$update" ]; then
	cp "$scratch/now.tsv" $table
	cat $table
	exit
fi
if [ "$(head -n 1 $table)" != "$compiler" ]; then
	echo "the table is from another compiler: $(head -n 1 $table)" >&2
	exit 77
fi
awk -F'\t' '
/^#/ || $1 == "workload" { next }
NR == FNR { base[$1] = $2; next }
{
	change = $1 in base ? ($2 / base[$1] - 1) * 100 : 100
	slower = $2 == "" || change > 3
	printf "%s perf: %s: %.1f M instructions, %+.2f %%\n",
		(slower ? "not ok" : "ok"), $1, $2 / 1e6, change
	bad = bad || slower
}
END { exit bad }' $table "$scratch/now.tsv"
