#!/bin/sh
# Reductions by 1 to 132 SMs whose warps each come back to a line of their own, 48
# times: by 1 to 32 warps of an SM, by all lanes on a word and on a word each, of
# the first n SMs, which start together, and of a grid of n blocks. Cycles of the
# region for each of the 48. For results/probes/own_lines.tsv; the model's with -b sim.
# Needs drawn.sh and programs.sh beside it.
# usage: own_lines.sh NEARFAR [WORD...]
. "$(dirname "$0")/drawn.sh"

# reduce WORDS PLACED SMS WARPS
reduce() {
	name=$1-$2-$3-$4
	case $1 in
	word) lanes= ;;
	line) lanes='lane*4 + ' ;;
	esac
	case $2 in
	placed) place=sms=0:$3 ;;
	grid) place=blocks=$3 ;;
	esac
	cat >"$folder/$name.txt" <<-END
	nearfar-program 1
	name $name
	seed 1
	buffer data bytes=1MiB
	launch warm
	  role warm sms=all threads=1024
	    repeat 8 unroll=8
	      ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + loop0*2162688 wrap 1MiB]
	    end
	launch measure
	  role go $place threads=$((32 * $4))
	    repeat 48 time=region region=measure
	      red.global.add.u32 [data + ${lanes}warp*128 + block*4096]
	    end
	END
}

for words in word line; do
	for sms in 1 2 4 8 16 32 64 132; do
		for warps in 1 2 4 8 16 32; do
			reduce $words placed $sms $warps
		done
		reduce $words grid $sms 32
	done
done
table 'lanes_on\tsms_are\tsms\twarps\tcycles_a_reduction' \
	'48' '-k1,1 -k2,2 -k4,4n -k3,3n' "$@"
