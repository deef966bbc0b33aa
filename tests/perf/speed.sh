#!/bin/bash
# How fast the model is on this machine, as the tables of results/accuracy.md:
# the host takes one core, but for the last lines. Wall time, the best of three
# runs.
# usage: speed.sh NEARFAR
set -euo pipefail
export LC_ALL=C
nearfar=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# run WORDS...: the requests and the seconds of the fastest of three runs.
run() {
	for _ in 1 2 3; do
		"$nearfar" run "$@" -j 1 --stats --force -o "$scratch/out.csv" \
			2>"$scratch/said" || { cat "$scratch/said" >&2; exit 1; }
		sed -n 's/^\([0-9]*\) requests,.* \([0-9.]*\) s, .*/\1 \2/p' \
			"$scratch/said"
	done | sort -k2 -n | head -n 1
}

# instructions JOB: warp instructions of a kernel, and the seconds of the fastest
# of three runs.
instructions() {
	local seconds

	seconds=$(run --kernel "$1" | sed 's/.* //')
	"$nearfar" run --kernel "$1" --force \
		-o "$scratch/kernel.json"
	sed -n "s/.*\"smsp__inst_executed.sum\": \([0-9]*\).*/\1 $seconds/p" \
		"$scratch/kernel.json"
}

# A kernel that copies a float a thread; what leaves L2 for DRAM counts, too.
copy() { # MIB
	cat <<-END >"$scratch/copy.job"
	nearfar-kernel 1
	module $PWD/tests/kernels/stream/copy.ptx
	buffer from bytes=$1MiB type=f32 fill=random seed=1
	buffer to bytes=$1MiB type=f32
	launch copy grid=$(($1 * 1024)) block=256 args=from,to,s32:$(($1 << 18))
	END
	run --kernel "$scratch/copy.job"
}

# reads SMS BYTES REQUESTS ACCESS: about two million requests, of which 32 warps
# make REQUESTS by an access of each.
reads() {
	local count=$((2097152 / $1 / $3 / 4 * 4))

	cat <<-END >"$scratch/reads.txt"
	nearfar-program 1
	name reads
	seed 1
	buffer data bytes=$2
	launch go
	  role reader sms=0:$1 threads=1024
	    repeat $((count ? count : 4)) unroll=4 time=region region=measure
	      $4
	    end
	END
	run --program "$scratch/reads.txt"
}

stream() { # SMS BYTES
	reads "$1" "$2" 128 "ld.global.cg.v4.b32 [data + lane*16 + warp*512 + \
block*16KiB + loop0*$(($1 * 16))KiB wrap $2]"
}

gather() { # SMS BYTES
	reads "$1" "$2" 1024 "ld.global.cg.b32 [data random slot=32]"
}

chase() { # BYTES LOADS, of which all are requests
	run pointer-chase --op ld.cg -x "$1" --loads "$2"
}

# row NAME WANTED UNIT UNITS-A-REQUEST PEER PEER'S-RATE, of a run's output
row() {
	awk -v name="$1" -v wanted="$2" -v unit="$3" -v units="$4" \
		-v peer="$5" -v peer_rate="$6" '{
		rate = $1 / $2
		of_peer = peer_rate ? sprintf("%.0f (%s %d)",
			rate / peer_rate, peer, peer_rate) : "-"
		printf "| %s | %.2f | %.1f %s | %.0f | %s |\n", name,
			rate / 1e6, rate * units / 1e6, unit, wanted, of_peer
	}'
}

# The same of what makes few requests.
units_row() { # NAME WANTED UNIT
	awk -v name="$1" -v wanted="$2" -v unit="$3" '{
		printf "| %s | - | %.1f %s | %.0f | - |\n", name,
			$1 / $2 / 1e6, unit, wanted
	}'
}

workloads() {
	echo "| workload | million requests/s | million units/s | wanted | times the fastest peer (requests/s) |"
	echo "|---|---|---|---|---|"
	chase 8MiB 1000000 | row "chase, 8 MiB" 2 loads 1 Accel-Sim 28
	chase 1GiB 1000000 | row "chase, 1 GiB" 1 loads 1 Ramulator 159000
	stream 132 8MiB |
		row "stream from L2, 132 SMs" 5 sectors 4 Accel-Sim 24000
	stream 132 1GiB |
		row "stream from DRAM, 132 SMs" 4 sectors 4 Ramulator 115000
	gather 132 4GiB |
		row "random sectors of 4 GiB, 132 SMs" 2 sectors 1 Ramulator 36000
	run atomic-contention -x 132 --iterations 512 |
		row "atomics on one word, 132 SMs" 3 "lane atomics" 32 "" 0
	copy 64 | row "a kernel's copy of 64 MiB" 2 sectors 4 Accel-Sim 24000
	instructions tests/kernels/compute/monte_carlo-small.job |
		units_row "a kernel's arithmetic" 3 "warp instructions"
}

# Of lines "X REQUESTS SECONDS": nanoseconds a request, and how flat it is.
curve() {
	awk -v name="$1" '{
		ns = $3 / $2 * 1e9
		xs = xs " | " $1; row = row sprintf(" | %.0f", ns)
		rule = rule "|---"
		if (NR == 1 || ns < least) least = ns
		if (ns > most) most = ns
	}
	END {
		printf "| %s%s | most / least |\n|---%s|---|\n", name, xs, rule
		printf "| ns a request%s | %.2f |\n\n", row, most / least
	}'
}

over_sms() { # BYTES
	for sms in 1 2 4 8 16 32 64 132; do
		echo "$sms $(stream $sms "$1")"
	done
}

over_bytes() {
	for mib in 1 2 4 8 16 32 64 128 256 512 1024 2048 4096; do
		echo "$mib $(stream 132 ${mib}MiB)"
	done
}

# seconds JOBS: of the default sweeps of the four kernels.
seconds() {
	local begin end

	begin=$(date +%s.%N)
	"$nearfar" run pointer-chase stride-sweep atomic-contention \
		prefetch-size -j "$1" --force -o "$scratch/$1.json"
	end=$(date +%s.%N)
	awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.1f", b - a }'
}

jobs() {
	local one two

	one=$(seconds 1)
	two=$(seconds 2)
	cmp "$scratch/1.json" "$scratch/2.json"
	awk -v one="$one" -v two="$two" 'BEGIN {
		printf "Default sweeps of the four kernels: %s s with -j 1, " \
			"%s s with -j 2 (%.2f times as fast), the same bytes.\n",
			one, two, one / two }'
}

echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), one core:"
echo
workloads
echo
over_sms 8MiB | curve "SMs, from L2"
over_sms 1GiB | curve "SMs, from DRAM"
over_bytes | curve "MiB, 132 SMs"
jobs
