#!/bin/sh
# layers.sh finds each kind of wrong arrow in a copy of the tree.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

copy() {
	rm -rf "${scratch:?}/tree"
	mkdir "$scratch/tree"
	cp -r bench backend_sim backend_cuda harness "$scratch/tree"
}

# plant NAME FILE LINE SENTENCE
plant() {
	copy
	printf '%s\n' "$3" >>"$scratch/tree/$2"
	if tests/support/layers.sh "$scratch/tree" 2>"$scratch/said"; then
		echo "not ok layers: $1 goes unseen"
	elif grep -qF "$2: $4" "$scratch/said"; then
		echo "ok layers: $1 is found"
	else
		echo "not ok layers: $1 has another sentence"
		sed 's/^/  /' "$scratch/said"
	fi
}

if tests/support/layers.sh . 2>"$scratch/said"; then
	echo "ok layers: the tree is in order"
else
	echo "not ok layers: the tree is in order"
	sed 's/^/  /' "$scratch/said"
fi
plant "a bench that knows the harness" bench/pointer_chase.c \
	'#include "runner.h"' "bench/ may not include 'runner.h'"
plant "a backend that knows a bench" backend_sim/sim.c \
	'#include "bench.h"' "backend_sim/ may not include 'bench.h'"
plant "a backend that knows the other" backend_cuda/cuda.c \
	'#include "engine.h"' "backend_cuda/ may not include 'engine.h'"
plant "a harness that knows the model" harness/runner.c \
	'#include "machine.h"' "harness/ may not include 'machine.h'"
plant "an include by path" harness/runner.c \
	'#include "../bench/bench.h"' "'../bench/bench.h' is included by"
plant "a harness that names a bench" harness/plan.c \
	'const void *p = &bench_pointer_chase;' \
	"only registry.c names 'bench_pointer_chase'"
plant "a harness that names a backend" harness/plan.c \
	'const void *q = &backend_cuda;' \
	"only registry.c names 'backend_cuda'"
