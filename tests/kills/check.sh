#!/bin/sh
# Signals at random moments of a run, of a fit and of a shard of one, each
# of which is resumed until it ends: nothing that was finished is lost, and what
# comes out has the bytes of an undisturbed one. Goes on where it was.
# usage: check.sh KILLS [SEED]
# environment: NEARFAR
set -u
export LC_ALL=C NO_COLOR=1
unset SOURCE_DATE_EPOCH CUDA_VISIBLE_DEVICES
kills=$1 seed=${2:-1}
nearfar=$(realpath "$NEARFAR")
small=$PWD/tests/golden/machines/small.yaml
build=$(cksum <"$nearfar" | cut -d' ' -f1)
folder=$PWD/build/kills/$build-$seed
results=$folder/results.tsv
mkdir -p "$folder" && cd "$folder" && touch results.tsv || exit 1

run_words="run pointer-chase -m $small --op ld.cg --loads 65536 -j 2 --resume
	-x 4KiB:8MiB:4 -o out.json"
fit_words="--nearest $small --from target.json
	--free l2_near_cycles --free bridge_cycles --budget 20"
works="run fit shard"

# work NAME: in its folder, in place of this shell
work() {
	case $1 in
	run) exec "$nearfar" $run_words ;;
	fit)
		exec "$nearfar" fit $fit_words -j 2 \
			--state state -o out.yaml
		;;
	shard) exec "$nearfar" run --shard split/1 -j 1 ;;
	esac
}
output() {
	case $1 in
	run) echo out.json ;;
	fit) echo out.yaml ;;
	shard) echo split/1.journal ;; # all that a shard of one leaves
	esac
}
journal() {
	case $1 in
	run) echo out.json.journal ;;
	fit) echo state ;;
	shard) echo split/1.journal ;;
	esac
}

# The references, and how long they take.
if [ ! -e reference/state ]; then
	mkdir -p reference
	"$nearfar" run pointer-chase -m "$small" --set l2_near_cycles=311 \
		--op ld.cg -x 16KiB:8MiB:2 --loads 4096 --chunk 64 \
		-o reference/target.json || exit 1
	(cd reference && "$nearfar" plan --calibrate -n 2 -o split -- \
		$fit_words >plan.txt) || exit 1
	for name in $works; do
		begun=$(date +%s%N)
		(cd reference && work $name >$name.txt 2>/dev/null) || exit 1
		echo $((($(date +%s%N) - begun) / 1000000)) >reference/$name.ms
	done
fi

start_over() { # NAME
	rm -rf "$1" && mkdir -p "$1/split" && cp reference/target.json "$1" &&
		cp reference/split/plan.json "$1/split"
}

fail() {
	echo "  kill $number of $name by SIG$signal after $delay_ms ms: $*"
	echo "$number	$name	$signal	$delay_ms	$code	$*" >>results.tsv
	bad=$((bad + 1))
	start_over "$name"
}

is_whole() { cmp -s "$out" "reference/$(output "$name")"; }

# What stands in the journal stays in it: the bytes before are its beginning.
judge() {
	out=$name/$(output "$name") log=$name/$(journal "$name")
	if ls -A "$name" | grep -q '^\.nearfar-'; then
		fail "a temporary file is left"
	elif [ "$code" = 0 ] && ! is_whole; then
		fail "other bytes"
	elif [ "$code" = 0 ] || { [ ! -e "$log" ] && is_whole; }; then
		finished=$((finished + 1))
		echo "$number	$name	$signal	$delay_ms	$code	ok" >>results.tsv
		start_over "$name"
	elif [ "$code" != "$expected" ] && [ "$code" != 130 ]; then
		fail "exit $code"
	elif [ -s "$name/before" ] && ! head -c "$(wc -c <"$name/before")" \
		"$log" 2>/dev/null | cmp -s - "$name/before"; then
		fail "finished points are lost"
	elif [ "$code" = 130 ] && [ "$name" = run ] && [ -e "$out" ] &&
		[ "$("$nearfar" show -f csv "$out" | grep -c '^[0-9]')" != \
			$(($(wc -l <"$log") - 1)) ]; then
		fail "the output lacks finished points"
	else
		echo "$number	$name	$signal	$delay_ms	$code	ok" >>results.tsv
	fi
}

# The whole lines: a torn one was not finished. A header alone has nothing to
# lose, and may be begun anew.
keep_before() {
	log=$name/$(journal "$name")
	count=$(wc -l 2>/dev/null <"$log" || echo 0)
	[ "$count" -gt 1 ] || count=0
	head -n "$count" "$log" >"$name/before" 2>/dev/null
}

bad=0 finished=0
for name in $works; do [ -d $name ] || start_over $name; done
awk -v kills="$kills" -v seed="$seed" -v works="$works" \
	-v all="$(for name in $works; do cat "reference/$name.ms"; done)" 'BEGIN {
	srand(seed)
	count = split(works, work, " ")
	split(all, ms, "\n")
	split("KILL TERM HUP INT", signals, " ")
	split("9 15 1 2", numbers, " ")
	for (i = 1; i <= kills; i++) {
		s = int(rand() * 4) + 1
		w = int(rand() * count) + 1
		print i, work[w], signals[s], 128 + numbers[s], \
			int(rand() * ms[w] / 2)
	}
}' >plan
done_before=$(wc -l <results.tsv)
while read -r number name signal expected delay_ms; do
	[ "$number" -gt "$done_before" ] || continue
	keep_before
	(cd "$name" && work "$name" >said.txt 2>&1 </dev/null) &
	child=$!
	sleep "$(awk "BEGIN { print $delay_ms / 1000 }")"
	kill -"$signal" $child 2>/dev/null
	wait $child 2>/dev/null
	code=$?
	judge
done <plan

# What is under way ends, too.
number=last signal=none delay_ms=0 expected=0
for name in $works; do
	(cd $name && work $name >said.txt 2>&1 </dev/null)
	code=$?
	if [ $code = 0 ] && cmp -s "$name/$(output $name)" \
		"reference/$(output $name)"; then
		start_over $name
	else
		fail "does not end well"
	fi
done

printf '| work | signal | kills | ended before | exit 130 | ended by it | wrong |\n'
printf '|---|---|---|---|---|---|---|\n'
awk -F'\t' '
$3 == "none" { next }
{
	key = $2 " | " $3
	kills[key]++
	early[key] += $5 == 0
	told[key] += $5 == 130
	ended[key] += $5 != 0 && $5 != 130
	wrong[key] += $6 != "ok"
}
END {
	for (key in kills)
		printf "| %s | %d | %d | %d | %d | %d |\n", key, kills[key],
			early[key], told[key], ended[key], wrong[key]
}' results.tsv | sort
if grep -qv '	ok$' results.tsv; then
	echo "not ok kills"
	exit 1
fi
echo "ok kills: $kills, all resumed, nothing finished lost"
