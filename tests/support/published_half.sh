#!/bin/sh
# Machines fitted to every second point of what others published, and judged by
# the other half. A fit begins where nothing of the curve is known: what the
# machine file has from it is the H200's again. Writes a CSV a fit (the model's
# values and how far they are off, not the published ones) and a table.
# usage: published_half.sh NEARFAR REFERENCE OUT
set -eu
. "$(dirname "$0")/published_begin.sh"

# NAME=VALUE of a machine's parameters whose origin matches a pattern.
values() { # MACHINE PATTERN
	"$nearfar" list parameters -m "$1" -f csv |
		awk -F, -v pattern="$2" 'NR > 1 && $0 ~ pattern {
			print $1 " " $2 " " $3 }'
}

# The machine without what it knows from gpu-benches: all of the unified memory
# is L1, DRAM has 1 TB/s, the rest is the H200's.
start() { # MACHINE
	echo "schema: nearfar-machine/1
name: start
base: $1
about: $1 without what one published curve says
parameters:"
	l1=$(values "$1" '^l1_total_bytes,' | cut -d' ' -f2)
	values "$1" '(fitted|published):.*gpu-benches' |
	while read -r name value unit; do
		case $name in
		clock_hz) continue ;; # no fit needs another one
		l1_cache_bytes) value=$l1 ;;
		dram_bytes_per_s) value=1e12 ;;
		*) value=$(values h200-sxm "^$name," | cut -d' ' -f2) ;;
		esac
		echo "  $name: {value: $value, unit: $unit," \
			"origin: \"assumed: of h200-sxm\"}"
	done
}

# The published curve outside its knees, as x.
flat() {
	"$nearfar" compare -f csv "$work/target.json" "$work/target.json" |
		awk -F, '/^#/ || /^$/ { next } !head++ { next }
			!$6 { print $1 }'
}

# half NAME FILE MACHINE ROWS PARAMETER...: ROWS is an awk condition on the
# lines of the file.
half() {
	name=$1 file=$2 machine=$3 rows=$4
	shift 4
	awk "$rows" "$reference/$file" >"$work/target.txt"
	"$nearfar" import "$work/target.txt" -o "$work/target.json"
	start "$machine" >"$work/start.yaml"
	for parameter in "$@"; do
		echo "--free=$parameter"
	done | xargs "$nearfar" fit --nearest "$work/start.yaml" \
		--budget 1 --hold-out-points 2 --errors "$work/points.csv" \
		-o "$work/fitted.yaml" --from "$work/target.json" \
		>"$work/report.txt"
	flat >"$work/flat.txt"
	{
		echo "# published: $file"
		echo "# fitted, from $machine without it: $*"
		grep -E '^ *([a-z0-9_]+) .* (read off|fitted)$' \
			"$work/report.txt" |
			awk '{ print "# " $1 ": " $2 " -> " $3 " " $6 }'
		echo "x,model,error_percent,knee,held_out"
		awk -F, 'NR == FNR { flat[$1] = 1; next } FNR > 1 {
			printf "%s,%.6g,%.3f,%d,%d\n", $2, $6, $7,
				!($2 in flat), $4 }' \
			"$work/flat.txt" "$work/points.csv"
	} >"$out/$name.csv"
}

# Points, median, 90th percentile and worst of a file of half().
errors() { # FILE KNEE HELD_OUT
	awk -F, -v knee="$2" -v held="$3" '/^[0-9]/ && $4 ~ knee &&
		$5 == held { printf "%.3f\n", $3 < 0 ? -$3 : $3 }' "$1" |
		sort -n | awk '{ v[NR] = $1 }
		END { if (NR) printf " %d | %.1f %% | %.1f %% | %.1f %% |",
			NR, v[int((NR + 1) / 2)], v[int(NR * 0.9 + 0.999)],
			v[NR] }'
}

latency="l1_cache_bytes l1_hit_cycles l2_near_cycles dram_near_cycles clock_hz"
rates="crossbar_bytes_per_cycle dram_bytes_per_s"
# Of 300 points every sixth is enough; of data sets every fourth up to 300 MB,
# for the model runs the whole chip. All is read off: nothing is searched.
# shellcheck disable=SC2016
few='NR == 1 || ($3 <= 3e5 && n++ % 4 == 0)'
# shellcheck disable=SC2086
for row in a100-sxm:a100_80:1 h100-pcie:h100_pcie:1 l40:l40:6 v100:v100:6; do
	chip=${row%%:*} each=${row##*:} theirs=${row#*:}
	theirs=${theirs%:*}
	half "$chip-latency" "gpu-benches/$theirs.txt" "$chip" \
		"NR % $each == 1 % $each" $latency
	[ ! -e "$reference/gpu-benches/l2-cache-$theirs.txt" ] ||
		half "$chip-bandwidth" "gpu-benches/l2-cache-$theirs.txt" \
			"$chip" "$few" $rates
done
{
	echo "| fitted to every second point | others, outside knees | median | 90th percentile | worst | all others | median | 90th percentile | worst |"
	echo "|---|---|---|---|---|---|---|---|---|"
	for file in "$out"/*.csv; do
		name=$(basename "$file" .csv)
		echo "| [half/$name]($name.csv) |$(errors "$file" 0 1)$(errors "$file" . 1)"
	done
} >"$out/table.md"
