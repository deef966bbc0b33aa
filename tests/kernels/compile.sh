#!/bin/sh
# Compiles every *.cu in a folder of this folder, or of FOLDER, to PTX beside it, as it is
# committed: for sm_90, or for sm_90a if its text says so, with line numbers, and with file
# names that have no folder.
# usage: compile.sh [NVCC [FOLDER]]
set -eu
nvcc=${1:-nvcc}
cd "${2:-$(dirname "$0")}"

for source in */*.cu; do
	(
		cd "$(dirname "$source")"
		name=$(basename "$source" .cu)
		arch=sm_90
		! grep -q sm_90a "$name.cu" || arch=sm_90a
		"$nvcc" -arch=$arch -lineinfo -ptx "$name.cu" -o "$name.new"
		sed -E 's|^([[:space:]]*\.file[[:space:]]+[0-9]+ ")[^"]*/|\1|' \
			"$name.new" >"$name.ptx"
		rm "$name.new"
	)
done
