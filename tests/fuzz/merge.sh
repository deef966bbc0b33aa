#!/bin/bash
# Merges what a long run left in build/corpus into the corpus that is committed:
# of each target the least set of inputs of up to 4 KiB that runs what all of
# them do, and of that set the 40 largest.
# usage: merge.sh TARGETS [TARGET...]   TARGETS: the sanitised build
set -eu
targets=$1
shift
[ $# -gt 0 ] || set -- $(tail -n +2 tests/fuzz/executions.tsv | cut -f1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for target in "$@"; do
	[ -d "build/corpus/$target" ] || continue
	mkdir -p "$scratch/$target/small" "$scratch/$target/merged"
	find "build/corpus/$target" -type f -size -4097c ! -name 'seed-*' \
		-exec cp {} "$scratch/$target/small" \;
	FUZZ_TARGET=$target "$targets" -merge=1 -max_len=4096 \
		"$scratch/$target/merged" "$scratch/$target/small" \
		>"$scratch/$target/log" 2>&1 ||
		{ tail -n 5 "$scratch/$target/log" >&2; exit 1; }
	rm -rf "tests/fuzz/corpus/$target"
	mkdir -p "tests/fuzz/corpus/$target"
	ls -S "$scratch/$target/merged" | head -n 40 | while read -r name; do
		cp "$scratch/$target/merged/$name" "tests/fuzz/corpus/$target"
	done
	echo "corpus $target: $(ls "tests/fuzz/corpus/$target" | wc -l) inputs"
done
