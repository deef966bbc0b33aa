#!/bin/sh
# A calibration in shards: the bytes of one process, however many there are and
# whatever becomes of them.
# environment: NEARFAR
. tests/cli/support.sh
small=tests/golden/machines/small.yaml
words="--nearest $small --from $scratch/t.json $scratch/a.json --free l2_near_cycles
	--free atomic_[ks]* --hold-out-points 4 --budget 20"

one() { # process; the model with another L2 and other atomics is the target
	run pointer-chase -m $small --set l2_near_cycles=311 --op ld.cg \
		-x 64KiB,128KiB,256KiB,8MiB --loads 512 --chunk 64 \
		-o "$scratch/t.json" &&
		run atomic-contention -m $small --set atomic_kept_cycles=1.1 \
			-x 1,2,4 --threads 256 --iterations 8 \
			-o "$scratch/a.json" &&
		"$NEARFAR" fit $words --errors "$scratch/one.csv" \
			-o "$scratch/one.yaml" >"$scratch/one.txt"
}
check "one process calibrates" one

plan() { # FOLDER SHARDS
	rm -rf "$1"
	"$NEARFAR" plan --calibrate -n "$2" -o "$1" -- $words \
		--errors "$1.csv"
}
shard() { "$NEARFAR" run -j 1 --shard "$@"; }

same() { # FOLDER: what it gives is what one process gave
	"$NEARFAR" merge "$1" -o "$1.yaml" >"$1.txt" &&
		cmp "$1.txt" "$scratch/one.txt" &&
		cmp "$1.csv" "$scratch/one.csv" || return
	grep -v '^name:' "$scratch/one.yaml" >"$scratch/parameters"
	grep -v '^name:' "$1.yaml" | cmp - "$scratch/parameters"
}
runs() { cat "$1"/*.journal | grep -c settings; }

together() { # SHARDS
	plan "$scratch/s$1" "$1" || return
	seq "$1" | xargs -P 3 -I{} "$NEARFAR" run -j 1 \
		--shard "$scratch/s$1/{}" && same "$scratch/s$1"
}
check "one shard has the bytes of one process" together 1
check "two shards, too" together 2
check "three shards, too" together 3

dealt() { # a point is run by one of them, but for beginnings and ends
	[ "$(runs "$scratch/s1")" -gt 50 ] &&
		[ "$(runs "$scratch/s3")" -lt \
			$((2 * $(runs "$scratch/s1"))) ] &&
		[ "$(ls "$scratch"/s3/*.journal | wc -l)" = 3 ]
}
check "shards share the points" dealt

alone() { # two of three never begin
	plan "$scratch/alone" 3 && shard "$scratch/alone/2" &&
		[ "$(runs "$scratch/alone")" = "$(runs "$scratch/s1")" ] &&
		same "$scratch/alone"
}
check "a shard alone runs what nobody else does" alone

again() { # what is done is not done again
	before=$(runs "$scratch/s2")
	shard "$scratch/s2/1" && shard "$scratch/s2/2" &&
		[ "$(runs "$scratch/s2")" = "$before" ]
}
check "shards that are done run nothing" again

early() {
	plan "$scratch/early" 2 || return
	status 1 "$NEARFAR" merge "$scratch/early" -o "$scratch/early.yaml" \
		2>"$scratch/why" && [ ! -e "$scratch/early.yaml" ] &&
		grep -q "is not at its end: 'nearfar run --shard .*early/N'" \
			"$scratch/why"
}
check "a machine before the end is refused" early

# A shard that is stopped as soon as it has run some points; FIRST is there.
begin() { # FOLDER
	"$NEARFAR" run -j 1 --shard "$1/1" 2>"$scratch/said1" &
	child=$!
	until [ "$(cat "$1/1.journal" 2>/dev/null | wc -l)" -gt 8 ]; do
		kill -0 $child || return
		sleep 0.01
	done
}
killed() { # while it is stopped the other one waits, and goes on without it
	plan "$scratch/killed" 2 && begin "$scratch/killed" || return
	kill -STOP $child
	"$NEARFAR" run -j 1 --shard "$scratch/killed/2" &
	other=$!
	sleep 0.3
	kill -0 $other || return # it cannot be at its end
	kill -KILL $child
	wait $other && same "$scratch/killed"
}
check "the share of a shard that is killed is run by another" killed

resumed() { # with a line that was torn
	printf '{"check": "00' >>"$scratch/killed/1.journal"
	before=$(runs "$scratch/killed")
	shard "$scratch/killed/1" 2>"$scratch/why" &&
		grep -q 'was torn' "$scratch/why" &&
		[ "$(runs "$scratch/killed")" = "$before" ] &&
		same "$scratch/killed"
}
check "a shard that was killed goes on" resumed

stopped() { # and nobody else runs it meanwhile
	plan "$scratch/stopped" 1 && begin "$scratch/stopped" || return
	kill -STOP $child
	status 1 shard "$scratch/stopped/1" 2>"$scratch/why" &&
		grep -q 'is being written' "$scratch/why" || return
	kill -TERM $child
	kill -CONT $child
	status 130 wait $child && shard "$scratch/stopped/1" &&
		same "$scratch/stopped"
}
check "a shard that is stopped ends with 130 and goes on" stopped

hostile() { # another's journal that is damaged, or of other work
	plan "$scratch/hostile" 2 || return
	sed '3s/"point": /&9/' "$scratch/s2/1.journal" \
		>"$scratch/hostile/1.journal"
	status 2 shard "$scratch/hostile/2" 2>"$scratch/why" &&
		grep -q 'hostile/1.journal:[0-9]*: the journal is damaged' \
			"$scratch/why" || return
	printf 'machine\n' >"$scratch/hostile/1.journal"
	status 2 shard "$scratch/hostile/2" 2>"$scratch/why" &&
		grep -q "hostile/1.journal' is no journal" "$scratch/why" || return
	status 2 "$NEARFAR" merge "$scratch/hostile" \
		-o "$scratch/hostile.yaml" 2>"$scratch/why" &&
		grep -q "hostile/1.journal' is no journal" "$scratch/why"
}
check "journals that are none are refused, with their line" hostile

wrong() { # STATUS SENTENCE WORD...
	wanted=$1 sentence=$2
	shift 2
	status "$wanted" "$NEARFAR" "$@" 2>"$scratch/why" >/dev/null &&
		grep -q -- "$sentence" "$scratch/why" ||
		{ echo "$*"; cat "$scratch/why"; return 1; }
}
refused() {
	f=$scratch/none
	p="plan --calibrate -o $f -- --from $scratch/t.json"
	wrong 2 'is to files (--from FILE)' plan --calibrate -o "$f" &&
		wrong 2 "'x.txt' is no option" plan x.txt --calibrate -o "$f" &&
		wrong 2 '-o DIR' plan --calibrate -- --from x &&
		wrong 2 'is of suites' plan --calibrate --whole-series -o "$f" &&
		wrong 2 "'nearfar merge' writes the machine" \
			$p -o x.yaml &&
		wrong 2 "nearfar run --suite' says it" $p -j 2 &&
		wrong 2 'a journal of its own' $p --state x &&
		wrong 2 'need a number of evaluations' $p --budget 10s &&
		wrong 2 "no parameter that can be fitted is 'x'" $p --free x &&
		wrong 1 "'none.json'" plan --calibrate -o "$f" -- \
			--from none.json &&
		[ ! -e "$f" ] || return
	f=$scratch/s2
	wrong 2 'has the shards 1 to 2, not 3' run --shard "$f/3" &&
		wrong 2 '--scratch is of suites' run --shard "$f/1" \
			--scratch "$scratch" &&
		wrong 2 'its machine needs a file' merge "$f" &&
		wrong 2 'its machine needs a file' merge "$f" -o x.json &&
		wrong 2 'is all there is to it' merge "$f" --missing &&
		wrong 2 'the target' merge "$f" -o "$scratch/t.json.yaml" &&
		wrong 1 'is another plan' plan --calibrate -n 3 -o "$f" -- $words
}
ln -s "$scratch/t.json" "$scratch/t.json.yaml"
check "what is no calibration in shards is refused" refused

plans_refused() {
	mkdir "$scratch/wrong"
	sed 's/"calibrate": \[/&7, /' "$scratch/s2/plan.json" \
		>"$scratch/wrong/plan.json" &&
		wrong 2 "'calibrate\[0\]' must be a string" run \
			--shard "$scratch/wrong/1" || return
	sed 's/"rows": \[/&{"name": "a", "words": [], "seed": 1, "work": "0000000000000000", "series": [{"bench": "b", "axis": "x", "points": 0}]}/' \
		"$scratch/s2/plan.json" >"$scratch/wrong/plan.json" &&
		wrong 2 "'rows' must be empty beside 'calibrate'" run \
			--shard "$scratch/wrong/1"
}
check "a plan that is wrong says where" plans_refused

slurm() {
	rm -rf "$scratch/slurm"
	"$NEARFAR" plan --calibrate -n 2 --slurm -o "$scratch/slurm" -- \
		$words --errors "$scratch/slurm.csv" &&
		grep -qx '#SBATCH --array=1-2' "$scratch/slurm/slurm.sh" &&
		SLURM_ARRAY_TASK_ID=2 sh "$scratch/slurm/slurm.sh" &&
		same "$scratch/slurm"
}
check "plan --slurm writes a job array" slurm

schema() {
	tests/schema/validate.py results/schema/plan.schema.json \
		"$scratch/s2/plan.json"
}
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	check "plans of calibrations keep their schema" schema
else
	echo "ok cli: schema of plans # SKIP there is no python3-jsonschema"
fi
