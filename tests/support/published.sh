#!/bin/sh
# The machines beside the curves that others published for the same GPUs: runs
# the model at the points of each and writes one comparison a file, errors
# only, and their summary. Skips, with the reason, without the data.
# usage: published.sh NEARFAR REFERENCE OUT
set -eu
. "$(dirname "$0")/published_begin.sh"

# Every STEP-th point up to LIMIT, as -x takes them.
points() { # STEP LIMIT
	"$nearfar" show -f csv "$work/base.json" | awk -F, -v step="$1" \
		-v limit="$2" '/^#/ { next } /^$/ { exit } !head++ { next }
		$1 <= limit && n++ % step == 0 { printf "%s%s", comma, $1
			comma = "," }'
}

# row NAME FILE STEP LIMIT RUN...: RUN is the machine and the bench.
row() {
	name=$1 file=$2 step=$3 limit=$4
	shift 4
	"$nearfar" import "$reference/$file" -o "$work/base.json"
	"$nearfar" run "$@" -x "$(points "$step" "$limit")" \
		-o "$work/model.json"
	"$nearfar" compare -f csv "$work/base.json" "$work/model.json" \
		>"$work/compared.csv"
	{
		echo "# published: $file"
		echo "# command: nearfar run $*"
		# Not the published values: the model's, and how far it is.
		awk -F, -v OFS=, '/^#/ || /^$/ { next }
			!head++ { print $1, $3, $5, $6; next }
			{ printf "%s,%.6g,%.3f,%s\n", $1, $3, $5, $6 }' \
			"$work/compared.csv"
	} >"$out/$name.csv"
}

# Errors of a file of row(): all points, or those outside knees.
errors() { # FILE PATTERN
	awk -F, -v knee="$2" '/^#/ { next } !head++ { next }
		$4 ~ knee { printf "%.3f\n", $3 < 0 ? -$3 : $3 }' "$1" |
		sort -n | awk '{ v[NR] = $1 }
		END { if (NR) printf " %d | %.1f %% | %.1f %% | %.1f %% |",
			NR, v[int((NR + 1) / 2)], v[int(NR * 0.9 + 0.999)],
			v[NR] }'
}

chase="pointer-chase --slot 64 --loads 16384"
row h100-pcie-latency gpu-benches/h100_pcie.txt 1 1e12 $chase -m h100-pcie
row a100-sxm-latency gpu-benches/a100_80.txt 1 1e12 $chase -m a100-sxm
row h100-pcie-bandwidth gpu-benches/l2-cache-h100_pcie.txt 5 3e8 \
	bandwidth --over footprint --cop cg --volume 4MiB -m h100-pcie
row h200-sxm-bandwidth gpu-benches/l2-cache-h200.txt 5 3e8 \
	bandwidth --over footprint --cop cg --volume 4MiB -m h200-sxm
row h200-sxm-strides gpu-benches/strides-h200.txt 1 1e12 \
	coalescing --op ld.ca --width 4 -m h200-sxm
{
	echo "| comparison | points outside knees | median | 90th percentile | worst | all points | median | 90th percentile | worst |"
	echo "|---|---|---|---|---|---|---|---|---|"
	for file in "$out"/*.csv; do
		name=$(basename "$file" .csv)
		echo "| [$name]($name.csv) |$(errors "$file" 0)$(errors "$file" .)"
	done
	[ ! -e "$out/half/table.md" ] || {
		echo
		sed "s|](|](half/|" "$out/half/table.md"
	}
} >"$out/summary.md"
cat "$out/summary.md"
