#!/bin/sh
# Runs parts of the tests and sums what they say.
# usage: check.sh PART...   (unit, golden, cli, files, faults, ptx, layers, reference, values, fit)
# environment: NEARFAR (the program), TESTS (the folder of built tests)
#
# A part prints one line a test, "ok NAME", "ok NAME # SKIP why" or
# "not ok NAME" with indented lines that say why.
set -u
export NEARFAR TESTS
log=$TESTS/log
passed=0 failed=0 skipped=0

mkdir -p "$log"

unit() {
	# Criterion itself leaks; a leak in a test must abort to be seen. A test
	# that does not end can hang it.
	ASAN_OPTIONS=abort_on_error=1 \
	LSAN_OPTIONS=suppressions=tests/support/leaks.txt:print_suppressions=0 \
	timeout -k 5 500 "$TESTS/unit/all" --tap="$log/unit.criterion" \
		>"$log/unit.said" 2>&1
	code=$?
	grep -E '^(not )?ok|^  ' "$log/unit.criterion"
	# A test that took the runner with it leaves no line.
	planned=$(sed -n 's/^1\.\.//p' "$log/unit.criterion")
	told=$(grep -cE '^(not )?ok' "$log/unit.criterion")
	if [ "$planned" != "$told" ]; then
		echo "not ok unit: $told of $planned tests ended"
	elif [ $code != 0 ] && ! grep -q '^not ok' "$log/unit.criterion"; then
		echo "not ok unit: the runner ended with $code"
		tail -n 20 "$log/unit.said" | sed 's/^/  /'
	fi
}

golden() { tests/golden/check.sh; }
cli() {
	tests/cli/check.sh && tests/cli/series.sh && tests/cli/kernels.sh &&
		tests/cli/split.sh && tests/cli/shards.sh &&
		tests/cli/fleet.sh
}
ptx() { tests/ptx/check.sh; }
reference() {
	"$TESTS/reference/differ" 1 400 | sed -E '/^(not )?ok/!s/^/  /'
}
values() { "$TESTS/values/differ" sim 1 200; }
files() { tests/files/check.sh && tests/files/bundle.sh; }
faults() { tests/faults/check.sh; }
layers() { tests/layers/check.sh; }
fit() { tests/fit/small.sh; }

for part in "$@"; do
	$part >"$log/$part.tap" 2>"$log/$part.err"
	code=$?
	skip=$(grep -c '^ok.*# SKIP' "$log/$part.tap")
	pass=$(($(grep -c '^ok' "$log/$part.tap") - skip))
	fail=$(grep -c '^not ok' "$log/$part.tap")
	if [ $((pass + fail + skip)) = 0 ] || { [ $code != 0 ] &&
		[ "$fail" = 0 ]; }; then
		fail=$((fail + 1))
		echo "not ok $part: ended with $code"
		tail -n 20 "$log/$part.err"
	fi
	grep -E '^(not ok|ok.*# SKIP|  )' "$log/$part.tap"
	printf '%-8s %4d passed\n' "$part" "$pass"
	passed=$((passed + pass))
	failed=$((failed + fail))
	skipped=$((skipped + skip))
done

total="$passed passed, $failed failed"
[ $skipped = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ $failed = 0 ]
