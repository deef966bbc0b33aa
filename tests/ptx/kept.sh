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
expect 'loads of one address, in copies of the body' $load 7 "repeat 64 unroll=8
$ld" "repeat 64
$ld"
expect 'loads of one address, one after the other' $load 2 "repeat 64
$ld
$ld
$ld" "repeat 64
$ld"
wrapped='ld.global.cg.b32 [data + lane*4 + loop0*30KiB]'
expect 'loads that come back to an address by a wrap' $load 3 "repeat 64 unroll=4
$wrapped" "repeat 64
$wrapped"
st='st.global.b32 [data + lane*4]'
expect 'stores to one address' $store 3 "repeat 64 unroll=4
$st" "repeat 64
$st"
expect 'a load of what was stored' $load 1 "repeat 64
$st
ld.global.b32 [data + lane*4]" "repeat 64
$st"
expect 'a chase whose end nobody uses' $load 1 "repeat 64
ld.global.b64 [ring chase]" "repeat 64
delay 1"
