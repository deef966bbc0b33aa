#!/bin/sh
# The model against silicon, as a Markdown table: how far apart the times of the
# same programs are, by kind of program, which is the name up to its number.
# usage: program_errors.sh SILICON.tsv MODEL.tsv   (of hardware/programs.sh)
set -eu
export LC_ALL=C

for file in "$1" "$2"; do
	[ -r "$file" ] || {
		echo "program_errors.sh: cannot read '$file'" >&2
		exit 1
	}
done
awk -F'\t' '
/^#/ { next }
FNR == NR { silicon[$1] = $2; next }
{ model[$1] = $2 }
END {
	for (name in silicon) {
		if (!(name in model)) {
			print "program_errors.sh: the model has no " name \
				>"/dev/stderr"
			continue
		}
		kind = name
		sub(/-[0-9]*$/, "", kind)
		off = 100 * (model[name] / silicon[name] - 1)
		printf "%s %.17g\n", kind, off < 0 ? -off : off
		printf "all %.17g\n", off < 0 ? -off : off
	}
}' "$1" "$2" | sort -k1,1 -k2,2g | awk '
function close_kind() {
	if (!n)
		return
	row = sprintf("| %s | %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% |", \
		kind, n, sum / n, (e[int((n + 1) / 2)] + e[int(n / 2) + 1]) / 2, \
		e[int(n * 0.9 + 0.999)], e[n])
	if (kind == "all")
		all = row
	else
		print row
	n = sum = 0
}
BEGIN {
	print "| kind | programs | mean | median | 90th percentile | worst |"
	print "|---|---|---|---|---|---|"
}
$1 != kind { close_kind(); kind = $1 }
{ e[++n] = $2; sum += $2 }
END { close_kind(); print all }'
