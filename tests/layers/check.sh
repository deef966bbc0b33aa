#!/bin/sh
# layers.sh finds each kind of wrong arrow in a copy of the tree, and rules.py
# each kind of wrong row.
# environment: NEARFAR
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The tree's text, once; a file that is changed is put back.
mkdir "$scratch/tree"
find bench backend_sim backend_cuda harness tests -name '*.[ch]' -o \
	-name '*.def' -o \
	-path 'tests/layers/*' -o -path 'tests/nets/*' -type f |
	tar -cf - -T - | tar -xf - -C "$scratch/tree"

put_back() { # FILE
	rm -f "$scratch/tree/$1"
	if [ -e "$1" ]; then
		cp -p "$1" "$scratch/tree/$1"
	else
		rmdir "$scratch/tree/${1%/*}" 2>/dev/null
	fi
}

# plant NAME FILE LINE SENTENCE
plant() {
	mkdir -p "$scratch/tree/${2%/*}"
	printf '%s\n' "$3" >>"$scratch/tree/$2"
	if "$scratch/tree/tests/layers/layers.sh" "$scratch/tree" \
		>"$scratch/count" 2>"$scratch/said"; then
		echo "not ok layers: $1 goes unseen"
	elif grep -qF "$4" "$scratch/said"; then
		echo "ok layers: $1 is found"
	else
		echo "not ok layers: $1 has another sentence"
		sed 's/^/  /' "$scratch/said"
	fi
	put_back "$2"
}

if tests/layers/layers.sh . >"$scratch/count" 2>"$scratch/said"; then
	echo "ok layers: the tree is in order"
else
	echo "not ok layers: the tree is in order"
	sed 's/^/  /' "$scratch/said"
fi
plant "a bench that knows the harness" bench/pointer_chase.c \
	'#include "harness/run/runner.h"' \
	"bench/ may not include harness/run/"
plant "a backend that knows a bench" backend_sim/sim.c \
	'#include "bench/probe.h"' "backend_sim/ may not include bench/"
plant "a backend that knows the other" backend_cuda/cuda.c \
	'#include "backend_sim/core/core.h"' \
	"backend_cuda/ may not include backend_sim/core/"
plant "a harness that knows the model" harness/run/runner.c \
	'#include "backend_sim/machine/machine.h"' \
	"harness/run/ may not include backend_sim/machine/"
plant "a low room that knows a high one" harness/stats/stats.c \
	'#include "harness/series/series.h"' \
	"harness/stats/ may not include harness/series/"
plant "an include without its path" harness/run/runner.c \
	'#include "plan.h"' 'include "plan.h" by its path from the root'
plant "an include of what is not there" harness/run/runner.c \
	'#include "harness/run/none.h"' 'there is no file "harness/run/none.h"'
plant "a room that is not in the table" harness/attic/dust.c \
	'int dust;' "no room harness/attic in the table"
plant "an arrow that nobody takes" tests/layers/rooms.txt \
	'bench: harness/series' "bench/ may include harness/series/ and does not"
plant "a circle" tests/layers/rooms.txt 'harness/base: harness/run' \
	"a circle: "
plant "a file that has grown" harness/run/plan.c \
	"$(yes '/* more */' | head -n 400)" "and no reason in long.txt"
plant "a harness that names a bench" harness/run/plan.c \
	'const void *p = &bench_pointer_chase;' \
	"only registry.c names 'bench_pointer_chase'"
plant "a harness that names a backend" harness/run/plan.c \
	'const void *q = &backend_cuda;' \
	"only registry.c names 'backend_cuda'"

# ---- the table of rules ----

rules() {
	"$scratch/tree/tests/layers/rules.py" "$scratch/tree" "$NEARFAR" \
		>"$scratch/count" 2>"$scratch/said"
}

# misplace NAME FILE SCRIPT SENTENCE: what sed makes of the file is found.
misplace() {
	sed -i -E "$3" "$scratch/tree/$2"
	if rules; then
		echo "not ok layers: $1 goes unseen"
	elif grep -qF "$4" "$scratch/said"; then
		echo "ok layers: $1 is found"
	else
		echo "not ok layers: $1 has another sentence"
		sed 's/^/  /' "$scratch/said"
	fi
	put_back "$2"
}

if rules; then
	echo "ok layers: the table of rules is right"
else
	echo "not ok layers: the table of rules is right"
	sed 's/^/  /' "$scratch/said"
fi
table=tests/nets/rules.tsv
misplace "a rule in no file" $table 's,/sm/deal\.c,/sm/none.c,' \
	"there is no file 'backend_sim/sm/none.c'"
misplace "a rule by no parameter" $table 's/launch_stagger_cycles=/hoop_cycles=/' \
	"there is no parameter 'hoop_cycles'"
misplace "a rule by no value" $table 's/(launch_stagger_cycles)=0/\1=-1/' \
	"'launch_stagger_cycles=-1' is out of bounds"
misplace "a rule by no build" $table 's/(WITHOUT=)HITS_TAKE_WAY/\1ROWS/' \
	"has not the rule of 'WITHOUT=ROWS'"
misplace "a rule of a build in no row" $table '/WITHOUT=HITS_TAKE_WAY/d' \
	"'HITS_TAKE_WAY' is not in tests/nets/rules.tsv"
misplace "a rule of a build that nothing asks for" \
	backend_sim/sm/issue.c 's/RULE\(HITS_TAKE_WAY\) && //' \
	"nothing asks for 'HITS_TAKE_WAY'"
misplace "a rule of many words" $table \
	's/(\tbackend_sim.sm.deal\.c)/ at the end of a warp, and of a block, at the beginning\1/' \
	"is said in more than 18 words"
misplace "a rule that is there twice" $table '/^hit-passes/p' \
	"'hit-passes' is there twice"
misplace "a rule of no engine" $table 's/both$/all/' "'all' is no kind"
misplace "a number of a chip beside the table" backend_sim/kernel/control.c \
	'1i #define PARTED_CYCLES 13u' \
	"control.c: 'PARTED_CYCLES' belongs to backend_sim/rules/constants.def"
misplace "a constant that nothing reads" backend_sim/kernel/control.c \
	's/DIVIDED_CYCLES/13/' "nothing reads 'DIVIDED_CYCLES'"
