#!/bin/sh
# What the assembler must not leave out: loads and stores that it sees go to one
# address, a chase whose end nobody uses. Counts instructions in the machine
# code of sm_90, where the low twelve bits are the opcode.
# usage: kept.sh PTXAS; environment: NEARFAR
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
load=981 store=986

# count OPCODE BODY: how many there are in the kernel of a role with this body
count() {
	printf '%s\n' 'nearfar-program 1' 'name kept' 'seed 1' \
		'buffer data bytes=60KiB' \
		'buffer ring bytes=64KiB fill=ring slot=128' 'launch go' \
		'role go sms=0:1 threads=64' "$2" 'end' >"$scratch/p.txt"
	"$NEARFAR" run --program "$scratch/p.txt" --dump-ptx >"$scratch/all.ptx" &&
		sed -n "/^\/\/ launch go/,\$p" "$scratch/all.ptx" >"$scratch/p.ptx" &&
		"$ptxas" -arch=sm_90 -o "$scratch/p.cubin" "$scratch/p.ptx" &&
		od -An -v -tx8 -w16 "$scratch/p.cubin" |
		awk -v opcode="$1" 'substr($1, 14) == opcode' | wc -l
}

# loop COPIES BODY
loop() { printf 'repeat 64 unroll=%s\n%s' "$1" "$2"; }

# expect NAME OPCODE MORE BODY LESS: the first body has MORE than the second
expect() {
	more=$(count "$2" "$4")
	less=$(count "$2" "$5")
	if [ $((more - less)) -eq "$3" ]; then
		echo "ok ptx: kept: $1"
	else
		echo "not ok ptx: kept: $1"
		echo "  $more and $less instructions, expected $3 more"
	fi
}

ptxas=$1
ld='ld.global.cg.b32 [data + lane*4 + warp*128]'
wrapped='ld.global.cg.b32 [data + lane*4 + loop0*30KiB]'
st='st.global.b32 [data + lane*4]'
three="$ld
$ld
$ld"
back="$st
ld.global.b32 [data + lane*4]"
chase='ld.global.b64 [ring chase]'

expect 'loads of one address, in copies of the body' \
	$load 7 "$(loop 8 "$ld")" "$(loop 1 "$ld")"
expect 'loads of one address, one after the other' \
	$load 2 "$(loop 1 "$three")" "$(loop 1 "$ld")"
expect 'loads that come back to an address by a wrap' \
	$load 3 "$(loop 4 "$wrapped")" "$(loop 1 "$wrapped")"
expect 'stores to one address' \
	$store 3 "$(loop 4 "$st")" "$(loop 1 "$st")"
expect 'a load of what was stored' \
	$load 1 "$(loop 1 "$back")" "$(loop 1 "$st")"
expect 'a chase whose end nobody uses' \
	$load 1 "$(loop 1 "$chase")" "$(loop 1 'delay 1')"
