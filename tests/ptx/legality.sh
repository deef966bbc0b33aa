#!/bin/sh
# The legality table against ptxas: what nearfar calls legal for a target and
# a PTX version must assemble, what it refuses must not; where the two differ,
# differences.txt says why.
# usage: legality.sh PTXAS
# environment: TESTS (built tests)
set -u
ptxas=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
table=tests/ptx/differences.txt
# Every PTX version, newest first.
versions="90 88 87 86 85 84 83 82 81 80 78 77 76 75 74 73 72 71 70 65 64 63 62
	61 60 50 43 42 41 40 32 31 30 23 22 21 20"
# Targets that the table tells apart, and the one before each.
targets="20 30 32 35 53 60 62 70 72 75 80 89 90 100 120"
newest_first=$(echo "$targets" | tr ' ' '\n' | sort -rn)
known=$("$ptxas" --help | grep -o "'sm_[0-9]*'" | tr -d "'sm_" | sort -nu)

# The GPU to assemble for: the first that takes PTX for target $1.
gpu_for() {
	for gpu in $known; do
		[ "$gpu" -ge "$1" ] && echo "$gpu" && return
	done
}

# cell MODE SM PTX: adds to $scratch/differences and $scratch/counts. Fails
# if this ptxas does not take the version for the target.
cell() {
	"$TESTS/ptx/legality_write" "$@" >"$scratch/cell.ptx" || {
		echo "legality_write $* fails" >>"$scratch/differences"
		return 0
	}
	"$ptxas" -arch="sm_$(gpu_for "$2")" -o /dev/null "$scratch/cell.ptx" \
		>"$scratch/said" 2>&1
	code=$?
	grep -q 'line [12];' "$scratch/said" && return 1
	if [ $code != 0 ] && ! grep -q 'line [0-9]*; error' "$scratch/said"
	then
		echo "ended with $code: $(tail -n 1 "$scratch/said")" \
			>>"$scratch/differences"
		return 0
	fi
	awk -v cell="sm_$2, PTX $3" -v counts="$scratch/counts" '
		FILENAME == ARGV[1] {
			if (!match($0, /line [0-9]+; error/)) next
			line = substr($0, RSTART + 5, RLENGTH - 12)
			sub(/^.*; error *: /, "")
			if (!(line in said)) said[line] = $0
			next
		}
		/; \/\/ (legal$|illegal: )/ {
			refused = FNR in said
			legal = /legal$/
			if (legal != refused) {
				agreed[legal]++
				next
			}
			why = $0
			sub(/.*\/\/ (illegal: )?/, "", why)
			print (refused ? "refused" : "accepted"), $1, cell, \
				"(" (refused ? said[FNR] : why) ")"
		}
		END { print agreed[1] + 0, agreed[0] + 0 >>counts }
	' "$scratch/said" "$scratch/cell.ptx" >>"$scratch/differences"
}

# verdict NAME: what the cells so far add up to.
verdict() {
	awk '{ a += $1; r += $2 } END { print a + 0, r + 0 }' \
		"$scratch/counts" >"$scratch/sums"
	read -r legal illegal <"$scratch/sums"
	awk -v seen="$scratch/seen" '
		NR == FNR {
			if (/^#/) next
			verdict[++rows] = $1
			pattern[rows] = $2
			next
		}
		{
			for (i = 1; i <= rows; i++)
				if ($1 == verdict[i] && $2 ~ pattern[i]) {
					print pattern[i] >>seen
					next
				}
			print
		}' "$table" "$scratch/differences" >"$scratch/left"
	if [ -s "$scratch/left" ]; then
		echo "not ok ptx: $1: $(wc -l <"$scratch/left") differ"
		head -n 8 "$scratch/left" | sed 's/^/  ptxas: /'
	elif [ ! -s "$scratch/counts" ]; then
		echo "ok ptx: $1 # SKIP this ptxas does not know it"
	elif [ "$legal" = 0 ]; then
		echo "not ok ptx: $1: nothing assembles"
	else
		echo "ok ptx: $1: $legal assemble, $illegal do not"
	fi
	: >"$scratch/counts"
	: >"$scratch/differences"
}

: >"$scratch/counts"
: >"$scratch/differences"
: >"$scratch/seen"
# newest MODE SM: the cell of the newest version that takes the target.
newest() {
	[ -n "$(gpu_for "$2")" ] || return
	for version in $versions; do
		cell "$1" "$2" "$version" && return
	done
}

for sm in 75 80 90 100 120; do
	newest combinations $sm
	verdict "sm_$sm: every two qualifiers together"
done
for sm in $targets; do
	newest minima "$sm"
	verdict "sm_$sm: every qualifier"
done
for version in $versions; do
	for sm in $newest_first; do
		[ -n "$(gpu_for "$sm")" ] && cell minima "$sm" "$version" &&
			break
	done
	verdict "PTX $version: every qualifier"
done

# A row that explains nothing is out of date, or of another ptxas.
grep -v '^#' "$table" | while read -r verdict pattern _; do
	grep -qxF -e "$pattern" "$scratch/seen" && continue
	case $("$ptxas" --version) in
	*"release 13.0"*) echo "not ok ptx: no $verdict $pattern any more" ;;
	*) echo "ok ptx: no $verdict $pattern # SKIP another ptxas" ;;
	esac
done
