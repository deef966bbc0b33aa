#!/bin/sh
# Runs parts of the tests, several at a time, and sums what they say.
# usage: check.sh PART...   (unit, golden, cli, files, faults, ptx, layers, nets,
#        oracle, explain, docs, values, fit, or a script of tests/cli: cli-fleet)
# environment: NEARFAR (the program), TESTS (the folder of built tests), JOBS
#        (parts at a time, 1)
#
# A part prints one line a test, "ok NAME", "ok NAME # SKIP why" or
# "not ok NAME" with indented lines that say why. They stay in
# TESTS/log/PART.tap, and what it says to standard error in PART.err. What is to
# be seen of a part is printed at once, when it has ended.
set -u
export NEARFAR TESTS
log=$TESTS/log

unit() {
	# Criterion itself leaks; a leak in a test must abort to be seen. A test
	# that does not end can hang it.
	ASAN_OPTIONS=abort_on_error=1 \
	LSAN_OPTIONS=suppressions=tests/support/leaks.txt:print_suppressions=0 \
	timeout -k 5 1200 "$TESTS/unit/all" --tap="$log/unit.criterion" \
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
ptx() { tests/ptx/check.sh; }
values() { "$TESTS/values/differ" sim 1 200 && tests/forms/exact.py 64; }
files() { tests/files/check.sh && tests/files/bundle.sh; }
faults() { tests/faults/check.sh; }
layers() { tests/layers/check.sh; }
nets() { tests/nets/check.py && tests/nets/damage.py; }
oracle() { tests/oracle/check.py; }
explain() { tests/explain/first.py && tests/explain/stalls.py --quick; }
docs() { tests/docs/check.sh; }
fit() { tests/fit/small.sh; }

run() { # PART
	case $1 in
	cli-*) tests/cli/"${1#cli-}".sh ;;
	*) "$1" ;;
	esac
}

count() { grep -cE "$1" "$log/$part.tap"; }

# One part: its sums are in PART.sums when it has ended.
if [ "$1" = --part ]; then
	part=$2
	run "$part" >"$log/$part.tap" 2>"$log/$part.err"
	code=$?
	skip=$(count '^ok.*# SKIP')
	pass=$(($(count '^ok') - skip))
	fail=$(count '^not ok')
	if [ $((pass + fail + skip)) = 0 ] || { [ $code != 0 ] &&
		[ "$fail" = 0 ]; }; then
		fail=1
		echo "not ok $part: ended with $code" >>"$log/$part.tap"
		tail -n 20 "$log/$part.err" | sed 's/^/  /' >>"$log/$part.tap"
	fi
	{
		grep -E '^(not ok|ok.*# SKIP|  )' "$log/$part.tap"
		printf '%-12s %4d passed\n' "$part" "$pass"
	} >"$log/$part.block"
	flock "$log" cat "$log/$part.block"
	echo "$pass $fail $skip" >"$log/$part.sums"
	exit
fi

# The scripts of tests/cli are parts of their own.
parts=
for part; do
	[ "$part" != cli ] || part='cli-check cli-series cli-kernels cli-split
		cli-shards cli-fleet cli-explain cli-traces'
	parts="$parts $part"
done

mkdir -p "$log"
rm -f "$log"/*.sums
# shellcheck disable=SC2086 # a list of words
printf '%s\n' $parts | xargs -P "${JOBS:-1}" -n 1 "$0" --part

passed=0 failed=0 skipped=0
for part in $parts; do
	if ! [ -s "$log/$part.sums" ]; then
		echo "not ok $part: was ended before its end" >>"$log/$part.tap"
		echo "0 1 0" >"$log/$part.sums"
	fi
	read -r pass fail skip <"$log/$part.sums"
	passed=$((passed + pass))
	failed=$((failed + fail))
	skipped=$((skipped + skip))
done
total="$passed passed, $failed failed"
[ $skipped = 0 ] || total="$total, $skipped skipped"
echo "$total"
[ $failed = 0 ] && exit

for part in $parts; do
	sed -n "s|^not ok|failed:|p" "$log/$part.tap"
	! grep -q '^not ok' "$log/$part.tap" ||
		echo "  all that it said: $log/$part.tap, $log/$part.err"
done
exit 1
