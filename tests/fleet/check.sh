#!/bin/sh
# A synthetic fleet with faulty devices, and how many of them `fleet odd` finds.
# What was measured or drawn into OUT before is kept; tests/fleet/bases has the
# fingerprints of one run, for what must be short.
# usage: check.sh NEARFAR DRAW OUT SEED DEVICES FAULTY DAYS
set -eu

nearfar=$1
draw=$2
out=$3
seed=$4
devices=$5
faulty=$6
days=$7
here=$(dirname "$0")
mkdir -p "$out"

# take NAME OPTION...: a fingerprint of the model.
take() {
	name=$1
	shift
	[ -e "$out/$name.json.gz" ] || "$nearfar" fingerprint -b sim \
		--name "$name" -o "$out/$name.json.gz" "$@" 2>/dev/null
}

# Healthy: other seeds, other physical pages.
for k in 1 2 3 4 5 6; do
	take healthy-$k --seed $k --set page_seed=$k
done
# Faulty: the first healthy one with one thing wrong.
set -- --seed 1 --set page_seed=1
take lost-slice "$@" --set l2_slices_used=92
take slow-channel "$@" --set dram_spread_cycles=60 \
	--set dram_bytes_per_s=4.2e12
take hot-refresh "$@" --set dram_refresh_interval_cycles=2066
take half-link "$@" --set crossbar_rest_bytes_per_cycle=311
take low-clock "$@" --set clock_hz=1905000000

fleet=$out/fleet-$seed-$devices-$faulty-$days
if [ ! -e "$fleet.tsv" ]; then
	rm -f "$fleet.sqlite"
	"$draw" "$fleet.sqlite" "$fleet.part" "$seed" "$devices" "$faulty" \
		"$days" "$out"/healthy-*.json.gz -- "$out"/lost-slice.json.gz \
		"$out"/slow-channel.json.gz "$out"/hot-refresh.json.gz \
		"$out"/half-link.json.gz "$out"/low-clock.json.gz
	mv "$fleet.part" "$fleet.tsv"
fi

status=0
"$nearfar" fleet odd --store "$fleet.sqlite" -f jsonl >"$fleet.odd" \
	2>"$fleet.said" || status=$?
if [ "$faulty" -gt 0 ] && [ $status -ne 3 ]; then
	cat "$fleet.said" >&2
	echo "fleet: the exit status is $status, not 3" >&2
	exit 1
fi
awk -v devices="$devices" -f "$here/judge.awk" "$fleet.tsv" "$fleet.odd"
