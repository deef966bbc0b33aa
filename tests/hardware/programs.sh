#!/bin/sh
# Runs all programs of a folder in one process, and prints a line for each: its
# name, and of the cycles of its first timed region over the chip the median,
# the least and the most of all repeats, tab-separated. Where a program fails, the
# others have their lines, and the exit status is that of the run. Stands alone,
# for the bundle.
# Comments name the GPU, its driver and the date.
# usage: programs.sh NEARFAR FOLDER [WORD...]
set -eu
export LC_ALL=C
nearfar=$1 folder=$2
shift 2

series=$(mktemp) code=0
trap 'rm -f "$series"' EXIT
"$nearfar" run --program "$folder" --no-samples -f json "$@" >"$series" ||
	code=$?
awk -F'"' '
/^"points"/ { exit }
/^ "(device\.name|device\.uuid|driver\.version|date)"/ { fact[++n] = $2 "\t" $4 }
/^ "device\.uuid"/ { gpu = 1 }
END { for (i = 1; gpu && i <= n; i++) print "# " fact[i] }' "$series"
printf '# program\tmedian_cycles\tleast_cycles\tmost_cycles\n'
sed -n 's/.*"bench": "\([^"]*\)".*/\1/p
	s/.*"region": 0, .*"cycles": \([0-9.e+]*\).*/ \1/p' "$series" |
	awk '
	/^[^ ]/ { name = $0; next }
	{ print name "\t" $1 }' |
	sort -t "$(printf '\t')" -k1,1 -k2,2g | awk -F'\t' '
	function close_program() {
		if (n)
			print name, (cycles[int((n + 1) / 2)] + \
				cycles[int(n / 2) + 1]) / 2, cycles[1] + 0, \
				cycles[n] + 0
		n = 0
	}
	BEGIN { OFS = "\t"; OFMT = CONVFMT = "%.10g" }
	$1 != name { close_program(); name = $1 }
	{ cycles[++n] = $2 }
	END { close_program() }'
exit $code
