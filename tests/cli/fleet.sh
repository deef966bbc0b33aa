#!/bin/sh
# Fingerprints and fleets on the command line.
# environment: NEARFAR, TESTS
. tests/cli/support.sh
small=tests/golden/machines/small.yaml

take() { # DEVICE OPTION...
	device=$1
	shift
	"$NEARFAR" fingerprint -b sim -m $small --name "$device" \
		-o "$scratch/$device.json" "$@"
}
fleet() { "$NEARFAR" fleet "$@" --store "$scratch/fleet.sqlite"; }

fingerprint() {
	take one && take two --seed 2 &&
		grep -q '"device": "one"' "$scratch/one.json" &&
		grep -q '"dram_gb_per_s": {"value": [0-9]' "$scratch/one.json" &&
		grep -q '"l2_slices": {"value": null.*"reason": "fewer' \
			"$scratch/one.json"
}
check "a fingerprint says what it measured, and why not" fingerprint
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "a fingerprint meets its schema" tests/schema/validate.py \
		results/schema/fingerprint.schema.json "$scratch/one.json"
else
	echo "ok cli: a fingerprint's schema # SKIP no jsonschema"
fi
again() {
	cp "$scratch/one.json" "$scratch/before" && take one -j 1 &&
		cmp "$scratch/one.json" "$scratch/before"
}
check "a fingerprint of the model is the same again" again
refused() {
	status 2 "$NEARFAR" fingerprint -b cuda -m h200-sxm &&
		status 2 "$NEARFAR" fingerprint -b nothing &&
		status 2 "$NEARFAR" fingerprint -b sim --name '' &&
		status 2 "$NEARFAR" fingerprint -b sim -r 0
}
check "a fingerprint without sense is refused" refused
# Loads of the driver without a GPU take no time: no fingerprint comes of that.
fake() {
	cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. \
		tests/support/fake_cuda.c -o "$scratch/libcuda.so.1" &&
		NEARFAR_LIBCUDA=$scratch/libcuda.so.1 status 1 "$NEARFAR" \
			fingerprint -r 1 -o "$scratch/fake.json" \
			2>"$scratch/fake" &&
		grep -q 'sample of 0 cycles' "$scratch/fake" &&
		grep -q 'the backend is cuda here, and sim from the next' \
			"$scratch/fake" &&
		[ ! -e "$scratch/fake.json" ]
}
if command -v cc >/dev/null; then
	check "a driver without a GPU has no fingerprint" fake
else
	echo "ok cli: a driver without a GPU # SKIP no cc"
fi

kept() {
	fleet add --day 2026-11-20 "$scratch/one.json" "$scratch/two.json" &&
		fleet add --day 2026-11-21 "$scratch/one.json" &&
		fleet list >"$scratch/list" &&
		grep -q '^one .* 2 *2026-11-20 *2026-11-21' "$scratch/list" &&
		grep -q '^two .* 1 *2026-11-20 *2026-11-20' "$scratch/list"
}
check "a fleet keeps fingerprints" kept
all_or_none() {
	status 2 fleet add --day 2026-11-23 "$scratch/two.json" \
		$small 2>"$scratch/said" &&
		grep -q "small.yaml" "$scratch/said" &&
		fleet list | grep -q '^two .* 2026-11-20$'
}
check "fingerprints are added all or none" all_or_none
shown() {
	fleet show one | grep -q '^ *dram_gb_per_s ' &&
		fleet diff one two@2026-11-20 >"$scratch/diff" &&
		grep -q '^ *l2_sides  *count' "$scratch/diff" &&
		! grep -q 'l2_sides.*yes' "$scratch/diff" &&
		status 2 fleet diff one two@2026-11-19 &&
		status 2 fleet show three
}
check "show and diff" shown
exported() {
	[ "$(fleet export | wc -l)" = 3 ] &&
		[ "$(fleet export two | wc -l)" = 1 ] &&
		fleet export | tail -n 1 | python3 -c '
import json, sys
day = json.loads(sys.stdin.readline())
assert day["device"] == "two" and day["day"] == "2026-11-20"
assert len(day["figures"]["dram_gb_per_s"]) == 2' &&
		fleet export -f openmetrics -o "$scratch/metrics.prom" &&
		tail -n 1 "$scratch/metrics.prom" | grep -qx '# EOF' &&
		grep -q '^nearfar_fingerprint_odd{device="one",sku="test (model)"} 0$' \
			"$scratch/metrics.prom"
}
check "export" exported
few() {
	status 1 fleet odd >"$scratch/odd" 2>"$scratch/said" &&
		grep -q '^not judged: 2 ' "$scratch/odd" &&
		grep -q 'none of 2 devices can be judged' "$scratch/said"
}
check "too few to judge is said" few
empty() { # nothing known is no fleet that is well
	"$NEARFAR" fleet add --store "$scratch/e.sqlite" "$scratch/one.json" &&
		python3 - "$scratch/e.sqlite" <<-'EOF' &&
			import sqlite3, sys
			db = sqlite3.connect(sys.argv[1])
			db.execute("DELETE FROM devices")
			db.commit()
		EOF
		status 1 "$NEARFAR" fleet odd --store "$scratch/e.sqlite" \
			2>"$scratch/said" &&
		grep -q 'has no fingerprint' "$scratch/said"
}
check "an empty fleet is not well" empty
# slow K SHARE NAME FILE: GPU K as it was taken, its DRAM reads at SHARE.
slow() {
	zcat results/fingerprints/h200-$(($1 % 7))-1.json.gz |
		python3 -c '
import json, sys
taken = json.load(sys.stdin)
taken["device"] = sys.argv[2]
for name, figure in taken["figures"].items():
    if name.startswith("dram") and name.endswith("gb_per_s"):
        for key in ("value", "low", "high"):
            figure[key] *= float(sys.argv[1])
json.dump(taken, sys.stdout)' "$2" "$3" >"$4"
}
rack() { # SHARE STATUS: seven chips as they are, and one at that share
	rm -f "$scratch/rack.sqlite"
	for k in 0 1 2 3 4 5 6; do
		slow $k 1 gpu$k "$scratch/rack$k.json" || return
	done
	slow 7 "$1" gpu7 "$scratch/rack7.json" &&
		"$NEARFAR" fleet add --day 2026-11-20 \
			--store "$scratch/rack.sqlite" "$scratch"/rack?.json &&
		status "$2" "$NEARFAR" fleet odd \
			--store "$scratch/rack.sqlite" >"$scratch/odd"
}
found() {
	rack 0.93 3 && grep -q \
		'^gpu7: DRAM reads 6.6 % below its 7 neighbours on 2026-11-20: ' \
		"$scratch/odd" && grep -q ': 1 odd, 0 borderline$' "$scratch/odd"
}
check "a GPU that was always slow is found in a rack of eight" found
# One of gpu7's repeats was 10 % slow: its interval is as wide.
borderline() {
	rack 0.955 0 && grep -q \
		'^borderline: gpu7: DRAM reads [34][.0-9]* % below its 7 ' \
		"$scratch/odd" && grep -q ': 0 odd, 1 borderline$' "$scratch/odd"
}
check "a GPU that is a little slow is borderline" borderline
fell() {
	for day in 0 1 2 3 4; do
		case $day in [34]) share=0.93 ;; *) share=1.00$day ;; esac
		slow 4 $share alone "$scratch/day.json" &&
			"$NEARFAR" fleet add --day 2026-11-2$day \
				--store "$scratch/alone.sqlite" \
				"$scratch/day.json" || return
	done
	status 3 "$NEARFAR" fleet odd --store "$scratch/alone.sqlite" \
		>"$scratch/odd" && grep -q \
		'^alone: DRAM reads 7 % below its own 4 days before 2026-11-24: ' \
		"$scratch/odd"
}
check "a GPU that fell two days ago is found by its own five days" fell
no_store() {
	status 2 "$NEARFAR" fleet list --store "$scratch/none" &&
		status 2 "$NEARFAR" fleet list --store "$scratch/one.json" &&
		status 2 fleet list one && status 2 fleet &&
		status 2 fleet other && status 2 fleet odd --fdr 2 &&
		status 2 fleet odd -f openmetrics &&
		status 2 fleet add --day 2026-02-31 "$scratch/one.json" &&
		[ ! -e "$scratch/none" ]
}
check "a fleet without sense is refused" no_store

# A small share of `make fleet-check`, around fingerprints that it left.
drawn() {
	mkdir "$scratch/drawn" &&
		cp tests/fleet/bases/*.json.gz "$scratch/drawn" || return
	tests/fleet/check.sh "$NEARFAR" "$TESTS/fleet/draw" "$scratch/drawn" \
		1 100 5 16 >"$scratch/table" &&
		grep -q '^healthy devices accused: 0 of 95' "$scratch/table"
}
check "five faults are found among 100 devices, and no other" drawn
sentence() {
	"$NEARFAR" fleet odd --store "$scratch"/drawn/*.sqlite \
		>"$scratch/odd" 2>&1
	[ $? = 3 ] && grep -Eq '^GPU-0000[0-9]*: the SM clock 3\.[0-9]* % below its 99 neighbours since it was first seen on [0-9-]*: 19[0-9.]* for 1980[0-9.]* MHz \(clock_mhz\); that is [0-9.]* spreads of [0-9.]*, the worse side, .* probability [0-9.e-]*$' \
		"$scratch/odd" && grep -q '^nearfar: 5 of 100 devices are odd' \
		"$scratch/odd"
}
check "what is odd is said in a sentence, with status 3" sentence

# Takes of five H200s: same GPU or not, whatever they are called.
taken=results/fingerprints
same_and_not() {
	for device in 0 1 2 3 4; do
		"$NEARFAR" fleet same $taken/h200-$device-1.json.gz \
			$taken/h200-$device-2.json.gz >"$scratch/same" &&
			grep -q '^same device: ' "$scratch/same" || return
		for other in 0 1 2 3 4; do
			[ $device = $other ] ||
				status 3 "$NEARFAR" fleet same \
					$taken/h200-$device-1.json.gz \
					$taken/h200-$other-2.json.gz || return
		done
	done
	zcat $taken/h200-2-1.json.gz | sed 's/"device": "[^"]*"/"device": "x"/' \
		>"$scratch/x.json" &&
		"$NEARFAR" fleet same "$scratch/x.json" \
			$taken/h200-2-2.json.gz >"$scratch/same" &&
		grep -q '^their names are two all the same$' "$scratch/same"
}
check "GPUs are recognised and told apart by their maps" same_and_not
pairs() { "$NEARFAR" fleet "$@" --store "$scratch/pairs.sqlite"; }
# The first takes as one day, the last as the next.
told_apart() {
	pairs add --day 2026-11-21 $taken/h200-?-1.json.gz &&
		pairs add --day 2026-11-22 $taken/h200-[0123]-2.json.gz \
			$taken/h200-4-4.json.gz || return
	for device in GPU-8b37 GPU-4a27 GPU-94e7 GPU-8ead GPU-d88a; do
		pairs diff $device@2026-11-21 $device >"$scratch/diff" &&
			! grep -q ' yes$' "$scratch/diff" || return
	done
	pairs diff GPU-94e7 GPU-8ead >"$scratch/diff" &&
		grep -q 'l2_latency_cycles .* yes$' "$scratch/diff" &&
		pairs show GPU-94e7 | grep -q ', 2 days, compared with 1 before$' &&
		pairs odd >"$scratch/odd" &&
		grep -q ': 0 odd, 0 borderline$' "$scratch/odd"
}
check "takes of one GPU do not differ, two GPUs do, and none is odd" told_apart
mapless() {
	"$NEARFAR" fingerprint -b sim -m $small --name a -o "$scratch/a.json" &&
		status 1 "$NEARFAR" fleet same "$scratch/a.json" none.json &&
		status 2 "$NEARFAR" fleet same "$scratch/a.json" &&
		python3 - "$scratch/a.json" "$scratch/b.json" <<-'EOF' &&
			import json, sys
			a = json.load(open(sys.argv[1]))
			a["map"] = None
			json.dump(a, open(sys.argv[2], "w"))
		EOF
		status 2 "$NEARFAR" fleet same "$scratch/a.json" \
			"$scratch/b.json" 2>"$scratch/said" &&
		grep -q 'b.json: it has no map of the chip' "$scratch/said"
}
check "without two maps nothing is said" mapless
