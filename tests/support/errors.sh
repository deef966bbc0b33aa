#!/bin/sh
# The model's errors against the committed silicon, family by family, as the
# Markdown table of the README. Shares are compared by difference, all else by
# ratio; every point counts once.
# usage: errors.sh NEARFAR SILICON MODEL
set -eu
nearfar=$1 silicon=$2 model=$3

rows() { # FAMILY METRIC PATTERN
	for measured in "$silicon"/$3.json.gz; do
		"$nearfar" compare -f csv --metric "$2" "$measured" \
			"$model/${measured##*/}" | awk -F, -v family="$1" '
		/^#/ || /^$/ { next }
		!seen++ { share = ($2 ~ /^share/); next }
		{
			e = share ? ($3 - $2) * 100 : $5
			printf "%s\t%.6f\t%d\n", family, e < 0 ? -e : e, share
		}'
	done
}

{
	rows 'latency curves, `ld.ca`, `ld.cg`, `atom`' latency_cycles \
		'pointer-chase-[la][dt]*.[ca][agd]*'
	rows 'memory-level parallelism' latency_cycles 'mlp-*'
	rows 'TLB, one line a page' latency_cycles 'pointer-chase-pages'
	rows 'bandwidth against SMs, warps, footprint' useful_gb_per_s \
		'bandwidth-*'
	rows 'stride sweep, loads' useful_gb_per_s 'stride-sweep-l*'
	rows 'stride sweep, stores' useful_gb_per_s 'stride-sweep-st*'
	rows 'atomics, one word' atomics_per_cycle 'atomic-contention-word*'
	rows 'atomics, all patterns' atomics_per_cycle 'atomic-contention-*'
	for share in l1 near far dram; do
		rows 'prefetch-size, shares (difference)' share_$share \
			'prefetch-size-*'
	done
} | sort -t"$(printf '\t')" -k1,1 -k2,2n | awk -F'\t' '
function flush_family() {
	if (n)
		printf "| %s | %d | %.1f%s | %.1f%s | %.1f%s |\n", family, n,
			v[int((n + 1) / 2)], unit, v[int(n * 0.9 + 0.999)],
			unit, v[n], unit
	n = 0
}
BEGIN {
	print "| what | points | median | 90th percentile | worst |"
	print "|---|---|---|---|---|"
}
$1 != family { flush_family(); family = $1; unit = $3 ? " points" : " %" }
{ v[++n] = $2 }
END { flush_family() }'
