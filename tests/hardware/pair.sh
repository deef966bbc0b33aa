#!/bin/sh
# Measures far memory on a machine with two GPUs or more, and packs what it
# wrote: the series, what the driver says of both GPUs, and how each row went.
# Stands alone beside suite.sh, so that it also runs in a bundle.
# usage: pair.sh NEARFAR OUT.tgz [LIST [WORD...]]   (LIST: pair.txt; the words
# go to each `nearfar run`, such as --device 2 --peer 5)
set -u
here=$(dirname "$0")
nearfar=$1 packed=$2
list=${3:-$here/pair.txt}
[ $# -le 3 ] && shift $# || shift 3
out=${packed%.tgz}

mkdir -p "$out" || exit 1
"$nearfar" doctor >"$out/doctor.txt" 2>&1
started=$(date +%s)
{
	"$here/suite.sh" "$nearfar" "$list" "$out" -b cuda "$@"
	echo "status $?"
} 2>"$out/said.txt" | tee "$out/rows.txt"
echo "seconds $(($(date +%s) - started))" >>"$out/rows.txt"
cp "$list" "$out"
tar -czf "$packed" -C "$(dirname "$out")" "$(basename "$out")" || exit 1
echo "the series are in $packed"
exit "$(sed -n 's/^status //p' "$out/rows.txt")"
