#!/bin/sh
# The command line where a transcript does not do: signals, files that must
# not appear, equality of runs, installation.
# environment: NEARFAR
. tests/cli/support.sh
small=tests/golden/machines/small.yaml

# ---- statistics ----

statistics() {
	run atomic-contention -x 1 -o "$scratch/a.json" --stats 2>&1 |
		grep -Eqx '[1-9][0-9]* requests, [1-9][0-9]* events, .* [1-9][0-9]* MiB at the peak'
}
check "--stats counts requests, events and memory" statistics

# ---- equal runs ----

sweep="pointer-chase atomic-contention prefetch-size -x 32,64,256 -f json
	--slot 16 --loads 512 --chunk 64 --iterations 4 -r 2"

twice() { # with two and with one worker
	run $sweep -j "$1" >"$scratch/a.json" &&
		run $sweep -j "$2" >"$scratch/b.json" &&
		cmp "$scratch/a.json" "$scratch/b.json"
}
check "the same run twice gives the same bytes" twice 1 1
check "two workers give the bytes of one" twice 1 2

seeds() {
	run pointer-chase -x 1MiB --loads 512 --op ld.cg --seed 1 -f csv |
		grep -v '^#' >"$scratch/one"
	run pointer-chase -x 1MiB --loads 512 --op ld.cg --seed 2 -f csv |
		grep -v '^#' >"$scratch/two"
	! cmp -s "$scratch/one" "$scratch/two"
}
check "another seed gives another run" seeds

program() { # a bench's own program, run as a user's
	run pointer-chase -x 64KiB --op ld.cg --loads 512 -f csv |
		tail -n 1 | cut -d, -f2 >"$scratch/bench" &&
		run pointer-chase -x 64KiB --op ld.cg --loads 512 \
			--dump-program >"$scratch/p.txt" &&
		run --program "$scratch/p.txt" -f csv |
		tail -n 1 | cut -d, -f2 >"$scratch/program"
	[ -s "$scratch/bench" ] && cmp "$scratch/bench" "$scratch/program"
}
check "a dumped program runs" program

# A folder's programs, one series each and by name, are what each is alone.
folder() {
	mkdir -p "$scratch/folder"
	for n in b c a; do
		sed "s/^name .*/name $n/" tests/golden/programs/small.txt \
			>"$scratch/folder/$n.txt"
	done
	echo 'not a program' >"$scratch/folder/notes"
	for n in a b c; do
		run --program "$scratch/folder/$n.txt" -f jsonl || return
	done >"$scratch/alone"
	run --program "$scratch/folder" -j 3 -f jsonl | cmp - "$scratch/alone" &&
		run --program "$scratch/folder/a.txt" "$scratch/folder/b.txt" \
			"$scratch/folder/c.txt" -f jsonl |
		cmp - "$scratch/alone" &&
		run --program "$scratch/folder/a.txt" --program \
			"$scratch/folder/b.txt" "$scratch/folder/c.txt" -f jsonl |
		cmp - "$scratch/alone"
}
check "a folder of programs runs as each alone" folder

epoch() {
	SOURCE_DATE_EPOCH=0 run pointer-chase -x 4KiB -f csv |
		grep -x '# date: 1970-01-01T00:00:00Z'
}
check "SOURCE_DATE_EPOCH is the date" epoch

# ---- formats ----

formats() {
	run pointer-chase -x 4KiB,64KiB -o "$scratch/s.json.gz" || return
	for format in csv json; do
		"$NEARFAR" show -f $format "$scratch/s.json.gz" \
			>"$scratch/s.$format" &&
			"$NEARFAR" show -f $format "$scratch/s.$format" |
			cmp - "$scratch/s.$format" || return
	done
}
check "what show writes, show reads" formats

gzip_dated() {
	run pointer-chase -x 4KiB -o "$scratch/1.json.gz" && sleep 1.1 &&
		run pointer-chase -x 4KiB -o "$scratch/2.json.gz" &&
		cmp "$scratch/1.json.gz" "$scratch/2.json.gz"
}
check "a gzipped file carries no time" gzip_dated

# ---- maps ----

# What was put into a machine comes out of its map.
mapped() {
	run near-far --set home_hash_mask=0x155000 --set floor_slice_cycles=28 \
		-o "$scratch/m.json" &&
		"$NEARFAR" map "$scratch/m.json" >"$scratch/map" || return
	grep 'bits 12 14 16 18 20 of an address' "$scratch/map" &&
		grep ' 0 of 135168 cells contradict' "$scratch/map" &&
		[ "$(grep -c '^slices of [AB]: 47;' "$scratch/map")" = 2 ] &&
		grep -q '^  A4 ' "$scratch/map" # four slices a line
}
check "a map finds the home hash, sides and slices of its machine" mapped

map_repeats() { # gzipped or not, from a pipe or a file
	"$NEARFAR" map -f json "$scratch/m.json" >"$scratch/map.json" &&
		gzip -c "$scratch/m.json" | "$NEARFAR" map -f json - |
		cmp - "$scratch/map.json"
}
check "a map does not depend on how its file came" map_repeats

# ---- tables ----

# The name of the output chooses the format; every cell is in each of them.
tabled() {
	run cache-ops --first ld.ca,st.wb --then ld.ca,ld.cg --lines 16 \
		-x 0,32 -o "$scratch/t.json.gz" || return
	for format in csv md; do
		"$NEARFAR" table -o "$scratch/t.$format" "$scratch/t.json.gz" &&
			gzip -dc "$scratch/t.json.gz" |
			"$NEARFAR" table -f $format - |
			cmp - "$scratch/t.$format" || return
	done
	[ "$(grep -c '^[a-z]' "$scratch/t.csv")" = 5 ]
}
check "a table's format follows its name" tabled

table_refused() {
	status 2 "$NEARFAR" table --rows then -o "$scratch/r.csv" \
		"$scratch/t.json.gz" && [ ! -e "$scratch/r.csv" ]
}
check "a refused table leaves no file" table_refused

# The accuracy of a series against itself, and of one that has no partner.
accuracy() {
	mkdir -p "$scratch/measured" "$scratch/modelled" &&
		cp "$scratch/t.json.gz" "$scratch/measured/a.json.gz" &&
		cp "$scratch/t.json.gz" "$scratch/measured/b.json.gz" &&
		run cache-ops --first ld.ca,st.wb --then ld.ca,ld.cg \
			--lines 16 -x 0,32 --set l1_hit_cycles=200 \
			-o "$scratch/modelled/a.json.gz" || return
	tests/support/errors.sh "$NEARFAR" "$scratch/measured" \
		"$scratch/modelled" >"$scratch/accuracy" 2>"$scratch/left" &&
		cat "$scratch/accuracy" &&
		grep -q 'level | 2 of 8 cells ' "$scratch/accuracy" &&
		grep -q '(difference) | 32 | 12.5 points | .* | 100.0 points |' \
			"$scratch/accuracy" &&
		grep -q "there is no '.*/b.json.gz'" "$scratch/left" &&
		grep -q '"TLB reach" is left out' "$scratch/left"
}
check "the accuracy table counts levels and shares" accuracy

# A damaged file is no reason to judge by the others.
accuracy_damaged() {
	mkdir -p "$scratch/damaged" &&
		head -c 200 "$scratch/t.json.gz" >"$scratch/damaged/a.json.gz" &&
		cp "$scratch/t.json.gz" "$scratch/damaged/b.json.gz" &&
		cp "$scratch/t.json.gz" "$scratch/modelled/b.json.gz" || return
	! tests/support/errors.sh "$NEARFAR" "$scratch/damaged" \
		"$scratch/modelled" >"$scratch/accuracy" 2>"$scratch/left" &&
		! [ -s "$scratch/accuracy" ] &&
		grep -q "damaged/a.json.gz' is damaged" "$scratch/left"
}
check "the accuracy table wants whole files" accuracy_damaged

# ---- marks ----

# A footprint between once and twice L2 is marked; each command says so.
strict() {
	run pointer-chase -m $small -x 64KiB --strict -o "$scratch/ok.json" &&
		status 3 run pointer-chase -m $small -x 64KiB,1536KiB --strict \
			-o "$scratch/marked.json" &&
		grep -q '"marks": \["partly-cached"\]' "$scratch/marked.json" &&
		"$NEARFAR" show "$scratch/marked.json" | grep -q '1536KiB\[f\]' &&
		status 0 "$NEARFAR" show --strict "$scratch/ok.json" &&
		status 3 "$NEARFAR" show --strict "$scratch/marked.json" &&
		status 3 "$NEARFAR" table --strict "$scratch/marked.json" &&
		status 3 "$NEARFAR" compare --strict "$scratch/ok.json" \
			"$scratch/marked.json" &&
		status 0 "$NEARFAR" compare "$scratch/ok.json" \
			"$scratch/marked.json"
}
check "--strict ends with 3 where a point is marked" strict

# ---- failures leave nothing ----

nothing_written() {
	status 2 run pointer-chase -x 4KiB --slot 0 -o "$scratch/n.json" &&
		[ ! -e "$scratch/n.json" ]
}
check "a refused run leaves no file" nothing_written

full_disk() {
	[ -e /dev/full ] || return 0
	status 1 run pointer-chase -x 4KiB -f csv >/dev/full &&
		status 1 "$NEARFAR" --help >/dev/full &&
		status 1 "$NEARFAR" --version >/dev/full &&
		status 1 run --help >/dev/full &&
		status 1 "$NEARFAR" help kernels >/dev/full
}
check "a full disk is a failure" full_disk

file_limit() (
	ulimit -f 1
	status 1 "$NEARFAR" help kernels >"$scratch/limited"
)
check "a limit of files' sizes is a failure, with its sentence" file_limit

no_name() {
	status 1 run pointer-chase -x 4KiB -o '' && [ ! -e .journal ]
}
check "a file without a name is refused before anything runs" no_name

keeps_old() {
	echo old >"$scratch/old.json"
	status 2 run pointer-chase -x 4KiB --op ld.xx -o "$scratch/old.json" &&
		[ "$(cat "$scratch/old.json")" = old ]
}
check "a refused run keeps the file that was there" keeps_old

# ---- signals ----

# A quick point and then slow ones; the signals come in between.
interrupted() {
	out=$scratch/interrupted-$#-$1.json
	"$NEARFAR" run pointer-chase -j 1 -o "$out" --op ld.cg --loads 8192 \
		-x 4KiB,64MiB,65MiB,66MiB,67MiB,68MiB,69MiB,70MiB,71MiB,72MiB &
	child=$!
	until [ "$(wc -l 2>/dev/null <"$out.journal" || echo 0)" -ge 2 ]; do
		kill -0 $child 2>/dev/null || break
		sleep 0.02
	done
	for signal; do
		kill -"$signal" $child
		sleep 0.02
	done
	status 130 wait $child || return
	points=$("$NEARFAR" show -f csv "$out" | grep -c '^[0-9]')
	echo "$points points"
	[ "$points" -ge 1 ] && [ "$points" -lt 10 ]
}
check "SIGTERM ends with 130 and saves the finished points" interrupted TERM
check "SIGINT ends with 130 and saves the finished points" interrupted INT
check "SIGINT to a process and to its group is one" interrupted INT INT

pipe() { # the reader goes away: no message, no core
	run pointer-chase -x 4KiB,8KiB -f csv 2>"$scratch/pipe.err" | true
	! grep -i 'core\|segmentation' "$scratch/pipe.err"
}
check "a reader that goes away is no crash" pipe

# ---- calibration ----

# The model with another L2 is the target; what was changed comes back.
targets() {
	run pointer-chase -m $small --set l2_near_cycles=311 --op ld.cg \
		-x 64KiB,128KiB,256KiB,8MiB --loads 512 --chunk 64 \
		-o "$scratch/t.json" &&
		run atomic-contention -m $small --set atomic_kept_cycles=1.1 \
			-x 1,2,4 --threads 256 --iterations 8 \
			-o "$scratch/a.json"
}
# NAME OPTION...: $scratch/NAME.yaml, .txt and .csv, in this very process
calibrate() {
	to=$1
	shift
	cd "$scratch" && exec "$nearfar" fit --nearest "$here/$small" \
		--from t.json a.json --free l2_near_cycles \
		--free 'atomic_[ks]*' --hold-out-points 4 --budget 20 \
		--errors "$to.csv" -o "$to.yaml" "$@" >"$to.txt"
}
here=$PWD
nearfar=$(realpath "$NEARFAR")
same() { # A B
	for ending in txt csv; do
		cmp "$scratch/$1.$ending" "$scratch/$2.$ending" || return
	done
	grep -v '^name:' "$scratch/$1.yaml" >"$scratch/$1.parameters"
	grep -v '^name:' "$scratch/$2.yaml" | cmp - "$scratch/$1.parameters"
}

calibrated() {
	targets && (calibrate one -j 1) &&
		run pointer-chase -m "$scratch/one.yaml" --op ld.cg -x 128KiB \
			--loads 512 --chunk 64 -o "$scratch/c.csv" &&
		"$NEARFAR" compare "$scratch/t.json" "$scratch/c.csv" \
			--gate 0.5%,missing=yes && [ ! -e "$scratch/one.yaml.state.json" ]
}
check "a calibrated machine loads and meets its target" calibrated

calibrated_twice() { (calibrate two -j 2) && same one two; }
check "two workers calibrate as one does" calibrated_twice

target_of_any_name() (
	named=$(printf 't #1: "a"\n\351.json')
	cd "$scratch" && cp t.json "$named" &&
		"$nearfar" calibrate -m "$here/$small" --target "$named" -j 1 \
			--free l2_near_cycles --budget 3 -o named.yaml 2>hints &&
		grep -q "'calibrate' is called 'fit' now" hints &&
		grep -q -- "--target is called --from now" hints &&
		grep -q "machine is called --nearest now" hints &&
		"$nearfar" run pointer-chase -m named.yaml --dry-run
)
check "a target's file has any name; old words are told the new ones" target_of_any_name

# Stopped as soon as something is done.
calibration_resumed() {
	state=$scratch/r.state
	(calibrate three -j 1 --state r.state) &
	child=$!
	until [ "$(wc -l <"$state" 2>/dev/null || echo 0)" -gt 8 ]; do
		kill -0 $child || break
		sleep 0.02
	done
	kill -INT $child
	status 130 wait $child || return
	[ ! -e "$scratch/three.yaml" ] &&
		(calibrate three -j 1 --state r.state) && same one three
}
check "an interrupted calibration goes on" calibration_resumed

state_left() {
	cp "$state" "$scratch/four.yaml.state.json" &&
		{ (calibrate four -j 1 2>"$scratch/why"); [ $? = 2 ]; } &&
		grep -q ': --state goes on with it; without it' "$scratch/why"
}
check "a state that is left is gone on with by --state" state_left

# The half that fits, which has no --state.
fit_interrupted() {
	"$NEARFAR" fit -b sim -m $small --nearest $small \
		--only 'near-far,chase-c*-each' --measure "$scratch/f" &&
		mkdir "$scratch/f.out" || return
	"$NEARFAR" fit --from "$scratch/f" --nearest $small \
		-o "$scratch/f.out/f.yaml" 2>"$scratch/why" &
	child=$!
	until [ -s "$scratch/f/state.json" ]; do
		kill -0 $child || break
		sleep 0.01
	done
	kill -TERM $child
	status 130 wait $child &&
		grep -q 'interrupted.*; the same command goes on from here' \
			"$scratch/why" && ! grep -q -- --state "$scratch/why" &&
		[ -z "$(ls "$scratch/f.out")" ]
}
check "an interrupted fit to a device says what goes on" fit_interrupted

# ---- machines ----

check "a machine file" run pointer-chase -m $small -x 4KiB
check "a machine derived from a derived one" \
	run pointer-chase -m tests/golden/machines/derived.yaml -x 4KiB
machines() {
	"$NEARFAR" list machines | while read -r machine _; do
		run pointer-chase -m "$machine" -x 64KiB,1MiB --op ld.cg \
			>/dev/null &&
			"$NEARFAR" list parameters -m "$machine" >/dev/null ||
			echo "$machine fails"
	done | grep . && return 1
	return 0
}
check "every built-in machine runs" machines

# A load that misses L1 takes longer; so does one that misses L2.
levels() {
	for machine in h100-pcie h100-sxm a100-sxm; do
		run pointer-chase -m $machine -x 16KiB,8MiB,256MiB -f csv |
			awk -F, '/^[0-9]/ { y[++n] = $2 }
			END { exit !(n == 3 && y[1] * 3 < y[2] &&
				y[2] * 2 < y[3]) }' || {
			echo "$machine"
			return 1
		}
	done
}
check "derived machines have three levels" levels

# ---- import and export ----

import_keeps_old() { # an error in the second file
	echo old >"$scratch/old.json"
	status 2 "$NEARFAR" import tests/golden/imports/gpu-latency.txt \
		tests/golden/imports.txt -o "$scratch/old.json" &&
		[ "$(cat "$scratch/old.json")" = old ]
}
check "a refused import keeps the file that was there" import_keeps_old

import_reads() { # gzipped, from a pipe or from a file
	"$NEARFAR" import tests/golden/imports/mt4g.json |
		sed '/"file/d' >"$scratch/plain" &&
		gzip -c tests/golden/imports/mt4g.json | "$NEARFAR" import - |
		sed '/"file/d' | cmp - "$scratch/plain"
}
check "an import does not depend on how its file came" import_reads

export_keeps_old() {
	echo old >"$scratch/old.config"
	status 2 "$NEARFAR" export gpgpusim nowhere.yaml \
		-o "$scratch/old.config" &&
		[ "$(cat "$scratch/old.config")" = old ] &&
		"$NEARFAR" export gpgpusim h100-pcie -o "$scratch/old.config" &&
		grep -x -e '-gpgpu_n_clusters 114' "$scratch/old.config"
}
check "a refused export keeps the file that was there" export_keeps_old

# Published measurements by others, where they are at hand.
reference=${REFERENCE:-../shared/reference}
if [ -d "$reference" ]; then
	published() { # the imports that machines are compared with
		for file in "$reference"/gpu-benches/*.txt \
			"$reference"/mt4g/*.json "$reference"/mt4g/*/*.txt; do
			"$NEARFAR" import "$file" >"$scratch/imported" &&
				grep -q '"x":' "$scratch/imported" || {
				echo "$file"
				return 1
			}
		done
	}
	check "published files are imported" published
	near_published() { # outside knees
		"$NEARFAR" import "$reference/gpu-benches/h100_pcie.txt" \
			-o "$scratch/theirs.json" &&
			run pointer-chase -m h100-pcie --slot 64 \
				-x 62KiB,8453KiB,125026KiB,206295KiB \
				-o "$scratch/ours.json" &&
			"$NEARFAR" compare --gate 4%,missing=yes \
				"$scratch/theirs.json" \
				"$scratch/ours.json"
	}
	check "h100-pcie meets its published curve" near_published
else
	echo "ok cli: published files # SKIP there is no '$reference'"
fi

# ---- controls ----

# What `list controls` says shows a control must be a command line that there
# is. Benches that are still to come are counted.
"$NEARFAR" list controls -f json |
	sed -n 's/^ *"shown_by": "nearfar run \(.*\)"$/\1/p' |
	sort -u >"$scratch/shown"
shown_by() {
	awk 'NR == FNR { have[$1]; next } ($1 in have)' \
		"$scratch/benches" "$scratch/shown" >"$scratch/shown.here"
	while read -r line; do
		run $line --dry-run >"$scratch/dry" 2>&1 </dev/null ||
			echo "nearfar run $line: $(cat "$scratch/dry")"
	done <"$scratch/shown.here" | grep . && return 1
	[ -s "$scratch/shown.here" ]
}
"$NEARFAR" list benches >"$scratch/benches"
check "what shows a control is a command line" shown_by
left=$(($(wc -l <"$scratch/shown") - $(wc -l <"$scratch/shown.here")))
[ $left = 0 ] || echo "ok cli: what shows a control # SKIP $left command" \
	"lines are of benches that do not exist"

# ---- jobs ----

# Every committed job is whole: its text, its module, its launches.
jobs() {
	run --kernel tests/kernels/*/ --dry-run >"$scratch/dry" &&
		[ "$(wc -l <"$scratch/dry")" -ge 146 ]
}
check "the committed jobs are whole" jobs

# A dry run reads the module, too: an entry that it has not, one that is not
# modelled, arguments that do not fit.
printf '%s\n' '.version 8.0' '.target sm_90' '.address_size 64' \
	'.entry _ZN2ns5triadEPfi(.param .u64 a, .param .u32 n){ret;}' \
	'.entry mma(){tcgen05.mma {};}' >"$scratch/dry.ptx"
dry() { # LAUNCH STATUS SENTENCE
	printf '%s\n' 'nearfar-kernel 1' 'module dry.ptx' \
		'buffer a bytes=4KiB' "launch $1" >"$scratch/dry.job"
	status "$2" run --kernel "$scratch/dry.job" --dry-run \
		2>"$scratch/dry.said" >&2 || return 1
	grep -q -e "$3" "$scratch/dry.said"
}
dry_runs() {
	dry '_ZN2ns5triadEPfi grid=1 block=32 args=a,s32:1' 0 'launch=_ZN' &&
		dry 'mma grid=1 block=32' 2 'dry.ptx:5:14: .*not modelled' &&
		dry 'triad grid=1 block=32' 2 \
			"are: '_ZN2ns5triadEPfi' (ns::triad), 'mma'" &&
		dry '_ZN2ns5triadEPfi grid=1 block=32 args=a' 2 \
			'1 arguments, the kernel takes 2' &&
		dry '_ZN2ns5triadEPfi grid=1 block=32 args=a,u64:1' 2 \
			'argument 2 .* has 8 bytes'
}
check "a dry run looks at modules, entries and arguments" dry_runs
if command -v python3 >/dev/null && command -v cc >/dev/null; then
	python3 tests/hardware/kernels_test.py
	tests/hardware/stalls_test.py
else
	echo "ok cli: hardware/kernels.py # SKIP no python3 or no cc"
fi

# On a driver without a GPU: each argument is as wide as the kernel's parameter.
parameters() {
	cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. \
		tests/support/fake_cuda.c -o "$scratch/libcuda.so.1" &&
		NEARFAR_LIBCUDA=$scratch/libcuda.so.1 \
			run --kernel tests/kernels/*/*-small.job -b cuda \
			-r 1 -w 0 --digests "$scratch/digests" -f csv \
			-o "$scratch/jobs.csv" &&
		[ "$(wc -l <"$scratch/digests")" -ge 200 ]
}
if command -v cc >/dev/null; then
	check "jobs have the arguments that their kernels take" parameters
else
	echo "ok cli: the kernels' parameters # SKIP no cc"
fi

# The same kernels by clang, without a toolkit.
by_clang() {
	run --kernel "$scratch"/clang/*/*.job --dry-run >"$scratch/dry" &&
		[ "$(wc -l <"$scratch/dry")" -ge 146 ]
}
tests/kernels/clang.sh "$scratch/clang" 2>"$scratch/clang.said"
case $? in
0) check "clang's PTX has the jobs' kernels" by_clang ;;
77) echo "ok cli: clang's PTX # SKIP no clang-16 for NVPTX" ;;
*) check "clang compiles the kernels" cat "$scratch/clang.said" /nowhere ;;
esac

# ---- a fit, in two halves ----

# Its name is none that a machine file can have without quotes.
near="near \"1\": of more characters # than a machine's name ever has.yaml"
fitting() ( # ARGUMENTS...: of the small machine
	cd "$scratch" && cp "$here/$small" "$near" &&
		"$nearfar" fit --nearest "$near" \
		--only "one-write,atomics-word*,held-atomics" \
		-j 1 "$@"
)
mine='mi"ne #1: a machine.yaml'
fitted() {
	cat >"$scratch/silicon.yaml" <<-END
		schema: nearfar-machine/1
		name: silicon
		base: $here/$small
		parameters:
		  atomic_kept_cycles: {value: 1.7, unit: cycles, origin: assumed}
		  sm_request_bytes_per_cycle: {value: 21, unit: bytes/cycle, origin: assumed}
	END
	fitting -b sim -m silicon.yaml --measure m.fit &&
		fitting --from m.fit -o "$mine" >"$scratch/mine.said" &&
		run pointer-chase -m "$scratch/$mine" --dry-run &&
		awk '$1 == "atomic_kept_cycles" { a = $3 }
			$1 == "sm_request_bytes_per_cycle" { b = $3 }
			END { exit !(a > 1.68 && a < 1.72 && b > 20.4 &&
				b < 21.6) }' \
			"$scratch/mine.said"
}
check "a fit finds what its series say" fitted
narrow() { # of 4 GiB: sizes that the memory has no room for are left out
	cat >"$scratch/narrow.yaml" <<-END
		schema: nearfar-machine/1
		name: narrow
		base: $here/$small
		parameters:
		  memory_bytes: {value: 4GiB, unit: bytes, origin: assumed}
	END
	(cd "$scratch" && "$nearfar" fit -b sim -m narrow.yaml -j 1 \
		--nearest narrow.yaml --only tlb-entries --measure narrow.fit &&
		ls narrow.fit | tr '\n' ' ' >narrow.said) &&
		[ "$(cat "$scratch/narrow.said")" = "device.json $(:
		)tlb-entries-12.txt tlb-entries-8.txt tlb-entries.json.gz " ]
}
check "a fit leaves out what the memory has no room for" narrow
fitted_again() {
	cp "$scratch/m.fit/state.json" "$scratch/state.before" &&
		fitting --from m.fit -o again.yaml &&
		grep -v '^name:' "$scratch/$mine" >"$scratch/a" &&
		grep -v '^name:' "$scratch/again.yaml" | cmp - "$scratch/a" &&
		cmp "$scratch/m.fit/state.json" "$scratch/state.before"
}
check "a fit that is resumed runs nothing again" fitted_again
fit_names() {
	grep -q '^not constrained: ' "$scratch/mine.said" &&
		grep -q '^held-atomics  *held out' "$scratch/mine.said"
}
check "a fit names what no series says, and judges by what is held out" \
	fit_names
fit_refused() {
	status 2 "$NEARFAR" fit --measure a --from b &&
		status 2 "$NEARFAR" fit -o x.txt &&
		status 2 "$NEARFAR" fit --budget 20 -o x.yaml &&
		status 2 "$NEARFAR" fit --free x -o x.yaml &&
		status 2 "$NEARFAR" fit -b sim --from x.json -o x.yaml &&
		status 2 "$NEARFAR" fit --only x --from x.json -o x.yaml &&
		status 2 "$NEARFAR" fit --budget soon -o x.yaml &&
		! "$NEARFAR" fit --from "$scratch/nowhere" -o x.yaml
}
check "a fit without sense is refused" fit_refused
# On a driver without a GPU, whose loads take no time: programs are compiled and
# run, their records are refused, and each row says why.
fit_fake() {
	cc -std=c11 -D_GNU_SOURCE -shared -fPIC -I. \
		tests/support/fake_cuda.c -o "$scratch/libcuda.so.1" &&
		NEARFAR_LIBCUDA=$scratch/libcuda.so.1 status 1 "$NEARFAR" fit \
			-b cuda -r 1 --measure "$scratch/fake.fit" \
			--only chase-ca-each,tlb-few,slice >"$scratch/fake" &&
		grep -q '^left out: chase-ca-each, since .*0 cycles' \
			"$scratch/fake" &&
		grep -q '^left out: slice, since contention' "$scratch/fake" &&
		grep -q '"sm_count": 4' "$scratch/fake.fit/device.json"
}
if command -v cc >/dev/null; then
	check "a fit on a GPU says what it could not measure" fit_fake
else
	echo "ok cli: a fit on a GPU # SKIP no cc"
fi

# ---- this host ----

check "doctor" "$NEARFAR" doctor
for command in list run show compare table modes map import export fit \
	calibrate fingerprint fleet doctor; do
	check "$command --help" "$NEARFAR" $command --help
done

installed() {
	cp "$NEARFAR" "$scratch/nearfar" && cd "$scratch" &&
		./nearfar run pointer-chase -x 4KiB
}
check "the program needs nothing beside it" installed
