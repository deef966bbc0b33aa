#!/bin/sh
# Four kernels on the model, shown, and each beside the committed silicon; at
# the end a summary, a page with all of it, and what is missing and why.
# usage: demo.sh NEARFAR FOLDER UPLOT   (UPLOT: the folder of uplot.sh)
set -eu
nearfar=$1 folder=$2 uplot=$3
silicon=results/h200-sxm
files=
began=$(date +%s)
echo "The demo runs 7 benches on the model: two to three minutes of one core," \
	"less with more cores."

section() {
	name=$1 metric=$2 title=$3
	measured=$silicon/$name.json.gz model=$folder/$name.json.gz
	printf '\n======== %s ========\n\n' "$title"
	tests/support/model_of.sh "$nearfar" "$measured" "$model"
	"$nearfar" show --metric "$metric" "$model"
	printf '\nThe model beside %s:\n\n' "$measured"
	"$nearfar" compare --metric "$metric" "$measured" "$model" \
		>"$folder/compared.txt"
	cat "$folder/compared.txt"
	printf '  %s\n    %s\n    %s\n' "$title" \
		"$(sed -n 's/^error: /all: /p' "$folder/compared.txt" |
			head -n 1)" \
		"$(sed -n 's/^error without knees: /without knees: /p' \
			"$folder/compared.txt" | head -n 1)" \
		>>"$folder/summary.txt"
	files="$files $measured $model"
}

mkdir -p "$folder"
: >"$folder/summary.txt"
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

# ---- the summary ----

printf '\n======== summary ========\n\nThe model against an H200 (a knee is where a curve\nsteps up or down, and a small shift is a large error):\n\n'
cat "$folder/summary.txt"
printf '\nMissing:\n\n'
why=$("$nearfar" run pointer-chase -b cuda -x 4KiB -r 1 2>&1 >/dev/null) &&
	echo "  nothing was measured here, though there is a GPU: the silicon is" \
		"that of $silicon; \`nearfar run pointer-chase -b cuda\` measures" ||
	echo "  measurements of this machine: ${why#nearfar: }"
if [ ! -s "$uplot/uplot.js" ]; then
	echo "  interactive charts: $(cat "$uplot/missing" 2>/dev/null ||
		echo "the program was built without uPlot"); the page has static ones"
fi
printf '\nThe demo took %s s. The page is %s: open it in a browser.\n' \
	$(($(date +%s) - began)) "$folder/report.html"
