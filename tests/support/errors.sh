#!/bin/sh
# The model against the committed silicon, as the tables of results/accuracy.md:
# what is compared stands in the table of rows below. Shares are compared by
# difference, distributions by their distance (Wasserstein-1, of the mean), all
# else by ratio; every point counts once. The last row pools what is compared by
# ratio or distance.
# usage: errors.sh NEARFAR SILICON MODEL
set -eu
export LC_ALL=C
nearfar=$1 silicon=$2 model=$3

# WHAT; BENCH; METRIC,...; conditions on the options: NAME=WORD|... or
# NAME!=WORD|... The metric `levels` counts the cells of `nearfar table`.
# Rows of one name are one. Not compared: `sharing`, by number of the SM, since
# another SM is on another side of another chip.
rows='
latency curves, `ld.ca`, `ld.cg`, `atom`; pointer-chase; latency_cycles; op=ld.ca|ld.cg|atom.add samples=no page-stride=no order=shuffle warps=1 lanes=1
distributions of single loads (distance); pointer-chase; distance; samples=yes
memory-level parallelism; pointer-chase; latency_cycles; warps!=1
memory-level parallelism; pointer-chase; latency_cycles; warps=1 lanes!=1
loaded latency; loaded-latency; latency_cycles
loaded latency, bandwidth of the load; loaded-latency; load_gb_per_s
TLB, one line a page; pointer-chase; latency_cycles; page-stride=yes
TLB reach; tlb-reach; latency_cycles
bandwidth against SMs, warps, footprint; bandwidth; useful_gb_per_s
stride sweep, loads; stride-sweep; useful_gb_per_s; op!=st.wb|st.cg|st.cs|st.wt
stride sweep, stores; stride-sweep; useful_gb_per_s; op=st.wb|st.cg|st.cs|st.wt
coalescing, bandwidth; coalescing; moved_gb_per_s
coalescing, latency; coalescing; latency_cycles
compression, bandwidth; compression; useful_gb_per_s
atomics, one word; atomic-contention; atomics_per_cycle; pattern=word over=sms privatised=no
atomics, all patterns; atomic-contention; atomics_per_cycle
copies by the engine; remote; copy_gb_per_s; by=engine
copies by SMs; remote; copy_gb_per_s; by=sms
prefetch-size, gather and stream; prefetch-size; useful_gb_per_s; form!=residency
prefetch-size, shares (difference); prefetch-size; shares; form=residency
residency, shares (difference); residency; shares
cache-ops, shares (difference); cache-ops; shares
cache-ops, cells that differ in level; cache-ops; levels
'
shares=share_l1,share_near,share_far,share_dram
rows=$(printf '%s' "$rows" | sed "/^$/d; s/; shares/; $shares/")

# The metrics that the rows want of a bench, one a line.
wanted() {
	printf '%s\n' "$rows" | awk -F'; ' -v bench="$1" '
	$2 == bench { n = split($3, m, ","); for (i = 1; i <= n; i++) print m[i] }
	' | sort -u
}

# side_by_side METRIC BASE NEW
side_by_side() {
	if [ "$1" = levels ]; then
		"$nearfar" table -f csv "$2" "$3"
	elif grep -q ",$1_median" "$scratch/head"; then
		"$nearfar" compare -f csv --metric "$1" "$2" "$3"
	fi
}

# Both files side by side, as CSV, once for each metric that is wanted.
compare_file() {
	"$nearfar" show -f csv "$1" | grep -v '^[0-9-]' >"$scratch/head"
	for bench in $(sed -n 's/^# bench: //p' "$scratch/head" | sort -u); do
		for metric in $(wanted "$bench"); do
			side_by_side "$metric" "$1" "$2" || echo \
				"errors.sh: '$1' has no $metric to compare" >&2
			echo
		done
	done
}

compare_all() {
	for measured in "$silicon"/*.json.gz "$silicon"/*.csv.gz; do
		[ -e "$measured" ] || continue
		modelled=${measured##*/}
		modelled=$model/${modelled%.*.gz}.json.gz
		if [ ! -e "$modelled" ]; then
			echo "errors.sh: there is no '$modelled'" >&2
			continue
		fi
		compare_file "$measured" "$modelled"
	done
}

# INDEX KIND VALUE [OF] for each point and each row that it belongs to.
sort_out() {
	awk -v rows="$rows" '
	function holds(condition,   not, at, words, n, i, hit) {
		at = index(condition, "=")
		not = substr(condition, at - 1, 1) == "!"
		n = split(substr(condition, at + 1), words, "|")
		for (i = 1; i <= n; i++)
			hit = hit || words[i] == \
				option[substr(condition, 1, at - 1 - not)]
		return not ? !hit : hit
	}
	function belongs(row,   n, i, c) {
		if (row_bench[row] != bench ||
			index("," row_metrics[row] ",", "," metric ",") == 0)
			return 0
		n = split(row_conditions[row], c, " ")
		for (i = 1; i <= n; i++)
			if (!holds(c[i]))
				return 0
		return 1
	}
	function put(kind, value, of,   row, any) {
		for (row = 1; row <= row_count; row++)
			if (belongs(row)) {
				print index_of[row_name[row]], kind, value, of
				any = 1
			}
		if (any && kind == "%")
			print row_count + 1, kind, value
	}
	BEGIN {
		row_count = split(rows, line, "\n")
		for (row = 1; row <= row_count; row++) {
			split(line[row], field, "; ")
			row_name[row] = field[1]
			row_bench[row] = field[2]
			row_metrics[row] = field[3]
			row_conditions[row] = field[4]
			if (!(field[1] in index_of))
				index_of[field[1]] = row
		}
	}
	/^# schema: / {
		split("", option)
		pivot = /table/
		metric = pivot ? "levels" : ""
		next
	}
	/^# bench: / { bench = $3 }
	/^# option\./ { option[substr($2, 8, length($2) - 8)] = $3 }
	/^# cells_compared: / { compared = $3 }
	/^# cells_differing: / { put("cells", $3, compared) }
	/^#/ || /^$/ || pivot { next }
	{ split($0, cell, ",") }
	metric == "" { metric = substr(cell[2], 1, length(cell[2]) - 5); next }
	{
		share = metric ~ /^share_/
		if (!share && cell[5] == "")
			next # the base is 0
		e = share ? (cell[3] - cell[2]) * 100 : cell[5]
		put(share ? "points" : "%", e < 0 ? -e : e)
		if (cell[7] != "") {
			value = metric
			metric = "distance"
			put("%", cell[7])
			metric = value
		}
	}'
}

summarise() {
	sort -k1,1n -k3,3g | awk -v rows="$rows" '
	function flush_row() {
		if (n)
			printf "| %s | %d | %.1f %s | %.1f %s | %.1f %s | " \
				"%.1f %s |\n", name[row], n, sum / n, kind,
				v[int((n + 1) / 2)], kind,
				v[int(n * 0.9 + 0.999)], kind, v[n], kind
		else if (cells)
			printf "| %s | %d of %d cells | | | | |\n", name[row],
				differing, cells
		n = sum = cells = differing = 0
	}
	BEGIN {
		count = split(rows, line, "\n")
		for (i = 1; i <= count; i++)
			name[i] = substr(line[i], 1, index(line[i], "; ") - 1)
		name[count + 1] = "all that is compared in percent"
		print "| what | points | mean | median | 90th percentile |" \
			" worst |"
		print "|---|---|---|---|---|---|"
	}
	$1 != row { flush_row(); row = $1; kind = $2; seen[name[row]] = 1 }
	$2 == "cells" { differing += $3; cells += $4; next }
	{ v[++n] = $3; sum += $3 }
	END {
		flush_row()
		for (i = 1; i <= count; i++)
			if (!seen[name[i]]++)
				printf "errors.sh: \"%s\" is left out: no " \
					"such series in both folders\n",
					name[i] | "cat >&2"
	}'
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A file that cannot be read ends it: in a pipe the others would be left out.
compare_all >"$scratch/sides"
sort_out <"$scratch/sides" | summarise
