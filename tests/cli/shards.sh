#!/bin/sh
# A fit in parts: the bytes of one process, however many there are and whatever
# becomes of them.
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
check "one process fits" one

plan() { # FOLDER: its suite beside it
	rm -rf "$1" && echo one fit $words --errors "$1.csv" >"$1.suite"
}
part() { # FOLDER K N
	"$NEARFAR" run -j 1 --suite "$1.suite" --part "$2/$3" -o "$1"
}
merge() { # FOLDER OPTION...
	folder=$1
	shift
	"$NEARFAR" merge --suite "$folder.suite" "$folder" "$@"
}

same() { # FOLDER: what it gives is what one process gave
	merge "$1" -o "$1.yaml" >"$1.txt" &&
		cmp "$1.txt" "$scratch/one.txt" &&
		cmp "$1.csv" "$scratch/one.csv" || return
	grep -v '^name:' "$scratch/one.yaml" >"$scratch/parameters"
	grep -v '^name:' "$1.yaml" | cmp - "$scratch/parameters"
}
runs() { cat "$1"/one-of-*/*.journal | grep -c settings; }

together() { # PARTS
	plan "$scratch/s$1" || return
	seq "$1" | xargs -P 3 -I{} "$NEARFAR" run -j 1 \
		--suite "$scratch/s$1.suite" --part "{}/$1" \
		-o "$scratch/s$1" && same "$scratch/s$1"
}
check "one part has the bytes of one process" together 1
check "two parts, too" together 2
check "three parts, too" together 3

dealt() { # a point is run by one of them, but for beginnings and ends
	[ "$(runs "$scratch/s1")" -gt 50 ] &&
		[ "$(runs "$scratch/s3")" -lt \
			$((2 * $(runs "$scratch/s1"))) ] &&
		[ "$(ls "$scratch"/s3/one-of-3/*.journal | wc -l)" = 3 ]
}
check "parts share the points" dealt

alone() { # two of three never begin
	plan "$scratch/alone" && part "$scratch/alone" 2 3 &&
		[ "$(runs "$scratch/alone")" = "$(runs "$scratch/s1")" ] &&
		same "$scratch/alone"
}
check "a part alone runs what nobody else does" alone

again() { # what is done is not done again
	before=$(runs "$scratch/s2")
	part "$scratch/s2" 1 2 && part "$scratch/s2" 2 2 &&
		[ "$(runs "$scratch/s2")" = "$before" ]
}
check "parts that are done run nothing" again

early() {
	plan "$scratch/early" || return
	mkdir -p "$scratch/early/one-of-2"
	status 1 merge "$scratch/early" -o "$scratch/early.yaml" \
		2>"$scratch/why" && [ ! -e "$scratch/early.yaml" ] &&
		grep -q "is not at its end: .* --part 1/2 to 2/2" \
			"$scratch/why" || return
	rmdir "$scratch/early/one-of-2"
	status 1 merge "$scratch/early" -o "$scratch/early.yaml" \
		2>"$scratch/why" && grep -q 'no part of the fit' "$scratch/why" &&
		mkdir "$scratch/early/one-of-2" "$scratch/early/one-of-3" ||
		return
	status 1 merge "$scratch/early" -o "$scratch/early.yaml" \
		2>"$scratch/why" && grep -q 'in several numbers' "$scratch/why"
}
check "a machine before the end is refused" early

# A part that is stopped as soon as it has run some points; the first is there.
begin() { # FOLDER PARTS
	journal=$1/one-of-$2/1.journal
	"$NEARFAR" run -j 1 --suite "$1.suite" --part "1/$2" -o "$1" \
		2>"$scratch/said1" &
	child=$!
	until [ "$(cat "$journal" 2>/dev/null | wc -l)" -gt 8 ]; do
		kill -0 $child || return
		sleep 0.01
	done
}
killed() { # while it is stopped the other one waits, and goes on without it
	plan "$scratch/killed" && begin "$scratch/killed" 2 || return
	kill -STOP $child
	"$NEARFAR" run -j 1 --suite "$scratch/killed.suite" --part 2/2 \
		-o "$scratch/killed" &
	other=$!
	sleep 0.3
	kill -0 $other || return # it cannot be at its end
	kill -KILL $child
	wait $other && same "$scratch/killed"
}
check "the share of a part that is killed is run by another" killed

resumed() { # with a line that was torn
	printf '{"check": "00' >>"$scratch/killed/one-of-2/1.journal"
	before=$(runs "$scratch/killed")
	part "$scratch/killed" 1 2 2>"$scratch/why" &&
		grep -q 'was torn' "$scratch/why" &&
		[ "$(runs "$scratch/killed")" = "$before" ] &&
		same "$scratch/killed"
}
check "a part that was killed goes on" resumed

stopped() { # and nobody else runs it meanwhile
	plan "$scratch/stopped" && begin "$scratch/stopped" 1 || return
	kill -STOP $child
	status 1 part "$scratch/stopped" 1 1 2>"$scratch/why" &&
		grep -q 'is being written' "$scratch/why" || return
	kill -TERM $child
	kill -CONT $child
	status 130 wait $child && part "$scratch/stopped" 1 1 &&
		same "$scratch/stopped"
}
check "a part that is stopped ends with 130 and goes on" stopped

hostile() { # another's journal that is damaged, or of other work
	plan "$scratch/hostile" && mkdir -p "$scratch/hostile/one-of-2" || return
	theirs=hostile/one-of-2/1.journal
	sed '3s/"point": /&9/' "$scratch/s2/one-of-2/1.journal" \
		>"$scratch/$theirs"
	status 2 part "$scratch/hostile" 2 2 2>"$scratch/why" &&
		grep -q "$theirs:[0-9]*: the journal is damaged" \
			"$scratch/why" || return
	printf 'machine\n' >"$scratch/$theirs"
	status 2 part "$scratch/hostile" 2 2 2>"$scratch/why" &&
		grep -q "$theirs' is no journal" "$scratch/why" || return
	status 2 merge "$scratch/hostile" -o "$scratch/hostile.yaml" \
		2>"$scratch/why" &&
		grep -q "$theirs' is no journal" "$scratch/why"
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
	row() { # SENTENCE WORD...
		sentence=$1
		shift
		echo "a fit $*" >"$scratch/row.txt"
		wrong 2 "$sentence" plan "$scratch/row.txt"
	}
	t="--from $scratch/t.json"
	row 'is to files (--from FILE)' '' &&
		row "'x.txt' is no option" x.txt &&
		row "'nearfar merge' writes the machine" $t -o x.yaml &&
		row "nearfar run --suite' says it" $t -j 2 &&
		row 'a journal of its own' $t --state x &&
		row 'need a number of evaluations' $t --budget 10s &&
		row "no parameter that can be fitted is 'x'" $t --free x ||
		return
	f=$scratch/s2
	wrong 2 'needs a file' merge --suite "$f.suite" "$f" &&
		wrong 2 'needs a file' merge --suite "$f.suite" "$f" \
			-o x.json &&
		wrong 2 'the target' merge --suite "$f.suite" "$f" \
			-o "$scratch/t.json.yaml"
}
ln -s "$scratch/t.json" "$scratch/t.json.yaml"
check "what is no fit in parts is refused" refused

beside() { # a fit and a bench in one suite
	cat >"$scratch/both.suite" <<-SUITE
		one fit $(echo $words)
		chase pointer-chase -m $small -x 4KiB,64KiB --loads 256
	SUITE
	for k in 1 2; do
		part "$scratch/both" $k 2 || return
	done
	wrong 2 'go into a folder' merge --suite "$scratch/both.suite" \
		"$scratch/both" -o "$scratch/both.json" &&
		[ ! -e "$scratch/both.json" ] &&
		merge "$scratch/both" --into "$scratch/both.out" \
			>"$scratch/both.txt" &&
		grep -v '^name:' "$scratch/both.out/one.yaml" |
		cmp - "$scratch/parameters" &&
		[ -s "$scratch/both.out/chase.json.gz" ]
}
check "fits and benches stand in one suite" beside

slurm() {
	plan "$scratch/slurm" &&
		"$NEARFAR" plan "$scratch/slurm.suite" -n 2 --slurm \
			-o "$scratch/slurm" &&
		grep -qx '#SBATCH --array=1-2' "$scratch/slurm/slurm.sh" &&
		SLURM_ARRAY_TASK_ID=2 sh "$scratch/slurm/slurm.sh" &&
		same "$scratch/slurm"
}
check "plan --slurm writes a job array" slurm
