#!/bin/sh
# Runs each program of a folder, and prints a line for each: its name, and of
# the cycles of its first timed region over the chip the median, the least and
# the most of all repeats, tab-separated. Stands alone, for the bundle.
# usage: programs.sh NEARFAR FOLDER JOBS [WORD...]
set -u
nearfar=$1 folder=$2 jobs=$3
shift 3

export nearfar
printf '# program\tmedian_cycles\tleast_cycles\tmost_cycles\n'
find "$folder" -name '*.txt' | sort | xargs -P "$jobs" -I{} sh -c '
	file=$1
	shift
	out=$("$nearfar" run --program "$file" --no-samples -f json "$@") ||
		{ echo "programs.sh: $file did not run" >&2; exit 0; }
	printf "%s\n" "$out" |
		sed -n "s/.*\"region\": 0, .*\"cycles\": \([0-9.e+]*\).*/\1/p" |
		sort -g | awk -v name="$(basename "$file" .txt)" "
		{ cycles[NR] = \$1 }
		END {
			OFMT = \"%.10g\"
			OFS = \"\t\"
			median = (cycles[int((NR + 1) / 2)] + cycles[int(NR / 2) + 1]) / 2
			print name, median + 0, cycles[1] + 0, cycles[NR] + 0
		}"
	' sh {} "$@" | sort
