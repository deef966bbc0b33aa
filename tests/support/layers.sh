#!/bin/sh
# Fails on an include, or a name, that points the wrong way between folders.
# usage: layers.sh TREE
set -u
cd "$1" || exit 2
wrong=0

complain() {
	echo "$1" >&2
	wrong=1
}

# allow FOLDER HEADER...: what a folder may include besides its own files.
allow() {
	folder=$1
	shift
	for file in "$folder"/*.c "$folder"/*.h "$folder"/*.def; do
		[ -f "$file" ] || continue
		for name in $(sed -n 's/^ *# *include *"\(.*\)".*/\1/p' "$file")
		do
			case $name in
			*/*) complain "$file: '$name' is included by its path" ;;
			esac
			[ -f "$folder/$name" ] && continue
			case " $* " in
			*" $name "*) ;;
			*) complain "$file: $folder/ may not include '$name'" ;;
			esac
		done
	done
}

allow bench bench.h program.h backend.h error.h
allow backend_sim backend.h program.h error.h address.h permute.h account.h \
	legality.h text.h units.h
allow backend_cuda backend.h program.h error.h address.h permute.h account.h \
	legality.h text.h units.h
allow harness

# Only the registry knows which benches and backends there are. Besides, the
# doctor asks for GPUs, `run` dumps for either backend, and the model is the
# default.
bench_names() {
	sed -n 's/^const struct bench \(bench_[a-z0-9_]*\) = .*/\1/p' bench/*.c
}

# only WORD FILE...: no other file of the harness holds the word.
only() {
	word=$1
	shift
	for file in $(grep -lw "$word" harness/*.[ch]); do
		case " $* " in
		*" $file "*) ;;
		*) complain "$file: only registry.c names '$word'" ;;
		esac
	done
}

for name in $(bench_names); do
	only "$name" harness/registry.c
done
for name in backend_sim backend_cuda; do
	only "$name" harness/registry.c harness/backend.h \
		harness/command_doctor.c harness/command_run.c \
		harness/run_options.c
done
exit $wrong
