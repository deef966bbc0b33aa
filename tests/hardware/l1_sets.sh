#!/bin/sh
# Chases by ld.ca that fill L1: of 512 to 3072 lines, 128 B to 64 KiB apart, in
# shuffled and in sequential order; and of about as many lines as each size of
# shared memory leaves. Cycles a load, once all has been read three times. For
# results/probes/l1_sets.tsv; the model's with -b sim. Needs drawn.sh and programs.sh beside it.
# usage: l1_sets.sh NEARFAR [WORD...]
. "$(dirname "$0")/drawn.sh"

# chase SHARED_KIB SLOT LINES ORDER
chase() {
	name=x$1-$2-$3-$4
	cat >"$folder/$name.txt" <<-END
	nearfar-program 1
	name $name
	seed 1
	buffer ring bytes=$(($2 * $3)) fill=ring slot=$2 order=$4 seed=3
	launch measure
	  role go sms=0:1 threads=32 lanes=1 shared=$(($1 * 1024))
	    repeat $((3 * $3))
	      ld.global.ca.b64 [ring chase]
	    end
	    repeat $((2 * $3)) unroll=16 time=region region=measure
	      ld.global.ca.b64 [ring chase]
	    end
	END
}

for slot in 128 256 384 512 640 896 1024 1152 1408 1664 2176 2432 3200 4224 \
	8192 65536; do
	for lines in 512 1024 1280 1536 1792 1920 1984 2048 2176 2304 2560 3072
	do
		chase 0 $slot $lines shuffle
		chase 0 $slot $lines sequential
	done
done
# shared memory of a block, and the size that holds it and the driver's
for sizes in 5:8 13:16 28:32 60:64 96:100 128:132 160:164 190:196 220:228; do
	for more in -128 -64 -32 0 32 64 128 256 512; do
		chase ${sizes%:*} 128 $(((256 - ${sizes#*:}) * 8 + more)) \
			shuffle
	done
done
table 'shared_kib\tbytes_apart\tlines\torder\tcycles_a_load' \
	'2 * key[3]' '-k1,1n -k2,2n -k3,3n -k4,4r' "$@"
