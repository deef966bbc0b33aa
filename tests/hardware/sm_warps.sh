#!/bin/sh
# Loads of one SM by 1 to 32 warps, one to eight in an iteration, in one loop and
# in a loop within a loop, of 4, 8 and 16 B a lane from L1 and of 4 and 16 from L2:
# how warps of a scheduler get in each other's way before its slots are full.
# Lines move on by one an iteration, so that all are in L1 after the untimed loop.
# Cycles of an iteration of a warp. For results/probes/sm_warps.tsv; the model's
# with -b sim. Needs drawn.sh and programs.sh beside it.
# usage: sm_warps.sh NEARFAR [WORD...]
. "$(dirname "$0")/drawn.sh"

# loads FROM BYTES LOOPS UNROLL WARPS
loads() {
	name=$1-$2-$3-$4-$5 wide=$((32 * $2))
	case $1 in l1) cop=ca step=$wide ;; l2) cop=cg step=$((32 * wide)) ;; esac
	case $2 in 4) type=b32 ;; 8) type=b64 ;; 16) type=v4.b32 ;; esac
	load="ld.global.$cop.$type [data + lane*$2 + warp*$wide"
	timed="time=region region=measure"
	{
		printf 'nearfar-program 1\nname %s\nseed 1\n' "$name"
		printf 'buffer data bytes=4MiB fill=random seed=1\n'
		[ "$1" = l1 ] || cat <<-END
			launch warm
			  role warm sms=all threads=1024
			    repeat 8 unroll=8
			      ld.global.cg.v4.b32 [data + lane*16 + warp*512 + block*16KiB + loop0*2162688]
			    end
		END
		printf 'launch measure\n  role go sms=0:1 threads=%d\n' $((32 * $5))
		count=$((64 / $3 / $3))
		printf '    repeat %d\n      %s + loop0*%d]\n    end\n    barrier\n' \
			$count "$load" $step
		if [ "$3" = 1 ]; then
			printf '    repeat %d unroll=%d %s\n      %s + loop0*%d]\n    end\n' \
				$count "$4" "$timed" "$load" $step
		else
			printf '    repeat 8 %s\n      repeat %d unroll=%d\n' \
				"$timed" $count "$4"
			printf '        %s + loop1*%d]\n      end\n    end\n' \
				"$load" $step
		fi
	} >"$folder/$name.txt"
}

for warps in 1 4 8 12 16 20 24 32; do
	for unroll in 1 2 4 8; do
		for loops in 1 2; do
			for bytes in 4 8 16; do
				loads l1 $bytes $loops $unroll $warps
			done
			loads l2 4 $loops $unroll $warps
			loads l2 16 $loops $unroll $warps
		done
	done
done
table 'from\tbytes_a_lane\tloops\tloads_an_iteration\twarps\tcycles_an_iteration' \
	'64 * key[3] / key[4]' '-k1,1 -k2,2n -k3,3n -k4,4n -k5,5n' "$@"
