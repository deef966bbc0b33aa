#!/bin/sh
# Draws machines, lets `nearfar fit` find them through the model's own backend,
# and judges what it found. What stands in the folder is not done again, so that
# it goes on where it was. With BASE, machines like it are drawn, and found from
# ROWS of the measurement.
# usage: check.sh NEARFAR FOLDER SEED COUNT [JOBS [BASE ROWS]]
set -eu
nearfar=$1 folder=$2 seed=$3 count=$4 jobs=${5:-1} base=${6:-} rows=${7:-}
here=$(dirname "$0")

mkdir -p "$folder"
"$nearfar" list parameters -f csv | awk -F, 'NR == 1 {
		for (i = 1; i <= NF; i++)
			if ($i == "unit") unit = i
		next }
	{ print $1, $unit }' |
	python3 "$here/draw_machines.py" "$seed" "$count" "$folder" ${base:+"$base"}
done=
for machine in "$folder"/machine-*.yaml; do
	number=$(basename "$machine" .yaml)
	number=${number#machine-}
	[ "$number" -le "$count" ] || continue
	if [ ! -e "$folder/fitted-$number.yaml" ]; then
		"$nearfar" fit -b sim -m "$machine" \
			--measure "$folder/measured-$number" -j "$jobs" \
			${base:+--nearest "$base"} ${rows:+--only "$rows"} \
			>"$folder/said-$number.txt"
		"$nearfar" fit --from "$folder/measured-$number" -j "$jobs" \
			${base:+--nearest "$base"} ${rows:+--only "$rows"} \
			-o "$folder/fitted-$number.yaml" \
			>>"$folder/said-$number.txt"
	fi
	done="$done $number"
done
# shellcheck disable=SC2086 # a list of numbers
python3 "$here/judge.py" "$nearfar" "$folder" $done
