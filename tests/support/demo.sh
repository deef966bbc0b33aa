#!/bin/sh
# Four kernels on the model, shown, and each beside the committed silicon.
# usage: demo.sh NEARFAR FOLDER
set -eu
nearfar=$1 folder=$2
silicon=results/h200-sxm
report=$folder/report.md

section() {
	name=$1 metric=$2 title=$3
	measured=$silicon/$name.json.gz model=$folder/$name.json.gz
	printf '\n======== %s ========\n\n' "$title"
	tests/support/model_of.sh "$nearfar" "$measured" "$model"
	"$nearfar" show --metric "$metric" "$model"
	printf '\nThe model beside %s:\n\n' "$measured"
	"$nearfar" compare --metric "$metric" "$measured" "$model"
	{
		printf '\n## %s\n\nThe model:\n\n' "$title"
		"$nearfar" show -f md "$model"
		printf '\nThe model (new) beside `%s` (base):\n\n' "$measured"
		"$nearfar" compare --metric "$metric" -f md \
			"$measured" "$model"
	} >>"$report"
}

mkdir -p "$folder"
cat >"$report" <<END
# nearfar: the model beside the silicon

Four kernels with the options and points of the measured series in
\`$silicon/\`, run on the model of that GPU. The model's series lie beside
this page.
END
section pointer-chase-ld.ca latency_cycles \
	"pointer chase, ld.ca: the latency of each level"
section stride-sweep-ld.cg useful_gb_per_s \
	"stride sweep, ld.cg: the useful bandwidth"
section atomic-contention-word atomics_per_cycle \
	"atomics on one word: the rate as SMs join"
section prefetch-size share_dram \
	"prefetch size: which sectors a plain load leaves in DRAM"
printf '\nThe report is %s; the series lie beside it.\n' "$report"
