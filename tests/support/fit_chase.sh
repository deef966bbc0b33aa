#!/bin/sh
# Solves the latencies of a machine from a published chase: l1_hit_cycles,
# l2_near_cycles and dram_near_cycles, such that the model meets the curve at
# three footprints: in L1, in the near partition, and well beyond L2. Each is a
# sum of these latencies and of what the model adds, so a few rounds of
# correction settle. bridge_cycles is not solved: the plateau between one
# partition and both depends on what the sets still hold, too, and is left to
# judge the machine by. Prints the values; the machine's file is not changed.
# usage: fit_chase.sh NEARFAR MACHINE FILE BYTES,BYTES,BYTES
#   FILE is what gpu-benches wrote, or a series; BYTES are points of it.
set -eu
nearfar=$1 machine=$2 file=$3 x=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

case $file in
*.csv | *.json | *.json.gz) cp "$file" "$work/base" ;;
*) "$nearfar" import "$file" -o "$work/base" ;;
esac

# The latencies at the footprints, on one line.
at() {
	"$nearfar" show -f csv "$1" | awk -F, -v list="$x" '
	/^#/ || /^$/ { next }
	!head++ { for (i = 1; i <= NF; i++)
			if ($i == "latency_cycles_median") column = i
		next }
	{ y[$1] = $column }
	END { n = split(list, x, ",")
		for (i = 1; i <= n; i++)
			if (!(x[i] in y)) { print "no point at " x[i] \
				>"/dev/stderr"; exit 1 }
			else printf "%s ", y[x[i]] }'
}

value() {
	"$nearfar" list parameters -m "$machine" |
		awk -v name="$1" '$1 == name { print $2 }'
}

wanted=$(at "$work/base")
l1=$(value l1_hit_cycles) near=$(value l2_near_cycles)
dram=$(value dram_near_cycles)
for round in 1 2 3; do
	"$nearfar" run pointer-chase -m "$machine" --slot 64 -x "$x" \
		--loads 16384 --set l1_hit_cycles="$l1" \
		--set l2_near_cycles="$near" --set dram_near_cycles="$dram" \
		-o "$work/model.json"
	now=$(at "$work/model.json")
	echo "round $round: wanted $wanted, got $now" >&2
	# The model counts whole cycles in L1: half a cycle is met.
	set -- $(echo "$wanted $now $l1 $near $dram" | awk '{
		d1 = $1 - $4; d2 = $2 - $5; d3 = $3 - $6
		printf "%.0f %.1f %.1f", $7 + (d1 > 0.5 || d1 < -0.5 ? d1 : 0),
			$8 + d2, $9 + d3 - d2 }')
	l1=$1 near=$2 dram=$3
done
echo "l1_hit_cycles $l1"
echo "l2_near_cycles $near"
echo "dram_near_cycles $dram"
