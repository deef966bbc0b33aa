#!/bin/sh
# Loads of one SM by 1, 8 and 32 warps, one to eight in an iteration, of 32 in
# all: lanes 4 to 256 B apart, from L1, where each warp reads the same bytes again,
# and from L2, where addresses move on. Cycles of the region for each load of a
# warp. For results/probes/sm_loads.tsv; the model's with -b sim. Needs drawn.sh
# and programs.sh beside it.
# usage: sm_loads.sh NEARFAR [WORD...]
. "$(dirname "$0")/drawn.sh"

# head NAME
head() {
	printf 'nearfar-program 1\nname %s\nseed 1\n' "$1"
	printf 'buffer data bytes=4MiB fill=random seed=1\n'
}

# from_l1 APART UNROLL WARPS
from_l1() {
	name=l1-$1-$2-$3
	head "$name" >"$folder/$name.txt"
	cat >>"$folder/$name.txt" <<-END
	launch measure
	  role go sms=0:1 threads=$((32 * $3))
	    repeat 2
	      ld.global.ca.b32 [data + lane*$1]
	    end
	    repeat 32 unroll=$2 time=region region=measure
	      ld.global.ca.b32 [data + lane*$1]
	    end
	END
}

# from_l2 APART UNROLL WARPS
from_l2() {
	name=l2-$1-$2-$3
	head "$name" >"$folder/$name.txt"
	cat >>"$folder/$name.txt" <<-END
	launch warm
	  role warm sms=all threads=1024
	    repeat 8 unroll=8
	      ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + loop0*2162688 wrap 4MiB]
	    end
	launch measure
	  role go sms=0:1 threads=$((32 * $3))
	    repeat 32 unroll=$2 time=region region=measure
	      ld.global.cg.b32 [data + lane*$1 + warp*$((32 * $1)) + loop0*$((32 * $1 * $3))]
	    end
	END
}

for warps in 1 8 32; do
	for unroll in 1 4 8; do
		for apart in 4 8 12 16 24 32 64 128 256; do
			from_l1 $apart $unroll $warps
			[ $apart = 256 ] || from_l2 $apart $unroll $warps
		done
	done
done
table 'from\tbytes_apart\tloads_an_iteration\twarps\tcycles_a_load' \
	'32' '-k1,1 -k4,4n -k3,3n -k2,2n' "$@"
