#!/bin/bash
# Rebuilds the figures of results/figures and, between its two marks, the first
# part of results/README.md, from the committed series alone.
# usage: publish.sh NEARFAR RESULTS
set -eu
export LC_ALL=C.UTF-8
nearfar=$1 results=$2
h=$results/h200-sxm s=$results/sim/h200-sxm figures=$results/figures
readme=$results/README.md
begin='<!-- made by `make publish`: do not edit -->'
end='<!-- end of what `make publish` made -->'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$figures"

# figure NAME WHAT COMMAND...: draws it, and refers to it.
figure() {
	local name=$1 what=$2
	shift 2
	"$nearfar" "$@" -o "$figures/$name.svg"
	printf '![%s](figures/%s.svg)\n\n' "$what" "$name"
}

# both NAME: silicon, then the model.
both() { printf '%s\n' "$h/$1.json.gz" "$s/$1.json.gz"; }

# knees NAME: what the comparison says of errors and knees.
knees() {
	"$nearfar" compare -f md "$h/$1.json.gz" "$s/$1.json.gz" |
		grep -E '^- (error|knee:)'
	echo
}

# The table of a command alone, without what stands above and below.
table() { "$nearfar" "$@" -f md | grep '^|'; echo; }

staircase() {
	echo '## The staircase'
	echo
	echo 'A chase of one thread, loads by `ld.ca` and atomics; what serves a'
	echo 'footprint is a step. Solid: H200; dashed: the model.'
	echo
	figure staircase 'latency against footprint' show \
		--metric latency_cycles $(both pointer-chase-ld.ca) \
		$(both pointer-chase-atom.add)
	for name in pointer-chase-ld.ca pointer-chase-atom.add; do
		printf '%s, the model (new) against silicon (base):\n\n' \
			"\`${name#pointer-chase-}\`"
		knees "$name"
	done
}

near_and_far() {
	echo '## Near and far'
	echo
	echo 'Single atomics of a chase: half of the addresses have their home'
	echo 'on the far side.'
	echo
	"$nearfar" show -f json "$h/pointer-chase-samples-atom.json.gz" |
		python3 -c '
import json, sys
kept = json.load(sys.stdin)
for one in kept["series"]:
    one["points"] = [p for p in one["points"] if p["x"] == 8388608]
json.dump(kept, sys.stdout)' >"$scratch/near-far.json"
	figure near-far 'samples of atomics on an H200, 8 MiB' modes \
		"$scratch/near-far.json"
	echo 'H200:'
	echo
	table modes "$h/pointer-chase-samples-atom.json.gz"
	echo 'The model:'
	echo
	table modes "$s/pointer-chase-samples-atom.json.gz"
}

map() {
	echo '## The map of a chip'
	echo
	echo 'Every SM times an atomic on every line; rows and columns are'
	echo 'ordered by side and home.'
	echo
	figure map 'latency of each SM to each line of an H200' map \
		"$h/near-far.json.gz"
	echo 'After a flush, one SM loads every line (cold); then each SM loads'
	echo 'a share, twice:'
	echo
	table map "$h/near-far.json.gz"
}

atomics() {
	echo '## Atomics on one word'
	echo
	figure atomics 'atomics a cycle against SMs' show \
		--metric atomics_per_cycle $(both atomic-contention-word) \
		$(both atomic-contention-word-atom) \
		$(both atomic-contention-word-cas)
	for name in atomic-contention-word atomic-contention-word-atom; do
		printf '`%s`:\n\n' "$name"
		"$nearfar" compare --metric atomics_per_cycle -f md \
			"$h/$name.json.gz" "$s/$name.json.gz" | grep '^|'
		echo
	done
}

prefetch() {
	echo '## What a prefetch size brings'
	echo
	echo 'Where a probe is found after one load with the qualifier:'
	echo
	figure prefetch 'levels by qualifier and offset' table \
		$(both prefetch-size)
	table table $(both prefetch-size)
}

residency() {
	echo '## What stays in L2'
	echo
	echo 'Where a hot set of 16 MiB is found after a stream:'
	echo
	figure residency 'levels by priority and size of the stream' table \
		$(both residency)
	table table $(both residency)
}

accuracy() {
	echo '## How far the model is off'
	echo
	figure accuracy 'the chase of ld.ca: both curves, and the error' \
		compare $(both pointer-chase-ld.ca)
	echo 'The default suite, which the model was fitted to:'
	echo
	tests/support/errors.sh "$nearfar" "$h" "$s" 2>/dev/null
	echo
	echo 'Programs held out, on another chip:'
	echo
	tests/support/errors.sh "$nearfar" "$results/held-out/h200-sxm" \
		"$results/held-out/sim" 2>/dev/null
	echo
	echo 'Programs drawn at random, on another chip:'
	echo
	tests/support/program_errors.sh "$results/programs/h200-sxm.tsv" \
		"$results/programs/sim.tsv"
	echo
	echo 'The wide net:'
	echo
	tests/support/program_errors.sh "$results/net/h200-sxm.tsv" \
		"$results/net/sim.tsv"
	echo
}

# A machine at the points of a published curve, as a series.
machine() {
	printf '# bench: pointer-chase\n# backend: sim\n# machine: %s\n' "$1"
	echo 'footprint_bytes,latency_cycles_median'
	grep '^[0-9]' "$results/published/$1-latency.csv" | cut -d, -f1,2
}

peers() {
	local name
	echo '## Beside measurements by others'
	echo
	echo 'The machines at the points of published curves, with what each is'
	echo 'off by; the published numbers themselves are not kept here.'
	echo
	for name in a100-sxm h100-pcie; do
		machine $name >"$scratch/$name.csv"
	done
	figure peers 'the staircases of three chips' show \
		--metric latency_cycles "$scratch/a100-sxm.csv" \
		"$scratch/h100-pcie.csv" "$h/pointer-chase-ld.ca.json.gz"
	sed 's|](\([a-z0-9/-]*\.csv\))|](published/\1)|' \
		"$results/published/summary.md"
	echo
}

{
	echo "$begin"
	echo
	for part in staircase near_and_far map atomics prefetch residency \
		accuracy peers; do
		echo "  PUBLISH $part" >&2
		$part
	done
	echo "$end"
} >"$scratch/made"

awk -v begin="$begin" -v end="$end" -v made="$scratch/made" '
$0 == begin { while ((getline line < made) > 0) print line; inside = 1; seen = 1 }
!inside { print }
$0 == end { inside = 0 }
END { exit !seen }' "$readme" >"$scratch/readme" || {
	echo "publish.sh: '$readme' lacks the mark '$begin'" >&2
	exit 1
}
cp "$scratch/readme" "$readme"
