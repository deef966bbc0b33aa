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
	kernel-copy	--kernel tests/kernels/stream/copy-small.job
	kernel-arithmetic	--kernel tests/kernels/compute/n_body-small.job
	kernel-atomics	--kernel tests/kernels/reduce/sum_atomic-small.job
	END
}

count() {
	# shellcheck disable=SC2086
	valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$nearfar" run $1 -j 1 --force -o "$scratch/out.json" \
		2>"$scratch/said" >&2 || { cat "$scratch/said" >&2; exit 1; }
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$scratch/said"
}

compiler="# $(cc --version | head -n 1)"
{
	echo "$compiler"
	printf 'workload\tinstructions\n'
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
