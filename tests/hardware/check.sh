#!/bin/sh
# What needs a GPU: the host's arithmetic against the device's, the default
# suite, and the commands that read what it wrote. Stands alone beside
# suite.sh, so that it also runs in a bundle.
# usage: check.sh NEARFAR OUT [PROGRAMS]   (PROGRAMS: the folder of
# `agreement` and of `bare`, with values/differ beside it; a bundle has them
# beside this)
set -u
here=$(dirname "$0")
nearfar=$1 out=$2
programs=${3:-$here}
failed=0

say() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		failed=1
	fi
}

mkdir -p "$out"
"$programs/agreement"
code=$?
[ $code != 77 ] || exit 77
say $code "rings, draws and failures on the GPU are those of the host"

instrument=$programs/instrument
[ -x "$instrument" ] || instrument=$programs/bare
"$instrument" "$here/bare"
say $? "the instrument does not disturb"

values=$programs/values
[ -x "$values" ] || values=$programs/../values/differ
# As the kernels are written: the assembler's optimiser is not the judge.
NEARFAR_JIT_LEVEL=0 "$values" cuda 1 2000
say $? "random kernels leave on the GPU what the interpreter says"

"$nearfar" doctor >"$out/doctor.txt" 2>&1
say $? "doctor"

"$here/suite.sh" "$nearfar" default "$out" -b cuda --force
say $? "the default suite"

for series in "$out"/*.json.gz; do
	gzip -dc "$series" | grep -q '"cuda.version"' &&
		"$nearfar" show --no-plot "$series" >"$out/shown.txt"
	say $? "$series names its driver and is read"
done

"$nearfar" map "$out/near-far.json.gz" >"$out/map.txt" &&
	grep 'near .* far .* contradict' "$out/map.txt"
say $? "near-far finds two sides"

# The same program on both backends: a chase in L2.
"$nearfar" run pointer-chase --op ld.cg -x 8MiB --force \
		-o "$out/l2-sim.json" &&
	"$nearfar" run pointer-chase --op ld.cg -x 8MiB -r 3 -b cuda \
		--force -o "$out/l2-cuda.json" &&
	"$nearfar" compare --gate 15% "$out/l2-cuda.json" "$out/l2-sim.json"
say $? "the model's L2 latency is within 15 % of the GPU's"

"$nearfar" run pointer-chase -x 4KiB -b cuda --device 1000
[ $? = 2 ]
say $? "a device that is not there is wrong usage"

echo "the series are in $out"
exit $failed
