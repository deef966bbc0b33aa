#!/bin/sh
# The verdicts of policies.tsv against ptxas: the unit tests hold the model to
# them. What it takes stands in one module; of what it refuses each line has an
# error, where one that ends the reading is taken out and the rest read again.
# usage: policies.sh PTXAS
set -u
ptxas=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
head=tests/ptx/policies.head
rows=tests/ptx/policies.tsv

# module TARGET VERSION <INSTRUCTIONS >FILE: each in a line and a scope
module() {
	printf '.version %s\n.target %s\n' "$2" "$1"
	cat "$head"
	sed 's/.*/{ & }/'
	printf 'ret;\n}\n'
}

# taken TARGET VERSION: those that the table says are taken, are
taken() {
	module "$1" "$2" <"$scratch/takes" >"$scratch/m.ptx"
	"$ptxas" -O0 -arch="$1" -o /dev/null "$scratch/m.ptx" \
		>"$scratch/said" 2>&1 && return
	grep error "$scratch/said" | head -n 4 >>"$scratch/wrong"
}

# refused TARGET VERSION: those that it says are refused, are
refused() {
	before=$(($(wc -l <"$head") + 2))
	while [ -s "$scratch/refuses" ]; do
		module "$1" "$2" <"$scratch/refuses" >"$scratch/m.ptx"
		"$ptxas" -O0 -arch="$1" -o /dev/null "$scratch/m.ptx" \
			>"$scratch/said" 2>&1
		sed -n 's/.*line \([0-9]*\); \(error\|fatal\).*/\1/p' \
			"$scratch/said" >"$scratch/lines"
		awk -v before="$before" '
			FILENAME == ARGV[1] { said[$1 - before] = 1; next }
			!(FNR in said)' "$scratch/lines" "$scratch/refuses" \
			>"$scratch/rest"
		cmp -s "$scratch/rest" "$scratch/refuses" && break
		mv "$scratch/rest" "$scratch/refuses"
	done
	# Some have an error without their line.
	while read -r insn; do
		echo "$insn" | module "$1" "$2" >"$scratch/m.ptx"
		"$ptxas" -O0 -arch="$1" -o /dev/null "$scratch/m.ptx" \
			>/dev/null 2>&1 &&
			echo "is taken: $insn" >>"$scratch/wrong"
	done <"$scratch/refuses"
}

case $("$ptxas" --version) in
*"release 13.0"*) ;;
*)
	echo "ok ptx: accesses and policies # SKIP another ptxas"
	exit 0
	;;
esac
: >"$scratch/wrong"
grep -v '^#' "$rows" | cut -f2,3 | sort -u >"$scratch/targets"
while read -r target version; do
	for verdict in takes refuses; do
		awk -F'\t' -v v=$verdict -v t="$target" -v p="$version" \
			'$1 == v && $2 == t && $3 == p {print $4}' "$rows" \
			>"$scratch/$verdict"
	done
	taken "$target" "$version"
	refused "$target" "$version"
done <"$scratch/targets"
if [ -s "$scratch/wrong" ]; then
	echo "not ok ptx: accesses and policies: other verdicts"
	sed 's/^/  /' "$scratch/wrong"
else
	echo "ok ptx: accesses and policies: $(grep -vc '^#' "$rows") verdicts"
fi
