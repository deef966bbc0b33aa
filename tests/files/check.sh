#!/bin/sh
# What happens to files: outputs, journals, and what signals leave of them.
# environment: NEARFAR
set -u
export LC_ALL=C NO_COLOR=1
unset SOURCE_DATE_EPOCH CUDA_VISIBLE_DEVICES
nearfar=$(realpath "$NEARFAR")
here=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
small=$scratch/small.yaml # a word, wherever the project stands
cp "$here/tests/golden/machines/small.yaml" "$small"

# check NAME COMMAND...: the command succeeds, in an empty folder.
check() {
	name=$1
	shift
	rm -rf "$scratch/work" && mkdir "$scratch/work" &&
		cd "$scratch/work" || exit 1
	if "$@" >"$scratch/said" 2>&1; then
		echo "ok files: $name"
	else
		echo "not ok files: $name"
		head -n 10 "$scratch/said" | sed 's/^/  /'
	fi
}

# status WANTED COMMAND...: its sentence goes to the file `sentence`.
status() {
	wanted=$1
	shift
	"$@" 2>sentence
	got=$?
	cat sentence >&2
	[ $got = "$wanted" ] || { echo "status $got, not $wanted" >&2; false; }
}

says() { # that text, in one line
	[ "$(grep -c '^nearfar: ' sentence)" = 1 ] && grep -qF -- "$1" sentence ||
		{ echo "it does not say: $1" >&2; false; }
}

# A test writes over what the one before it has left.
run() { "$nearfar" run "$@" --force; }
quick() { run pointer-chase -m "$small" -x 4KiB,64KiB -j 1 "$@"; }
quick -f json >"$scratch/quick.json"
same() { cmp "$1" "$scratch/quick.json"; }
inode() { stat -c %i "$1"; }
only() { # these files and no others are here
	ls -A | tr '\n' ' ' | grep -qx "$* " || { ls -lA; false; }
}

# ---- outputs ----

links() {
	echo old >real.json && ln -s real.json link.json &&
		ln -s not-yet.json dangling.json &&
		quick -o link.json && quick -o dangling.json || return
	[ -L link.json ] && [ -L dangling.json ] && same real.json &&
		same not-yet.json &&
		only dangling.json link.json not-yet.json real.json
}
check "symbolic links are followed and stay" links

names() {
	echo 'much longer than what is written: no' >a.json && ln a.json b.json
	before=$(inode a.json)
	quick -o a.json && same a.json && same b.json || return
	[ "$(inode a.json)" = "$before" ] && only a.json b.json
}
check "a file with two names keeps both" names

modes() {
	echo old >a.json && chmod 600 a.json && quick -o a.json &&
		same a.json && [ "$(stat -c %a a.json)" = 600 ] || return
	(umask 027 && quick -o b.json) && [ "$(stat -c %a b.json)" = 640 ]
}
check "a file keeps its mode, a new one has the mask's" modes

owner() {
	[ "$(id -u)" = 0 ] || return 0
	echo old >a.json && chown 12345:23456 a.json && quick -o a.json &&
		same a.json && [ "$(stat -c %u:%g a.json)" = 12345:23456 ]
}
check "a file keeps its owner" owner

unwritable() {
	[ "$(id -u)" != 0 ] || return 0
	echo old >a.json && chmod 400 a.json &&
		status 1 quick -o a.json && says 'Permission denied' &&
		[ "$(cat a.json)" = old ]
}
check "a file that is not writable stays" unwritable

fifo() {
	mkfifo pipe && { cat pipe >got & } && quick -f json -o pipe && wait &&
		same got && [ -p pipe ] && only got pipe
}
check "a pipe is written, not replaced" fifo

stdout() {
	echo old >a && quick -f json -o /dev/stdout >>a &&
		[ "$(head -n 1 a)" = old ] && tail -n +2 a >b && same b || return
	quick -f json -o /dev/fd/1 | cmp - "$scratch/quick.json"
}
check "/dev/stdout is standard output, wherever it leads" stdout

full() {
	[ -e /dev/full ] || return 0
	for f in json csv; do
		status 1 quick -f $f -o /dev/full &&
			says 'No space left on device' &&
			status 1 quick -f $f --raw /dev/full &&
			says 'No space left on device' || return
	done
	only sentence
}
check "a full disk is said" full

closed() {
	status 1 quick >&- && says 'cannot write' &&
		quick -o a.json >&- && same a.json
}
check "a closed standard output is an error, and no file's place" closed

folder() {
	mkdir d && status 1 quick -o d && says 'Is a directory' &&
		status 1 quick -o none/a && says 'No such file' &&
		only d sentence
}
check "what cannot be written is said before anything runs" folder

# ---- inputs stay ----

# refused FILE COMMAND...: with status 2, and the file is as it was.
refused() {
	file=$1
	shift
	before=$(cksum <"$file")
	status 2 "$nearfar" "$@" && grep -Eq 'would overwrite|are one file' \
		sentence && [ "$(cksum <"$file")" = "$before" ]
}
inputs() {
	cp "$small" m.yaml && cp "$here/tests/golden/programs/small.txt" p.txt &&
		quick -o s.json && ln -s s.json l.json && mkdir d &&
		cp p.txt d && touch new.json && ln -s m.yaml m.json || return
	refused m.yaml run pointer-chase -x 4KiB -m m.yaml -o m.json &&
		refused m.yaml run pointer-chase -x 4KiB -m m.yaml --raw m.yaml &&
		refused p.txt run --program p.txt -o ./p.txt &&
		refused d/p.txt run --program d -o d/p.txt &&
		refused new.json run pointer-chase -x 4KiB -o new.json \
			--raw new.json &&
		refused s.json table s.json -o l.json &&
		refused s.json table s.json s.json -o s.json &&
		refused m.yaml export gpgpusim ./m.yaml -o m.yaml &&
		refused s.json import s.json -o d/../s.json &&
		refused s.json fit --from s.json -o a.yaml \
			--state s.json &&
		refused s.json fit --from s.json -o a.yaml \
			--errors l.json &&
		refused m.yaml fit --nearest m.yaml --from s.json -o m.yaml ||
		return
	# The same place, though nothing is there yet.
	status 2 run pointer-chase -x 4KiB -o a.json --raw ./a.json &&
		says 'one file' && status 2 run pointer-chase -x 4KiB \
		-o a.json --raw a.json.journal && [ ! -e a.json ]
}
check "no input and no other output is overwritten" inputs

# ---- the journal ----

# A quick point, and one that takes minutes.
cat >"$scratch/quick.txt" <<'END'
nearfar-program 1
name quick
seed 1
buffer ring bytes=1MiB fill=ring slot=128 order=shuffle
launch measure
  role chase sms=0:1 threads=1 lanes=1
    repeat 1000 time=region region=measure
      ld.global.cg.b64 [ring chase]
    end
END
sed 's/name quick/name slow/
	s/repeat 1000 .*/repeat 100000 time=region region=measure\nrepeat 100000/
	s/end/end\nend/' "$scratch/quick.txt" >"$scratch/slow.txt"
sed 's/name quick/name third/' "$scratch/quick.txt" >"$scratch/third.txt"

# lines FILE COUNT: waits until the file has so many, while $child lives.
lines() {
	until [ "$(wc -l 2>/dev/null <"$1" || echo 0)" -ge "$2" ]; do
		kill -0 $child 2>/dev/null || return
		sleep 0.02
	done
}
# begin SIGNAL: the first of two programs is finished, the second is under way.
# Under nohup a shell's children ignore SIGHUP, which it cannot undo itself.
begin() {
	(ulimit -t 100 && exec env --default-signal=HUP "$nearfar" run \
		--program "$scratch/quick.txt" "$scratch/slow.txt" \
		-j 1 -o out.json 2>sentence) &
	child=$!
	lines out.json.journal 2 || return
	kill -"$1" $child
	wait $child
	ended=$?
}

stopped() {
	begin "$1" && [ $ended = 130 ] && says '1 of 2 points were finished' &&
		says "--resume goes on from 'out.json.journal'" &&
		"$nearfar" show -f csv out.json | grep -q '^0,' &&
		only out.json out.json.journal sentence
}
for signal in INT TERM HUP; do
	check "SIG$signal during a long point: 130, the finished one is saved" \
		stopped $signal
done


# What was measured is not written over by words that are said twice.
kept() {
	small_run="run pointer-chase -x 4KiB"
	"$nearfar" $small_run -o once.json && cp once.json before &&
		status 2 "$nearfar" $small_run -o once.json &&
		says "-o: 'once.json' is there already: --force writes over" &&
		status 2 "$nearfar" $small_run --raw once.json &&
		says "--raw: 'once.json' is there already" &&
		cmp once.json before &&
		"$nearfar" $small_run --seed 2 -o once.json --force &&
		! cmp -s once.json before && : >empty.csv &&
		"$nearfar" $small_run -o empty.csv && [ -s empty.csv ] &&
		"$nearfar" $small_run -o /dev/null
}
check "a file that is there is written over with --force alone" kept

# Killed while points are left; the rest is resumed.
twelve="pointer-chase -m $small --op ld.cg --loads 65536
	-x 4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB,2MiB,4MiB,8MiB"
killed() {
	"$nearfar" run $twelve -j 1 -o out.json &
	child=$!
	lines out.json.journal "$1"
	kill -KILL $child
	wait $child
	[ ! -e out.json ] && [ -e out.json.journal ]
}
run $twelve -f json >"$scratch/twelve.json"
resumed() {
	killed 4 && run $twelve -o out.json --resume 2>said &&
		cmp out.json "$scratch/twelve.json" &&
		grep -q 'finished points come from the journal' said || return
	rm said && only out.json
}
hung_up() { # as nohup does it
	(trap '' HUP && exec "$nearfar" run $twelve -j 1 -o out.json) &
	child=$!
	lines out.json.journal 3
	kill -HUP $child
	wait $child && cmp out.json "$scratch/twelve.json"
}
check "a SIGHUP that was to be ignored is ignored" hung_up

check "after SIGKILL --resume gives the bytes of a whole run" resumed

torn() {
	killed 6 && size=$(head -n 5 out.json.journal | wc -c) &&
		truncate -s $((size - 7)) out.json.journal &&
		run $twelve -o out.json --resume 2>said &&
		cmp out.json "$scratch/twelve.json" || return
	grep -q 'was torn' said && grep -q '^nearfar: 3 finished points' said
}
check "a torn last line is dropped with a word" torn

# spoiled SCRIPT: the journal that sed makes is refused and stays.
spoiled() {
	sed "$1" whole >out.json.journal && cp out.json.journal before
	status 2 run $twelve -o out.json --resume && says "$2" &&
		cmp out.json.journal before && [ ! -e out.json ]
}
damaged() {
	killed 7 && mv out.json.journal whole || return
	spoiled '4s/"median": ./"median": 7/' ':4: the journal is damaged' &&
		spoiled '4p' ':5: the journal is damaged' &&
		spoiled '4d' ':4: the journal is damaged' &&
		spoiled '3{h;d};4{G}' ':3: the journal is damaged' &&
		spoiled '4s/$/x/' ':4: the journal is damaged' &&
		spoiled '$p' 'the journal is damaged' &&
		spoiled '1s/check/chock/' 'is no journal'
}
check "a damaged, doubled, lost or moved line is refused" damaged

stranger() {
	echo 'my notes' >out.json.journal
	status 2 run $twelve -o out.json && says 'is no journal of nearfar' &&
		status 2 run $twelve -o out.json --resume &&
		[ "$(cat out.json.journal)" = 'my notes' ] && [ ! -e out.json ]
}
check "another's file with a journal's name is left alone" stranger

other() {
	killed 3 && cp out.json.journal before || return
	for words in '--seed 2' '-r 2' '-w 1' '-x 4KiB' --no-samples \
		'--op ld.ca' '-m h200-sxm' '--set l2_near_cycles=300'; do
		status 2 run $twelve $words -o out.json --resume &&
			says 'belongs to other work' &&
			cmp out.json.journal before || return
	done
	status 2 run $twelve -o out.json && says '--resume goes on with it' &&
		cmp out.json.journal before
}
check "a journal goes on with its own work alone, and is not begun anew" other

locked() {
	"$nearfar" run --program "$scratch/quick.txt" "$scratch/slow.txt" -j 1 \
		-o out.json 2>/dev/null &
	child=$!
	lines out.json.journal 2
	ln -s out.json other.json
	status 1 quick -o out.json && says 'is being written by another' &&
		status 1 quick -o other.json --resume &&
		says 'is being written by another'
	refused=$?
	kill -TERM $child
	wait $child
	return $refused
}
check "nobody else writes the same output" locked

needs_output() {
	status 2 quick --resume && says '--resume needs the file' &&
		status 2 quick --resume -o - && status 2 quick --resume -o /dev/null
}
check "--resume needs a file" needs_output

nothing() { # all skipped: nothing is measured, and that is written
	status 1 quick --sm 500 -o a.json && says 'nothing was measured' &&
		grep -q skipped a.json && only a.json sentence
}
check "nothing measured is a failure" nothing

# ---- the state of a calibration, which is a journal, too ----

run pointer-chase -m "$small" --set l2_near_cycles=311 --op ld.cg \
	-x 64KiB,128KiB --loads 512 --chunk 64 -o "$scratch/target.json"
fit() {
	"$nearfar" fit --nearest "$small" --from "$scratch/target.json" \
		--free l2_near_cycles --budget 3 -j 1 -o out.yaml "$@"
}

users_state() {
	echo '{"mine": 1}' >out.yaml.state.json
	status 2 fit && says 'is no journal of nearfar' &&
		[ "$(cat out.yaml.state.json)" = '{"mine": 1}' ] &&
		[ ! -e out.yaml ]
}
check "another's file with the name of a state is left alone" users_state

doubled() {
	fit --state state >first && cp state whole && cp out.yaml first.yaml &&
		fit --state state >second && cmp state whole &&
		cmp first second && cmp out.yaml first.yaml || return
	sed 3p whole >state && status 2 fit --state state &&
		says ':4: the journal is damaged' && sed 3p whole | cmp - state
}
check "a state with a doubled outcome is refused" doubled

torn_state() {
	fit --state state >first && cp state whole &&
		truncate -s -9 state && fit --state state >second 2>said &&
		cmp first second && cmp state whole && grep -q 'was torn' said
}
check "a torn state is made whole" torn_state

other_state() {
	fit --state state >first && cp state whole || return
	status 2 fit --state state --nearest h200-sxm && says 'its machine is' &&
		cmp state whole || return
	sed 's/"backend": "sim"/"backend": "SIM"/' "$scratch/target.json" \
		>t.json && cp "$scratch/target.json" kept && cp t.json \
		"$scratch/target.json" && status 2 fit --state state &&
		says 'its target is' && cmp state whole
	refused=$?
	cp kept "$scratch/target.json"
	return $refused
}
check "a state goes on with its own work alone" other_state

two_writers() {
	"$nearfar" fit --from "$scratch/target.json" -j 1 \
		--state state -o other.yaml >/dev/null 2>&1 &
	child=$!
	lines state 2
	status 1 fit --state state && says 'is being written by another'
	refused=$?
	kill -TERM $child
	wait $child
	[ $? = 130 ] && return $refused
}
check "nobody else writes the same state" two_writers

# ---- committed results, and the pages that show them ----

manifest_damaged() {
	mkdir r && gzip -c "$scratch/quick.json" | head -c 100 >r/cut.json.gz &&
		: >r/empty.tsv && echo \
		"# device.uuid	GPU-00000000-0000-0000-0000-000000000000" \
		>r/named.tsv || return
	printf '# file\tcommand\tgpu\tdriver\tdate\n' >r/manifest.tsv
	for f in cut.json.gz empty.tsv named.tsv; do
		printf '%s\tby hand\t-\t-\t-\n' $f >>r/manifest.tsv
	done
	"$here/tests/files/manifest.py" r >said
	cat said
	grep -q ' cut.json.gz: it cannot be read: ' said &&
		grep -q ' empty.tsv: it is empty' said &&
		grep -q ' named.tsv: the row says gpu -, the file GPU-0' said
}
check "the manifest names what is cut, empty or disowned" manifest_damaged

cd "$here" || exit 1
tests/files/manifest.py
tests/files/links.py
tests/support/publish.sh --check --quick "$nearfar" results
