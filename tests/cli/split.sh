#!/bin/sh
# A suite in parts: the bytes of one process, however many there are, and what is
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
merge() { "$NEARFAR" merge --suite "$suite" "$@"; }
part() { # K/N FOLDER OPTION...
	k=$1 folder=$2
	shift 2
	"$NEARFAR" run -j 1 --suite "$suite" --part "$k" -o "$folder" "$@"
}

pair() { # the list of a pair: all of its rows are legal on the model's
	"$NEARFAR" plan results/pair.txt -n 4 -- -b sim -m h200-sxm-x2
}
check "the list of a pair is a suite" pair

default() { # the program has the suite of results/
	"$NEARFAR" plan default -n 4 >"$scratch/default" &&
		"$NEARFAR" plan results/suite.txt -n 4 |
		cmp - "$scratch/default" &&
		"$NEARFAR" plan default -n 4 -- --nothing 2>&1 |
		grep -q "^nearfar: default:4: " &&
		"$NEARFAR" plan default -n 4 --slurm -o "$scratch/slurm" &&
		grep -q " run --suite 'default' --part " \
			"$scratch/slurm/slurm.sh"
}
check "the default suite is results/suite.txt" default

rows() { # one reader of suites: comments and blanks go, words stay
	printf '# a\n\n one\tpointer-chase  -x 4KiB\ntwo fit --from a\n' |
		"$NEARFAR" plan - --rows -- -r 1 >"$scratch/rows.txt" &&
		printf 'one pointer-chase -x 4KiB -r 1\ntwo fit --from a -r 1\n' |
		cmp - "$scratch/rows.txt" &&
		printf 'one a\none b\n' | "$NEARFAR" plan - --rows 2>&1 |
		grep -q "the name 'one' stands in line 1 already" &&
		status 2 "$NEARFAR" plan default --rows --slurm -o "$scratch/x"
}
check "a suite's rows are printed as they are read" rows

# Parts in any order, more than one at a time.
parts() { # COUNT OPTION...
	n=$1 split=$scratch/split$1
	shift
	seq "$n" -1 1 | xargs -P 2 -I{} "$NEARFAR" run -j 1 \
		--suite "$suite" --part "{}/$n" -o "$split" "$@" &&
		merge "$split" --into "$split/rows" &&
		diff -r "$scratch/one" "$split/rows" &&
		[ -z "$(find "$split" -name '*.journal')" ] &&
		[ -z "$(merge "$split" --missing)" ]
}
check "one part has the bytes of one process" parts 1
check "three parts, too" parts 3
check "eleven parts, too" parts 11
check "whole series, too" parts 5 --whole-series

uncut() { # of --whole-series, no series is in two parts
	gzip -dc "$scratch"/split5/*.json.gz >"$scratch/whole" &&
		[ "$(grep -c '"part.points"' "$scratch/whole")" = \
			"$(gzip -dc "$scratch"/one/*.gz | grep -c '"bench":')" ] &&
		grep -q '"part.of": "[1-5]/5 of series"' "$scratch/whole" &&
		gzip -dc "$scratch"/split3/*.json.gz |
		grep -q '"part.points": "[0-9]*,'
}
check "series are cut unless they shall be whole" uncut

planned() {
	plan -n 3 >"$scratch/plan.txt" &&
		grep -q '^62 points in 3 parts, of which 0 have none' \
			"$scratch/plan.txt" &&
		grep -q '^the dearest part costs [1-3][.]' "$scratch/plan.txt"
}
check "a plan says what parts cost" planned

together() { # one file, in any format, and words for each row
	printf 'a pointer-chase -x 4KiB:64KiB:2 --loads 256\n' >"$scratch/t.txt"
	for k in 1/2 2/2; do
		"$NEARFAR" run --suite "$scratch/t.txt" --part $k -o "$scratch/t" -- \
			--seed 3 -r 2 || return
	done
	run pointer-chase -x 4KiB:64KiB:2 --loads 256 --seed 3 -r 2 \
		-o "$scratch/t.csv" &&
		"$NEARFAR" merge --suite "$scratch/t.txt" \
			--words '--seed 3 -r 2' "$scratch/t" \
			-o "$scratch/t2.csv" &&
		cmp "$scratch/t.csv" "$scratch/t2.csv" &&
		"$NEARFAR" merge --suite "$scratch/t.txt" \
			--words '--seed 3 -r 2' "$scratch/t" -f csv |
		cmp - "$scratch/t.csv"
}
check "a suite is merged to one file of any format" together

again() { # the file of a part stays
	before=$(stat -c %i "$scratch/split3/2-of-3.json.gz")
	part 2/3 "$scratch/split3" 2>"$scratch/why" &&
		grep -q 'part 2 is there' "$scratch/why" &&
		[ "$(stat -c %i "$scratch/split3/2-of-3.json.gz")" = "$before" ]
}
check "what is done is not done again" again

grown() { # a suite that has got a row: the rest stays
	more=$scratch/split3.more
	{ echo 'more coalescing -x 8,16 --passes 4' && cat "$suite"; } \
		>"$scratch/grown.txt" && cp -r "$scratch/split3" "$more" ||
		return
	status 1 "$NEARFAR" merge --suite "$scratch/grown.txt" "$more" \
		-o "$scratch/grown.json" 2>"$scratch/why" &&
		grep -Eq 'with 2 of 64 points' "$scratch/why" || return
	for k in $("$NEARFAR" merge --suite "$scratch/grown.txt" "$more" \
		--missing); do
		"$NEARFAR" run -j 1 --suite "$scratch/grown.txt" --part "$k" \
			-o "$more" 2>"$scratch/why" &&
			[ "$(sed -n 's/^nearfar: \([0-9]*\) finished.*file$/+ \1/p' \
				"$scratch/why" | xargs expr 0)" = \
				"$(gzip -dc "$scratch/split3/${k%/3}-of-3.json.gz" |
					grep -c '{"x"')" ] || return
	done
	"$NEARFAR" merge --suite "$scratch/grown.txt" "$more" \
		--into "$scratch/grown" && rm "$scratch/grown/more.json.gz" &&
		diff -r "$scratch/one" "$scratch/grown"
}
check "a suite that has grown runs its new points alone" grown

# ---- interruptions ----

cat >"$scratch/long.txt" <<SUITE
long pointer-chase -x 1MiB:4MiB:4 -r 8
then pointer-chase -x 4KiB --loads 256 --chunk 64
SUITE
long() { # OPTION...
	"$NEARFAR" run -j 1 --suite "$scratch/long.txt" -o "$scratch/long" "$@"
}
begin() { # a part in the background, until two points are finished
	rm -rf "$scratch/long"
	"$NEARFAR" run -j 1 --suite "$scratch/long.txt" -o "$scratch/long" $1 \
		2>"$scratch/said1" &
	child=$!
	until [ "$(cat ${2:-$scratch/long/1-of-1.long.journal} 2>/dev/null |
		wc -l)" -ge 3 ]; do
		kill -0 $child || return
		sleep 0.05
	done
}
ended() { # SIGNAL STATUS
	kill -"$1" $child
	wait $child
	[ $? = "$2" ] && [ ! -e "$scratch/long/1-of-1.json.gz" ]
}
goes_on() {
	long $1 2>"$scratch/why" &&
		grep -q 'finished points come from the journal' "$scratch/why" &&
		[ "$(ls "$scratch/long")" = "1-of-1.json.gz" ] || return
	[ -e "$scratch/long.json" ] || run pointer-chase -x 1MiB:4MiB:4 -r 8 \
		-o "$scratch/long.json"
	"$NEARFAR" merge --suite "$scratch/long.txt" "$scratch/long" \
		--into "$scratch/long2" &&
		gzip -dc "$scratch/long2/long.json.gz" |
		cmp - "$scratch/long.json"
}
killed() { begin '' && ended KILL 137 && goes_on ''; }
check "after SIGKILL a part goes on" killed

stopped() { # and somebody else finds the journal locked meanwhile
	begin '' || return
	status 1 long 2>"$scratch/why" &&
		grep -q 'is being written' "$scratch/why" &&
		[ "$(ls "$scratch/long")" = 1-of-1.long.journal ] || return
	ended TERM 130 && grep -q 'goes on from here' "$scratch/said1" &&
		goes_on ''
}
check "after SIGTERM, too; two at a time do no harm" stopped

preceded() { # by a row that the suite has got meanwhile
	begin '' && ended TERM 130 &&
		sed -i '1s/.*/first pointer-chase -x 8KiB --loads 256 --chunk 64\n&/' \
			"$scratch/long.txt" && goes_on ''
}
check "a journal is of its row, wherever that stands in the suite" preceded

scratched() { # journals on a disk of the node
	mkdir "$scratch/local"
	begin "--scratch $scratch/local" "$scratch/local/*.journal" &&
		ended KILL 137 && [ -z "$(ls "$scratch/long")" ] &&
		goes_on "--scratch $scratch/local" &&
		[ -z "$(ls "$scratch/local")" ]
}
check "journals stand in --scratch" scratched

# ---- what is missing ----

missing() {
	split=$scratch/split11
	mkdir "$scratch/away" && mv "$split"/2-of-11.json.gz \
		"$split"/7-of-11.json.gz "$split"/8-of-11.json.gz \
		"$scratch/away" || return
	status 1 merge "$split" -o "$scratch/m.json" 2>"$scratch/why" &&
		grep -Eq '3 of 11 parts are missing, with [0-9]+ of 62 points: 2, 7 to 8;' \
			"$scratch/why" && [ ! -e "$scratch/m.json" ] || return
	merge "$split" --missing >"$scratch/list" &&
		printf "%s/11\n" 2 7 8 | cmp - "$scratch/list" &&
		merge "$split" --partial -o "$scratch/m.json" \
			2>"$scratch/why" &&
		grep -q '3 of 11 parts are missing' "$scratch/why" || return
	points=$(grep -c '{"x"' "$scratch/m.json")
	[ "$points" -gt 30 ] && [ "$points" -lt 62 ]
}
check "what is missing is named; --partial goes without" missing

apart() { # folders of nodes that share none
	merge "$scratch/split11" "$scratch/away" --into "$scratch/joined" &&
		diff -r "$scratch/one" "$scratch/joined"
}
check "folders with one suite are joined" apart

nothing() {
	echo 'a pointer-chase -x 150GiB,200GiB' >"$scratch/none.txt"
	"$NEARFAR" run --suite "$scratch/none.txt" -o "$scratch/none" || return
	status 1 "$NEARFAR" merge --suite "$scratch/none.txt" "$scratch/none" \
		-o "$scratch/none.json" 2>"$scratch/why" &&
		grep -q 'all 2 points were skipped' "$scratch/why" &&
		[ -e "$scratch/none.json" ]
}
check "nothing measured is a failure of merge, not of a part" nothing

# ---- what disagrees ----

# spoil SED SENTENCE: part 1 of three, changed, beside all of them.
spoil() {
	rm -rf "$scratch/spoiled" && mkdir "$scratch/spoiled" &&
		gzip -dc "$scratch/split3/1-of-3.json.gz" >"$scratch/before" &&
		sed "$1" "$scratch/before" >"$scratch/after" || return
	cmp -s "$scratch/before" "$scratch/after" && return 1
	gzip -c "$scratch/after" >"$scratch/spoiled/1-of-3.json.gz"
	status 1 merge "$scratch/split3" "$scratch/spoiled" \
		>"$scratch/out" 2>"$scratch/why" && cat "$scratch/why" &&
		grep -q "spoiled/1-of-3.json.gz'.*$2" "$scratch/why"
}
disagree() {
	spoil 's/"median": [0-9.]*/"median": 1.5/' \
		"disagrees with '.*split3/1-of-3.json.gz' in row '.*': the point at .* is there twice" &&
		spoil 's/"part.build": "/&0/' 'is of another build' &&
		spoil 's/"part.of": "1/"part.of": "2/' \
			"does not fit its suite: 'part.points'" &&
		spoil 's/"part.of": "1/"part.of": "4/' \
			"does not fit its suite: 'part.of'" &&
		spoil 's/"part.row": "chase"/"part.row": "x"/' \
			"there is no row 'x'" &&
		spoil 's/"part.work": "[0-9a-f]/"part.work": "x/' \
			'is other work here' &&
		spoil 's/"part.series": "0"/"part.series": "9"/' \
			"'part.series' is '9'" &&
		spoil 's/"part.points"/"points"/' 'is no file of a part' &&
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
	status 2 "$NEARFAR" run --suite "$scratch/bad.txt" -o "$scratch/bad" \
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
	status 2 "$NEARFAR" plan /dev/null 2>"$scratch/why" &&
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
parts_refused() {
	for k in 4/3 0/3 x 1/ 1/0 1/100001; do
		wrong 2 "'$k' is not K/N" run --suite "$suite" --part $k \
			-o "$scratch/x" || return
	done
	wrong 2 'needs a folder' run --suite "$suite" &&
		wrong 2 'goes into them' run --suite "$suite" -o x --seed 2 &&
		wrong 2 '--op goes into them' run --suite "$suite" -o x \
			--op ld.ca &&
		wrong 2 '--force does not go with --suite' run \
			--suite "$suite" -o x --force &&
		wrong 2 'would overwrite' merge --suite "$suite" x \
			-o "$suite" &&
		set -- "$scratch"/split1/*.json.gz &&
		wrong 2 'would overwrite' merge --suite "$suite" \
			"$scratch/split1" -o "$1" &&
		wrong 2 'belongs to --suite' run pointer-chase --scratch . &&
		wrong 2 'goes without -o' merge --suite "$suite" x --into x \
			-o y &&
		wrong 2 'folder of the parts is needed' merge &&
		wrong 2 'the suite of the parts is needed' merge x &&
		wrong 2 "cannot read the folder 'x'" merge --suite "$suite" x &&
		wrong 2 '-o DIR' plan "$suite" --slurm &&
		wrong 2 'the folder of --slurm' plan "$suite" -o x &&
		wrong 2 'must lie between 1' plan "$suite" -n 0
}
check "parts that are none are refused" parts_refused

other_work() { # a machine file that changed
	sed -i '/sm_count/s/4/6/' "$scratch/m.yaml" || return
	wrong 1 "row 'file' is other work here" merge --suite "$suite" \
		"$scratch/split1" -o "$scratch/x.json" &&
		wrong 1 'remove the file to run the part again' run \
			--suite "$suite" -o "$scratch/split1" || return
	sed -i '/sm_count/s/6/4/' "$scratch/m.yaml"
}
check "points of other work are not taken" other_work

slurm() { # the script is a shell's, whatever the folder is called
	odd="$scratch/it's a \$(split)"
	plan -n 4 --slurm -o "$odd" && sh -n "$odd/slurm.sh" &&
		grep -qx '#SBATCH --array=1-4' "$odd/slurm.sh" &&
		SLURM_ARRAY_TASK_ID=2 sh "$odd/slurm.sh" &&
		[ -e "$odd/2-of-4.json.gz" ]
}
check "plan --slurm writes a job array" slurm

schema() {
	gzip -dc "$scratch/split3/1-of-3.json.gz" >"$scratch/1.json" &&
		tests/schema/validate.py results/schema/series.schema.json \
			"$scratch/1.json"
}
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	check "parts keep the schema of series" schema
else
	echo "ok cli: schema of parts # SKIP there is no python3-jsonschema"
fi
