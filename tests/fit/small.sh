#!/bin/sh
# A share of `make fit-check`, in seconds: one machine of four SMs, drawn and
# judged as the large ones are, from the rows that are cheap there. None of them
# is held out: the cheap ones say too little of what such a row depends on.
# usage: small.sh   (environment: NEARFAR)
set -u
here=$(dirname "$0")
base=$(pwd)/tests/golden/machines/small.yaml
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if "$here/check.sh" "$NEARFAR" "$scratch/drawn" 1 1 2 "$base" \
	"near-far,chase-ca-each,chase-cg-each,chase-near,one-ca,one-l1,one-write,\
atomics-sector,atomics-word*,store-l1*,tlb-few,tlb-entries,tlb-all,tlb-stride" \
	>"$scratch/said" 2>&1; then
	echo "ok fit: a drawn machine is found"
else
	echo "not ok fit: a drawn machine is found"
	sed 's/^/  /' "$scratch/said"
fi
