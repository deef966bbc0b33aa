#!/bin/sh
# What needs a GPU: the host's arithmetic against the device's, every bench on
# the GPU, and the commands that read what they wrote. Stands alone, so that
# it also runs beside a bundle.
# usage: check.sh NEARFAR OUT [AGREEMENT]
set -u
nearfar=$1 out=$2
agreement=${3:-$(dirname "$nearfar")/agreement}
failed=0

say() {
	if [ "$1" = 0 ]; then
		echo "ok $2"
	else
		echo "not ok $2"
		failed=$((failed + 1))
	fi
}

mkdir -p "$out"
"$agreement" >"$out/agreement.txt" 2>"$out/agreement.err"
code=$?
cat "$out/agreement.txt"
cat "$out/agreement.err" >&2
[ $code != 77 ] || exit 77
say $code "rings, draws and failures agree"

"$nearfar" doctor >"$out/doctor.txt" 2>&1
say $? "doctor"

for bench in $("$nearfar" list benches | awk '{print $1}'); do
	"$nearfar" run "$bench" -b cuda -o "$out/$bench.json.gz"
	say $? "$bench on the GPU"
	"$nearfar" show --no-plot "$out/$bench.json.gz" >"$out/$bench.txt"
	say $? "$bench shown"
	gzip -dc "$out/$bench.json.gz" | grep -q '"cuda.version"'
	say $? "$bench names its driver"
done

# The same program on both backends: a chase in L2 within a factor of two.
"$nearfar" run pointer-chase --op ld.cg -x 8MiB -o "$out/model.json"
"$nearfar" run pointer-chase --op ld.cg -x 8MiB -b cuda -o "$out/gpu.json"
"$nearfar" compare --gate '100%' "$out/gpu.json" "$out/model.json"
say $? "the model's L2 latency is near the GPU's"

"$nearfar" run pointer-chase -b cuda --device 1000 2>"$out/device.err"
[ $? = 2 ]
say $? "a device that is not there is wrong usage"

echo
echo "$failed failed; the series are in $out"
[ $failed = 0 ]
