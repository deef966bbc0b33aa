#!/bin/sh
# Four kernels on the model, shown, and each beside the committed silicon; at
# the end a page with all of it.
# usage: demo.sh NEARFAR FOLDER
set -eu
nearfar=$1 folder=$2
silicon=results/h200-sxm
files=

section() {
	name=$1 metric=$2 title=$3
	measured=$silicon/$name.json.gz model=$folder/$name.json.gz
	printf '\n======== %s ========\n\n' "$title"
	tests/support/model_of.sh "$nearfar" "$measured" "$model"
	"$nearfar" show --metric "$metric" "$model"
	printf '\nThe model beside %s:\n\n' "$measured"
	"$nearfar" compare --metric "$metric" "$measured" "$model"
	files="$files $measured $model"
}

mkdir -p "$folder"
section pointer-chase-ld.ca latency_cycles \
	"pointer chase, ld.ca: the latency of each level"
section stride-sweep-ld.cg useful_gb_per_s \
	"stride sweep, ld.cg: the useful bandwidth"
section atomic-contention-word atomics_per_cycle \
	"atomics on one word: the rate as SMs join"
section prefetch-size share_dram \
	"prefetch size: which sectors a plain load leaves in DRAM"

# Near and far: samples, the map and the TLB.
for name in pointer-chase-samples-atom near-far tlb-reach; do
	measured=$silicon/$name.json.gz model=$folder/$name.json.gz
	tests/support/model_of.sh "$nearfar" "$measured" "$model"
	files="$files $measured $model"
done
# shellcheck disable=SC2086
"$nearfar" report $files -o "$folder/report.html" \
	--title 'nearfar: the model beside an H200' \
	--note "The kernels of the demo ran on the model just now, with the options
and points of the measured series in $silicon."
printf '\nThe page is %s: open it in a browser.\n' "$folder/report.html"
