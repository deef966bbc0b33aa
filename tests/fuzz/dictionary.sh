#!/bin/bash
# A dictionary for libFuzzer, on standard output: every word of PTX and of jobs
# that the tables of the readers have, so that none needs to be found by chance.
set -eu

{
	sed -n 's/^PTX_\(OP\|MEMORY\)([A-Z0-9_]*, "\([^"]*\)".*/\2/p' \
		harness/ptx/ops.def
	sed -n 's/^PTX_WORD([^"]*"\([^"]*\)".*/.\1/p' harness/ptx/words.def
	sed -n 's/^PTX_TYPE(\([a-z0-9]*\),.*/.\1/p' harness/ptx/types.def
	sed -n 's/^PTX_SPECIAL([^"]*"\([^"]*\)".*/\1/p' harness/ptx/specials.def
	sed -n 's/^QUALIFIER([^"]*"\([^"]*\)".*/.\1/p' \
		harness/program/qualifiers.def
	# directives and what the job's reader compares words with
	grep -oh '"\.\?[a-z_]\+"' harness/ptx/{module,body,function,variable}.c \
		harness/ptx/{initial,emit,insn}.c harness/kernel/*.c | tr -d '"'
	printf '%s\n' vprintf __assertfail .branchtargets .calltargets \
		.callprototype .v8 .noreturn generic '_' '@%p0 ' 'bra L0;' '-1' \
		WARP_SZ 0f7fc00000 0d7ff8000000000000
} | sort -u | awk '{ printf "\"%s\"\n", $0 }'
