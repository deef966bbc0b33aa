#!/bin/sh
# A suite in shards: the bytes of one process, whatever the shards, and what is
# missing or disagrees is named.
# environment: NEARFAR
. tests/cli/support.sh

suite=$scratch/suite.txt
sed 's/^name .*/name v/; s/bytes=[0-9A-Za-z]*/bytes=${size}KiB/' \
	tests/golden/programs/small.txt >"$scratch/v.txt"
cp tests/golden/machines/small.yaml "$scratch/m.yaml"
cat >"$suite" <<SUITE
# name, and the words of nearfar run

chase      pointer-chase --op ld.ca,ld.cg -x 4KiB:1MiB:2 --loads 256 --chunk 64
what-if    pointer-chase -x 4KiB,1MiB --loads 256 --chunk 64 --set l2_near_cycles=250,300 --set bridge_cycles=10,20
over-set   pointer-chase -x 64KiB,1MiB --loads 256 -x set:l2_near_cycles=250:300:8
atomics    atomic-contention -x 1,2,4 --iterations 4 -r 2
machine    pointer-chase -x 4KiB,200GiB -m gk110 --loads 256 --chunk 64
file       pointer-chase --samples -x 4KiB,8KiB -m $scratch/m.yaml --loads 64
variables  --program $scratch/v.txt -x var:size=64,256,1024
two        pointer-chase coalescing -x 32,64 --loads 128 --seed 7 --no-samples
SUITE

# one FOLDER: what one process makes of each row.
one() {
	mkdir -p "$1" && while read -r row words; do
		case $row in '' | \#*) continue ;; esac
		run $words -o "$1/$row.json.gz" || return
	done <"$suite"
}
check "one process runs the suite" one "$scratch/one"

plan() { "$NEARFAR" plan "$suite" "$@"; }
merge() { "$NEARFAR" merge "$@"; }

pair() { # the list of a pair: all of its rows are legal on the model's
	"$NEARFAR" plan results/pair.txt -n 4 -o "$scratch/pair" -- -b sim \
		-m h200-sxm-x2
}
check "the list of a pair is a suite" pair

# Shards in any order, more than one at a time.
shards() { # COUNT OPTION...
	split=$scratch/split$1
	plan -n "$@" -o "$split" &&
		merge "$split" --missing | sort -r |
		xargs -n 1 -P 2 "$NEARFAR" run -j 1 --shard &&
		merge "$split" --rows "$split/rows" &&
		diff -r "$scratch/one" "$split/rows" &&
		[ -z "$(find "$split" -name '*.journal')" ]
}
check "one shard has the bytes of one process" shards 1
check "three shards, too" shards 3
check "eleven shards, too" shards 11
check "a shard a point, too" shards 999
check "whole series, too" shards 5 --whole-series

uncut() { # of --whole-series, no part begins within a series
	! grep -q '"first": [1-9]' "$scratch/split5/plan.json" &&
		grep -q '"first": [1-9]' "$scratch/split3/plan.json" &&
		[ "$(find "$scratch/split11" -name '[0-9]*.gz' | wc -l)" = 11 ]
}
check "series are cut unless they shall be whole" uncut

together() { # one file, in any format, and words for each row
	printf 'a pointer-chase -x 4KiB:64KiB:2 --loads 256\n' |
		"$NEARFAR" plan - -n 2 -o "$scratch/t" -- --seed 3 -r 2 &&
		merge "$scratch/t" --missing |
		xargs -n 1 "$NEARFAR" run --shard &&
		run pointer-chase -x 4KiB:64KiB:2 --loads 256 --seed 3 -r 2 \
			-o "$scratch/t.csv" &&
		merge "$scratch/t" -o "$scratch/t2.csv" &&
		cmp "$scratch/t.csv" "$scratch/t2.csv" &&
		merge "$scratch/t" -f csv | cmp - "$scratch/t.csv"
}
check "a split is merged to one file of any format" together

again() { # the same plan is no other one; the file of a shard stays
	plan -n 3 -o "$scratch/split3" || return
	before=$(stat -c %i "$scratch/split3/2.json.gz")
	run --shard "$scratch/split3/2" 2>"$scratch/why" &&
		grep -q 'shard 2 is there' "$scratch/why" &&
		[ "$(stat -c %i "$scratch/split3/2.json.gz")" = "$before" ] ||
		return
	status 1 plan -n 4 -o "$scratch/split3" 2>"$scratch/why" &&
		grep -q 'is another plan' "$scratch/why"
}
check "what is done is not done again" again

# ---- interruptions ----

long="long pointer-chase -x 1MiB:4MiB:4 -r 8"
begin() { # a shard in the background, until two points are finished
	rm -rf "$scratch/long"
	echo "$long" | "$NEARFAR" plan - -n 1 -o "$scratch/long" || return
	"$NEARFAR" run -j 1 --shard "$scratch/long/1" $1 2>"$scratch/said1" &
	child=$!
	until [ "$(cat ${2:-$scratch/long/1.0.journal} 2>/dev/null |
		wc -l)" -ge 3 ]; do
		kill -0 $child || return
		sleep 0.05
	done
}
ended() { # SIGNAL STATUS
	kill -"$1" $child
	wait $child
	[ $? = "$2" ] && [ ! -e "$scratch/long/1.json.gz" ]
}
goes_on() {
	run --shard "$scratch/long/1" $1 2>"$scratch/why" &&
		grep -q 'finished points come from the journal' "$scratch/why" &&
		[ "$(ls "$scratch/long")" = "1.json.gz
plan.json" ] || return
	[ -e "$scratch/long.json" ] || run ${long#long } -o "$scratch/long.json"
	merge "$scratch/long" -o "$scratch/long2.json" &&
		cmp "$scratch/long.json" "$scratch/long2.json"
}
killed() { begin '' && ended KILL 137 && goes_on ''; }
check "after SIGKILL a shard goes on" killed

stopped() { # and somebody else finds the journal locked meanwhile
	begin '' || return
	status 1 run --shard "$scratch/long/1" 2>"$scratch/why" &&
		grep -q 'is being written' "$scratch/why" || return
	ended TERM 130 && grep -q 'goes on from here' "$scratch/said1" &&
		goes_on ''
}
check "after SIGTERM, too; two at a time do no harm" stopped

scratched() { # journals on a disk of the node
	mkdir "$scratch/local"
	begin "--scratch $scratch/local" "$scratch/local/*.journal" &&
		ended KILL 137 &&
		[ "$(ls "$scratch/long")" = plan.json ] &&
		goes_on "--scratch $scratch/local" &&
		[ -z "$(ls "$scratch/local")" ]
}
check "journals stand in --scratch" scratched

# ---- what is missing ----

missing() {
	split=$scratch/split11
	mkdir "$scratch/away" && mv "$split/2.json.gz" "$split/7.json.gz" \
		"$split/8.json.gz" "$scratch/away" || return
	status 1 merge "$split" -o "$scratch/m.json" 2>"$scratch/why" &&
		grep -Eq '3 of 11 shards are missing, with [0-9]+ of 62 points: 2, 7 to 8;' \
			"$scratch/why" && [ ! -e "$scratch/m.json" ] || return
	merge "$split" --missing >"$scratch/list" &&
		printf "$split/%s\n" 2 7 8 | cmp - "$scratch/list" &&
		merge "$split" --partial -o "$scratch/m.json" \
			2>"$scratch/why" &&
		grep -q '3 of 11 shards are missing' "$scratch/why" || return
	points=$(grep -c '{"x"' "$scratch/m.json")
	[ "$points" -gt 30 ] && [ "$points" -lt 62 ]
}
check "what is missing is named; --partial goes without" missing

apart() { # folders of nodes that share none
	mkdir "$scratch/node" &&
		cp "$scratch/split11/plan.json" "$scratch/away"/* \
			"$scratch/split11/1.json.gz" "$scratch/node" &&
		merge "$scratch/split11" "$scratch/node" \
			--rows "$scratch/joined" &&
		diff -r "$scratch/one" "$scratch/joined" || return
	status 1 merge "$scratch/split11" "$scratch/split3" 2>"$scratch/why" &&
		grep -q 'is another plan than' "$scratch/why"
}
check "folders with one plan are one split" apart

nothing() {
	echo 'a pointer-chase -x 150GiB,200GiB' |
		"$NEARFAR" plan - -o "$scratch/none" &&
		run --shard "$scratch/none/1" &&
		run --shard "$scratch/none/2" || return
	status 1 merge "$scratch/none" -o "$scratch/none.json" \
		2>"$scratch/why" &&
		grep -q 'all 2 points were skipped' "$scratch/why" &&
		[ -e "$scratch/none.json" ]
}
check "nothing measured is a failure of merge, not of a shard" nothing

# ---- what disagrees ----

# spoil SED SENTENCE: shard 1 of three, changed, beside the whole split.
spoil() {
	rm -rf "$scratch/spoiled" && mkdir "$scratch/spoiled" &&
		cp "$scratch/split3/plan.json" "$scratch/spoiled" &&
		gzip -dc "$scratch/split3/1.json.gz" >"$scratch/before" &&
		sed "$1" "$scratch/before" >"$scratch/after" || return
	cmp -s "$scratch/before" "$scratch/after" && return 1
	gzip -c "$scratch/after" >"$scratch/spoiled/1.json.gz"
	status 1 merge "$scratch/split3" "$scratch/spoiled" \
		>"$scratch/out" 2>"$scratch/why" && cat "$scratch/why" &&
		grep -q "spoiled/1.json.gz'.*$2" "$scratch/why"
}
disagree() {
	spoil 's/"median": [0-9.]*/"median": 1.5/' \
		"disagrees with '.*split3/1.json.gz' in row 'chase': the point at footprint_bytes=4096 is there twice" &&
		spoil 's/"shard.build": "/&0/' 'is of another build' &&
		spoil 's/"shard.plan": "[0-9a-f]/"shard.plan": "x/' \
			'is of another plan' &&
		spoil 's/"shard.number": "1"/"shard.number": "2"/' \
			"does not fit its plan: 'shard.points'" &&
		spoil 's/"shard.number": "1"/"shard.number": "4"/' \
			"does not fit its plan: 'shard.number'" &&
		spoil 's/"shard.row": "chase"/"shard.row": "x"/' \
			"there is no row 'x'" &&
		spoil 's/"shard.series": "0"/"shard.series": "9"/' \
			"'shard.series' is '9'" &&
		spoil 's/"shard.points"/"points"/' 'is no file of a shard' &&
		spoil 's/"bench": "pointer-chase"/"bench": "x"/' \
			"'x' over footprint_bytes stands where 'pointer-chase'" &&
		spoil 's/"machine.digest": "./&x/' \
			'disagrees .*: its machine.digest is' &&
		spoil 's/"loads": "256"/"loads": "1"/' 'the options or the'
}
check "what disagrees is named" disagree

uuids() { # differ by right, unless one device was asked for
	spoil 's/"machine.digest"/"device.uuid": "GPU-2", &/' 'no, it does not' &&
		return 1
	merge "$scratch/split3" "$scratch/spoiled" -f json |
		grep -q '"device.uuid": "GPU-2"' || return
	status 1 merge "$scratch/split3" "$scratch/spoiled" --one-device \
		2>"$scratch/why" && grep -q 'its device.uuid is' "$scratch/why"
}
check "series of several GPUs name them" uuids

# ---- refusals ----

refuse() { # ROW SENTENCE
	printf '# x\n%s\n' "$1" >"$scratch/bad.txt"
	status 2 "$NEARFAR" plan "$scratch/bad.txt" -o "$scratch/bad" \
		2>"$scratch/why" && grep -q "bad.txt:[23]: .*$2" "$scratch/why" &&
		[ ! -e "$scratch/bad" ] ||
		{ echo "$1"; cat "$scratch/why"; return 1; }
}
rows_refused() {
	refuse 'a pointer-chase -o x.json' '--output does not go into a row' &&
		refuse 'a pointer-chase --resume' '--resume does not go' &&
		refuse 'a --kernel x.job' '--kernel does not go' &&
		refuse 'a pointer-chase -j 2' '--jobs does not go' &&
		refuse 'a pointer-chase --help' "has no option '--help'" &&
		refuse 'a pointer-chase --colour=3' "no option '--colour=3'" &&
		refuse 'a pointer-chase -x' 'its value is missing' &&
		refuse 'a pointer-chase -x 4KB,x' 'pointer-chase: -x' &&
		refuse 'a no-such-bench' "no bench 'no-such-bench'" &&
		refuse 'a' 'name a bench' &&
		refuse '../a pointer-chase' "the name '../a' must be" &&
		refuse '.a pointer-chase' "the name '.a' must be" &&
		refuse 'a pointer-chase -x 4KiB
a pointer-chase' "the name 'a' stands in line 2" || return
	status 2 "$NEARFAR" plan /dev/null -o "$scratch/bad" 2>"$scratch/why" &&
		grep -q 'has no rows' "$scratch/why"
}
check "rows that are none are refused, with their line" rows_refused

wrong() { # STATUS SENTENCE WORD...
	wanted=$1 sentence=$2
	shift 2
	status "$wanted" "$NEARFAR" "$@" 2>"$scratch/why" &&
		grep -q -- "$sentence" "$scratch/why" ||
		{ echo "$*"; cat "$scratch/why"; return 1; }
}
shards_refused() {
	f=$scratch/split3
	wrong 2 'has the shards 1 to 3, not 4' run --shard "$f/4" &&
		wrong 2 'has the shards 1 to 3, not 0' run --shard "$f/0" &&
		wrong 2 'is not DIR/N' run --shard "$f/x" &&
		wrong 2 'holds no split' run --shard "$scratch/1" &&
		wrong 2 'holds no split' merge "$scratch" &&
		wrong 2 'not a bench' run --shard "$f/1" pointer-chase &&
		wrong 2 'not --output' run --shard "$f/1" -o x.json &&
		wrong 2 'belongs to --shard' run pointer-chase --scratch . &&
		wrong 2 'goes without -o' merge "$f" --rows x -o y &&
		wrong 2 'folder of a split is needed' merge &&
		wrong 2 '-o DIR' plan "$suite" &&
		wrong 2 'from 1 to' plan "$suite" -n 0 -o x
}
check "shards that are none are refused" shards_refused

other_work() { # a plan of another build, and of a machine file that changed
	rm "$scratch/split1/1.json.gz" &&
		sed -i '/sm_count/s/4/6/' \
			"$scratch/m.yaml" || return
	sed 's/"build": "/&0/' "$scratch/split3/plan.json" \
		>"$scratch/node/plan.json" &&
		wrong 1 'made by another build' run --shard "$scratch/node/3" &&
		wrong 1 "row 'file' of .* is other work here" \
			run --shard "$scratch/split1/1"
}
check "a shard is run by the build and on the machine of its plan" other_work

plans_refused() { # a plan that is wrong says where
	spoiled_plan() {
		sed "$1" "$scratch/split1/plan.json" >"$scratch/node/plan.json" &&
			wrong 2 "$2" merge "$scratch/node"
	}
	spoiled_plan 's/plan\/1"/plan\/2"/' "'schema' is 'nearfar-plan/2'" &&
		spoiled_plan '0,/"first": 0/s//"first": 1/' \
			"'shards\[0\].parts\[0\].count' must be" &&
		spoiled_plan '0,/"count": [0-9]*/s//"count": 1/' \
			"'shards' hold [0-9]* points, but" &&
		spoiled_plan 's/"row": 1, "series": 0/"row": 0, "series": 0/' \
			'does not come after' &&
		spoiled_plan '0,/"work": "/s//&x/' "'rows\[0\].work' must be 16" &&
		spoiled_plan '0,/"points": [0-9]*/s//"points": -1/' \
			"'rows\[0\].series\[0\].points' must be"
}
check "a plan that is wrong says where" plans_refused

slurm() { # the script is a shell's, whatever the folder is called
	odd="$scratch/it's a \$(split)"
	plan -n 4 --slurm -o "$odd" && sh -n "$odd/slurm.sh" &&
		grep -qx '#SBATCH --array=1-4' "$odd/slurm.sh" &&
		SLURM_ARRAY_TASK_ID=2 sh "$odd/slurm.sh" &&
		[ -e "$odd/2.json.gz" ]
}
check "plan --slurm writes a job array" slurm

schema() {
	tests/schema/validate.py results/schema/plan.schema.json \
		"$scratch/split11/plan.json" &&
		gzip -dc "$scratch/split11/1.json.gz" >"$scratch/1.json" &&
		tests/schema/validate.py results/schema/series.schema.json \
			"$scratch/1.json" || return
	sed 's/"first": 0/"first": "0"/' "$scratch/split11/plan.json" \
		>"$scratch/p.json" && ! tests/schema/validate.py \
		results/schema/plan.schema.json "$scratch/p.json"
}
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	check "plans keep their schema" schema
else
	echo "ok cli: schema of plans # SKIP there is no python3-jsonschema"
fi
