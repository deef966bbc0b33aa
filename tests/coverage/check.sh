#!/bin/bash
# Which lines of the product the tests run: all parts of `make check`, and the
# hardware part on the fake driver, each process counted by gcov. Prints a table
# by room, and fails where the backends or the harness have less than LEAST
# percent. What a test says is in build/coverage/tests.log: that the tests pass
# is not asked here, since a build that counts is slow, and some tests wait.
# usage: check.sh PART...; environment: NEARFAR, TESTS, LEAST (80)
set -eu
build=build/coverage
least=${LEAST:-80}
out=$build/hardware

find $build -name '*.gcda' -delete
tests/check.sh "$@" >$build/tests.log 2>&1 || true
export NEARFAR_LIBCUDA=$PWD/$TESTS/support/fake_cuda.so
export NEARFAR_LIBNVML=$PWD/$TESTS/support/fake_nvml.so FAKE_NVML=calm
{
	"$NEARFAR" doctor || true
	tests/hardware/suite.sh "$NEARFAR" results/suite.txt $out \
		-b cuda -r 1 -w 0 || true
	tests/hardware/programs.sh "$NEARFAR" results/programs \
		-b cuda -r 1 -w 0 || true
} >$build/hardware.log 2>&1
tail -n 1 $build/tests.log

gcovr --root . --object-directory $build --csv $build/lines.csv \
	--filter 'harness/' --filter 'bench/' --filter 'backend_' \
	-j "$(nproc)" $build >$build/gcovr.log 2>&1

# Two levels of a path are a room; the total is of harness and backends.
awk -F, -v least="$least" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		n = split($1, names, "/")
		room = n > 2 ? names[1] "/" names[2] : names[1]
		lines[room] += $column["line_total"]
		ran[room] += $column["line_covered"]
		part = room ~ /^harness/ ? "harness" : "backends"
		if (room != "bench") {
			lines["all of " part] += $column["line_total"]
			ran["all of " part] += $column["line_covered"]
		}
	}
	END {
		print "| room | lines | run | share |"
		print "|---|---|---|---|"
		for (room in lines) {
			share = 100 * ran[room] / lines[room]
			printf "| %s | %d | %d | %.1f %% |\n", room,
				lines[room], ran[room], share | "sort"
			if (room ~ /^all/ && share < least)
				failed = 1
		}
		close("sort")
		exit failed
	}' $build/lines.csv
