#!/bin/sh
# Compiles every *.cu below this folder by clang, without a toolkit, into a
# folder that is like this one, with the jobs beside the PTX.
# usage: clang.sh OUT [CLANG]     (77: there is no clang that can)
set -u
clang=${2:-clang-16}
here=$(cd "$(dirname "$0")" && pwd)
out=$1

command -v "$clang" >/dev/null || exit 77
"$clang" --print-targets 2>/dev/null | grep -q nvptx64 || exit 77
mkdir -p "$out/include"
# builtins.cuh has what is needed of these
: >"$out/include/cuda_fp16.h"
: >"$out/include/cooperative_groups.h"
out=$(cd "$out" && pwd)

failed=0
for source in "$here"/*/*.cu; do
	folder=$out/$(basename "$(dirname "$source")")
	name=$(basename "$source" .cu)
	mkdir -p "$folder"
	cp "${source%.cu}"-*.job "$folder"
	cd "$(dirname "$source")" || exit 1
	"$clang" -x cuda --cuda-device-only -S -O2 -gline-tables-only \
		-nocudainc -nocudalib -Wno-unknown-cuda-version \
		--cuda-gpu-arch=sm_90 -Xclang -target-feature -Xclang +ptx78 \
		-fms-extensions -I"$out/include" -include ../builtins.cuh \
		"$name.cu" -o "$folder/$name.ptx" || failed=1
done
exit $failed
