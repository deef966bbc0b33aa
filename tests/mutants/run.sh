#!/bin/bash
# Takes one rule away at a time and asks which test dies. The mutants are a
# share of what candidates.py lists, the same for the same SEED; results are
# appended to build/mutants/table.tsv, and what stands there is not run again.
# usage: run.sh COUNT [SEED [PREFIX]]   PREFIX: files that begin with it
set -eu
count=$1 seed=${2:-1} prefix=${3:-}
here=$PWD
work=build/mutants
table=$work/table.tsv
mkdir -p $work/source
touch $table

# A tree of its own, so that a mutant never meets what is worked on.
git ls-files -co --exclude-standard |
	tar cf - -T - | tar xf - -C $work/source
python3 tests/mutants/candidates.py >$work/candidates.tsv
awk -F'\t' -v p="$prefix" 'index($2, p) == 1' $work/candidates.tsv |
	while IFS= read -r line; do
		printf '%s\t%s\n' "$(printf '%s %s' "$seed" "${line%%	*}" |
			cksum | cut -d' ' -f1)" "$line"
	done | sort -n | cut -f2- | head -n "$count" >$work/chosen.tsv

cd $work/source
export NEARFAR=build/dev/nearfar TESTS=build/dev/tests LC_ALL=C
build() {
	make CONFIG=dev -j2 build/dev/nearfar build/dev/tests/unit/all \
		build/dev/tests/reference/differ >../make.log 2>&1
}

# Cheapest first; prints the part that dies, or "survives".
judge() {
	case $1 in
	backend_sim/*)
		timeout 60 build/dev/tests/reference/differ 1 150 quick \
			>/dev/null 2>&1 || { echo reference; return; }
		;;
	esac
	timeout 300 tests/check.sh unit >../unit.log 2>&1 || {
		echo "unit $(grep -m1 '^not ok' ../unit.log | cut -d' ' -f3-4)"
		return
	}
	timeout 200 tests/golden/check.sh >../golden.log 2>&1
	if grep -q '^not ok' ../golden.log; then
		echo "golden $(grep -m1 '^not ok' ../golden.log | cut -d' ' -f4)"
		return
	fi
	case $1 in
	backend_sim/*)
		timeout 120 build/dev/tests/reference/differ 1 400 quick \
			>/dev/null 2>&1 || { echo reference; return; }
		;;
	esac
	timeout 300 tests/cli/check.sh 2>/dev/null >../cli.log
	grep -q '^not ok' ../cli.log && { echo cli; return; }
	echo survives
}

build || { tail ../make.log; exit 1; }
while IFS=$'\t' read -r id file line column kind old new <&3; do
	grep -q "^$id	" "$here/$table" && continue
	cp "$file" ../original
	python3 "$here/tests/mutants/apply.py" "$file" "$line" "$column" \
		"$kind" "$old" "$new" || continue
	if build; then
		how=$(judge "$file")
	else
		how='does not build'
	fi
	cp ../original "$file"
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$id" "$file" "$line" "$kind" \
		"$old" "$new" "$how" | tee -a "$here/$table"
done 3<"$here/$work/chosen.tsv"
cut -f7 "$here/$table" | sed 's/ .*//' | sort | uniq -c
