#!/bin/sh
# Series on the command line: what tells them apart, gates, what-ifs, and the
# files that others read.
# environment: NEARFAR
. tests/cli/support.sh
small=tests/golden/machines/small.yaml

# ---- identity ----

what_ifs() { # four runs that differ in a parameter alone are four rows
	for cycles in 0 41 82 164; do
		run pointer-chase -x 64KiB,8MiB --loads 256 --chunk 64 \
			--set l2_near_cycles=$((200 + cycles)) \
			-o "$scratch/w$cycles.json" || return
	done
	"$NEARFAR" show -f json "$scratch"/w*.json >"$scratch/what-ifs.json" &&
		"$NEARFAR" table -f csv "$scratch/what-ifs.json" |
		grep -v '^#' >"$scratch/rows" || return
	[ "$(wc -l <"$scratch/rows")" = 5 ] &&
		grep -q '^l2_near_cycles,' "$scratch/rows" &&
		"$NEARFAR" show "$scratch/what-ifs.json" |
		grep -q 'l2_near_cycles=282$'
}
check "series that differ in --set alone are all shown" what_ifs

fan() { # one measurement beside them is compared with each
	"$NEARFAR" compare "$scratch/w0.json" "$scratch/what-ifs.json" \
		>"$scratch/fan" || return
	[ "$(grep -c '^pointer-chase l2_near_cycles=' "$scratch/fan")" = 4 ]
}
check "one series is compared with all what-ifs" fan

no_partner() {
	run pointer-chase -x 64KiB --op ld.ca,ld.cs -o "$scratch/a.json" &&
		run pointer-chase -x 64KiB --op ld.cg -o "$scratch/b.json" ||
		return
	status 1 "$NEARFAR" compare "$scratch/a.json" "$scratch/b.json" \
		2>"$scratch/why" >/dev/null
	grep -q 'the nearest in the new has op=ld.cg instead of ld.ca' \
		"$scratch/why"
}
check "what has no partner is told what differs" no_partner

# ---- repeats ----

# The chase of a machine without noise ends at once; one of random rings goes
# on. What was not reached is said, also in the file, and a journal is of one -r.
automatic() {
	chase="pointer-chase --chunk 64 --loads 64 -m $small"
	run $chase -x 4KiB,40MiB -r auto:0.05% -o "$scratch/auto.json" \
		2>"$scratch/why" || return
	[ "$(grep -c '^nearfar: ' "$scratch/why")" = 1 ] &&
		grep -q '^nearfar: 1 of 2 points is not within 0.05 % after' \
			"$scratch/why" &&
		grep -q '"warning": "1 of 2 points' "$scratch/auto.json" &&
		grep -q '"repeats": "auto:0.05%"' "$scratch/auto.json" &&
		[ "$("$NEARFAR" show --no-plot -f csv "$scratch/auto.json" |
			grep -v '^#' | cut -d, -f23 |
			tr '\n' ' ')" = 'samples 3 100 ' ]
}
check "-r auto runs until the interval is there" automatic

automatic_suite() { # in parts as in one
	echo "row pointer-chase -x 4KiB,8KiB -r auto -m $small" \
		>"$scratch/auto.txt"
	for part in 1 2; do
		run --suite "$scratch/auto.txt" --part $part/2 \
			-o "$scratch/auto.parts" || return
	done
	"$NEARFAR" merge --suite "$scratch/auto.txt" \
		--into "$scratch/auto.whole" "$scratch/auto.parts" &&
		zgrep -q '"repeats": "auto:1%"' "$scratch/auto.whole"/row.json*
}
check "-r auto goes into a suite, in parts" automatic_suite

# ---- what-ifs ----

# One run with several values is the series of several runs with one each.
several() {
	words="pointer-chase --op ld.cg -x 64KiB,1MiB --loads 256 --chunk 64"
	run $words --set l2_near_cycles=250,300 --set bridge_cycles=10,20 \
		-j 2 -f csv >"$scratch/together.csv" || return
	for near in 250 300; do
		for bridge in 10 20; do
			[ -s "$scratch/apart.csv" ] && echo
			run $words --set l2_near_cycles=$near \
				--set bridge_cycles=$bridge -f csv || return
		done >>"$scratch/apart.csv"
		echo >>"$scratch/apart.csv"
	done
	grep -v '^$' "$scratch/apart.csv" >"$scratch/apart"
	grep -v '^$' "$scratch/together.csv" | cmp - "$scratch/apart" &&
		[ "$(grep -c '^# set: ' "$scratch/apart")" = 8 ]
}
check "--set with several values is several runs" several

over_set() { # the axis of a parameter has what single runs have
	run pointer-chase --op ld.cg -x 64KiB,1MiB --loads 256 --chunk 64 \
		-x set:l2_near_cycles=250:300:4 -f csv >"$scratch/over.csv" ||
		return
	[ "$(grep -c '^l2_near_cycles,latency_cycles' "$scratch/over.csv")" = 2 ] &&
		[ "$(grep -c '^# option.footprint_bytes: [61]4*[KM]iB$' \
			"$scratch/over.csv")" = 2 ] || return
	run pointer-chase --op ld.cg -x 1MiB --loads 256 --chunk 64 \
		--set l2_near_cycles=297 -f csv | tail -n 1 |
		cut -d, -f2 >"$scratch/alone"
	sed -n 's/^297,\([^,]*\),.*/\1/p' "$scratch/over.csv" | tail -n 1 |
		cmp - "$scratch/alone"
}
check "-x set: makes a parameter the axis" over_set

variables() {
	sed -e 's/^name .*/name v/' -e '2a # $not_here' \
		-e 's/bytes=[0-9A-Za-z]*/bytes=${size}KiB/' \
		tests/golden/programs/small.txt >"$scratch/v.txt" &&
		grep -q 'size}KiB' "$scratch/v.txt" || return
	status 2 run --program "$scratch/v.txt" 2>"$scratch/why" &&
		grep -q ":[0-9]*:[0-9]*: the variable 'size' has no value" \
			"$scratch/why" || return
	run --program "$scratch/v.txt" --var size=64,1024 -f jsonl \
		>"$scratch/vars" || return
	[ "$(wc -l <"$scratch/vars")" = 2 ] &&
		grep -q '"options": {"size": "1024"}' "$scratch/vars" || return
	run --program "$scratch/v.txt" -x var:size=64,1024 -f csv |
		grep '^[0-9]' | cut -d, -f2 >"$scratch/axis"
	sed 's/.*"latency_cycles": {"median": \([0-9.]*\).*/\1/' \
		"$scratch/vars" | cmp - "$scratch/axis"
}
check "variables of a program are series, or an axis" variables

what_ifs_refused() {
	for words in '--var a=1 pointer-chase -x 4KiB' \
		'pointer-chase -x set:bridge_cycles=1,2' \
		'pointer-chase -x 4KiB -x set:bridge_cycles=1 -x set:l2_bytes=1MiB' \
		'pointer-chase -x 4KiB -x set:bridge_cycles=near' \
		'pointer-chase -x 4KiB --set no_such_thing=1,2' \
		'pointer-chase -x 4KiB --set bridge_cycles=1,' \
		'pointer-chase -b cuda -x 4KiB --set bridge_cycles=1' \
		"--program $scratch/v.txt --var size=64 --var other=1" \
		"--like $scratch/w0.json -x 4KiB" \
		"--like $scratch/w0.json pointer-chase"; do
		status 2 run $words || { echo "$words"; return 1; }
	done
}
check "what-ifs that make no sense are refused" what_ifs_refused

# The partner of a series is that series, of a bench or of programs.
like() {
	run pointer-chase --op ld.ca,ld.cg -x 64KiB,1MiB --loads 256 \
		--chunk 64 -f csv >"$scratch/like.csv" &&
		run --like "$scratch/like.csv" -f csv |
		cmp - "$scratch/like.csv" || return
	run --program "$scratch/v.txt" -x var:size=64,1024 --var x=1 \
		2>/dev/null && return 1
	run --program "$scratch/v.txt" -x var:size=64,1024 \
		-o "$scratch/v.json" &&
		run --like "$scratch/v.json" -o "$scratch/v2.json" &&
		cmp "$scratch/v.json" "$scratch/v2.json" || return
	"$NEARFAR" import tests/golden/imports/mt4g.json \
		-o "$scratch/mt4g.json" &&
		run --like "$scratch/mt4g.json" -m h100-sxm \
			-o "$scratch/mt4g2.json" &&
		"$NEARFAR" compare "$scratch/mt4g.json" "$scratch/mt4g2.json" |
		grep -c '^points: 1 compared' | grep -qx 3 || return
	"$NEARFAR" import tests/golden/imports/gpu-strides.txt \
		-o "$scratch/foreign.json" || return
	status 2 run --like "$scratch/foreign.json" 2>"$scratch/why" &&
		grep -q "'gpu-benches-block' over block_width is of no bench" \
			"$scratch/why"
}
check "--like runs the partner of any series" like

# ---- devices ----

odd() { # of four GPUs side by side, the third
	run pointer-chase -x 64KiB,1MiB --loads 256 --chunk 64 --no-samples \
		-o "$scratch/gpu.json" || return
	for n in 1 2 3 4; do
		more=
		[ $n != 3 ] || more=9
		sed -e "s/\"version\"/\"device.name\": \"GPU\", \"device.uuid\": \"GPU-$n\", &/" \
			-e "s/\"median\": /&$more/" "$scratch/gpu.json" \
			>"$scratch/gpu$n.json"
	done
	"$NEARFAR" show -f json "$scratch"/gpu[1-4].json >"$scratch/gpus.json" &&
		"$NEARFAR" table "$scratch/gpus.json" --columns device.uuid \
			--odd >"$scratch/odd" &&
		grep -q '^footprint_bytes *GPU-1  *GPU-2  *GPU-3  *GPU-4$' \
			"$scratch/odd" &&
		grep -q '^  GPU-3, GPU: [0-9.]*, median over 2 places: the odd one' \
			"$scratch/odd" &&
		[ "$(grep -c '^  GPU-[124], GPU: 0.0, median over 2 places$' \
			"$scratch/odd")" = 3 ] || { cat "$scratch/odd"; return 1; }
	status 2 "$NEARFAR" table "$scratch/gpu.json" --odd \
		2>"$scratch/why" >/dev/null &&
		grep -q 'the series are of 0' "$scratch/why" &&
		status 2 "$NEARFAR" table "$scratch/gpus.json" --odd -f csv \
			2>"$scratch/why" >/dev/null &&
		grep -q 'table and md alone' "$scratch/why" &&
		status 2 "$NEARFAR" table "$scratch/gpus.json" \
			"$scratch/gpu.json" --odd 2>"$scratch/why" >/dev/null &&
		grep -q 'of one file' "$scratch/why"
}
check "table --odd names the odd device" odd

# ---- gates ----

gate() { # STATUS GATE BASE NEW, then what standard error says
	wanted=$1 gate=$2 base=$3 new=$4
	status "$wanted" "$NEARFAR" compare "$scratch/$base" "$scratch/$new" \
		--gate "$gate" >"$scratch/gated" 2>"$scratch/why"
}
lose() { # a tool's own file, with one point changed
	run pointer-chase -x 4KiB,8KiB,16KiB --loads 512 -f json \
		-o "$scratch/g.json" && "$NEARFAR" show -f csv \
		"$scratch/g.json" >"$scratch/g.csv" || return
	grep -v '^8192,' "$scratch/g.csv" >"$scratch/lost.csv"
	sed '/^16384,/s/,32/,32000/' "$scratch/g.csv" >"$scratch/off.csv"
	gate 0 5% g.csv g.json || return
	gate 3 5% g.json lost.csv && cat "$scratch/why" &&
		grep -q '1 of 3 points .* missing in the new, .* at 8KiB' \
			"$scratch/why" &&
		gate 0 5%,missing=yes g.json lost.csv || return
	gate 3 5% g.json off.csv && cat "$scratch/why" &&
		grep -q 'the worst point .* at 16KiB' "$scratch/why" &&
		gate 0 median=5% g.json off.csv
}
check "a gate sees a lost point and a wrong one" lose

gate_lost_series() {
	run pointer-chase -x 4KiB --op ld.ca,ld.cg -o "$scratch/two.json" &&
		run pointer-chase -x 4KiB --op ld.ca,ld.cs \
			-o "$scratch/other.json" || return
	gate 3 5% two.json other.json &&
		grep -q 'a series is only in the base: pointer-chase op=ld.cg' \
			"$scratch/why"
}
check "a gate sees a lost series" gate_lost_series

gate_file() {
	printf '%s\n' '# gates' 'pointer-chase:op=ld.c[as] none' '* 5%' \
		>"$scratch/gates"
	status 3 "$NEARFAR" compare "$scratch/two.json" "$scratch/other.json" \
		--gates "$scratch/gates" -f json >"$scratch/gated" || return
	grep -q '"judged_count": 1, "violations"' "$scratch/gated" &&
		[ "$(grep -c '"a series is only in the base: pointer-chase op=ld.cg' \
			"$scratch/gated")" = 1 ]
}
check "a file of gates decides by series" gate_file

# ---- files that others read ----

# valid SCHEMA FILE
valid() { tests/schema/validate.py "results/schema/$1.schema.json" "$2"; }

written() { # every format of two benches, one point skipped, and what-ifs
	run pointer-chase stride-sweep -x 4KiB,64KiB --op ld.ca,ld.cg \
		--loads 512 --volume 5MiB -r 2 -o "$scratch/f.json" &&
		run pointer-chase -x 4KiB,200GiB --loads 512 \
			--set l2_near_cycles=300 -o "$scratch/f1.json" &&
		"$NEARFAR" show -f json "$scratch/f.json" "$scratch/f1.json" \
			>"$scratch/f2.json" || return
	for format in tidy:tidy.csv gbench:gbench.json vega-lite:vl.json \
		jsonl:jsonl openmetrics:prom; do
		"$NEARFAR" show -f "${format%:*}" "$scratch/f2.json" \
			>"$scratch/f2.${format#*:}" || return
	done
	"$NEARFAR" compare -f json "$scratch/f.json" "$scratch/f2.json" \
		--gate 5%,missing=yes >"$scratch/compared.json"
	[ $? = 0 ] || [ $? = 3 ]
	for list in benches backends machines parameters marks; do
		"$NEARFAR" list $list -f json >"$scratch/$list.json" || return
	done
	"$NEARFAR" list controls -f json >"$scratch/controls.json" &&
		run pointer-chase -x 1MiB --samples --loads 512 \
			-o "$scratch/samples.json" &&
		"$NEARFAR" modes -f json "$scratch/samples.json" \
			>"$scratch/modes.json"
}
check "every format is written" written

schemas() {
	valid series "$scratch/f2.json" &&
		valid jsonl "$scratch/f2.jsonl" &&
		valid tidy "$scratch/f2.tidy.csv" &&
		valid gbench "$scratch/f2.gbench.json" &&
		valid vega-lite "$scratch/f2.vl.json" &&
		valid comparison "$scratch/compared.json" &&
		valid controls "$scratch/controls.json" &&
		valid modes "$scratch/modes.json" &&
		valid list "$scratch/benches.json" &&
		valid list "$scratch/backends.json" &&
		valid list "$scratch/machines.json" &&
		valid list "$scratch/marks.json" &&
		valid parameters "$scratch/parameters.json" &&
		valid series results/h200-sxm/near-far.json.gz
}
spoiled() { # a schema that takes anything would show nothing
	sed 's/"median": [0-9.]*/"median": "x"/' "$scratch/f2.json" \
		>"$scratch/spoiled.json" &&
		! valid series "$scratch/spoiled.json" || return
	sed 's/"low"/"lo"/' "$scratch/f2.vl.json" >"$scratch/spoiled.json" &&
		! valid vega-lite "$scratch/spoiled.json" &&
		sed 's/"options"/"words"/' "$scratch/benches.json" \
			>"$scratch/spoiled.json" &&
		! valid list "$scratch/spoiled.json"
}
if tests/schema/validate.py results/schema/series.schema.json \
	results/h200-sxm/prefetch-stream.json.gz 2>/dev/null; then
	check "what is written keeps its schema" schemas
	check "what is wrong breaks its schema" spoiled
else
	echo "ok cli: schemas # SKIP there is no python3-jsonschema"
fi

tidy() { # one header, and every row as many fields
	awk -F, 'NR == 1 { n = NF } NF != n { exit 1 } END { exit NR != 39 }' \
		"$scratch/f2.tidy.csv" || { wc -l "$scratch/f2.tidy.csv"; false; }
	head -n 1 "$scratch/f2.tidy.csv" | grep -q ',l2_near_cycles,op,' &&
		"$NEARFAR" show --tidy "$scratch/f2.json" |
		cmp - "$scratch/f2.tidy.csv"
}
check "tidy CSV is one table" tidy

openmetrics() {
	tail -n 1 "$scratch/f2.prom" | grep -qx '# EOF' &&
		grep -q '^nearfar_latency_cycles{.*set_l2_near_cycles="300".*} [0-9.]*$' \
			"$scratch/f2.prom" &&
		! grep -Ev '^(# (TYPE|HELP|EOF)|nearfar_[a-z0-9_]+[{]([a-z][a-z0-9_]*="[^"]*",?)+[}] [-0-9.e+]+$)' \
			"$scratch/f2.prom"
}
check "OpenMetrics has a line a place" openmetrics

gbench() {
	grep -o '"name": "pointer-chase/op:ld.c[ag]/[^"]*/footprint_bytes:4096"' \
		"$scratch/f2.gbench.json" | sort -u >"$scratch/names"
	[ "$(wc -l <"$scratch/names")" = 3 ] &&
		grep -q '/l2_near_cycles:300/' "$scratch/names"
}
check "google-benchmark names tell series apart" gbench

compare_py=/usr/share/benchmark/compare.py
if [ -f $compare_py ] && /usr/bin/python3 -c 'import scipy' 2>/dev/null; then
	compared() {
		/usr/bin/python3 $compare_py --no-color benchmarks \
			"$scratch/f2.gbench.json" "$scratch/f2.gbench.json" |
			grep -q 'footprint_bytes:4096 .*+0.0000'
	}
	check "google-benchmark's compare.py reads its JSON" compared
else
	echo "ok cli: compare.py # SKIP there is no libbenchmark-tools with scipy"
fi

endings() {
	for file in chase.xyz chase.html2 a.json.zip; do
		status 2 run pointer-chase -x 4KiB -o "$scratch/$file" \
			2>"$scratch/why" && [ ! -e "$scratch/$file" ] &&
			grep -q 'ends in none of' "$scratch/why" || return
		done
	run pointer-chase -x 4KiB -f csv -o "$scratch/chase.xyz" &&
		run pointer-chase -x 4KiB -o "$scratch/plain" &&
		grep -q '^footprint_bytes ' "$scratch/plain" &&
		run pointer-chase -x 4KiB -o "$scratch/e.tidy.csv" &&
		grep -q '^series,bench,' "$scratch/e.tidy.csv"
}
check "unknown endings are refused" endings

# ---- help and installation ----

glossary() { # in order, each word once
	"$NEARFAR" help glossary | sed -n '/^[A-Za-z]/s/  .*//p' |
		sed 1d >"$scratch/words" &&
		[ "$(wc -l <"$scratch/words")" -ge 60 ] &&
		sort -fuc "$scratch/words"
}
check "the glossary is in order" glossary

helps() { # a bench has its own options, and no other's
	"$NEARFAR" help coalescing >"$scratch/help" &&
		grep -q -- '--spread=' "$scratch/help" &&
		! grep -q -- '--lines' "$scratch/help" &&
		grep -q '^Metrics (headline: latency_cycles):$' \
			"$scratch/help" &&
		"$NEARFAR" run coalescing --help >"$scratch/help" &&
		grep -q -- '--spread=' "$scratch/help" &&
		! grep -q -- '--page-stride' "$scratch/help" &&
		"$NEARFAR" run --help | grep -q -- '--page-stride' &&
		"$NEARFAR" help show | grep -q -- '--tidy' || return
	status 2 "$NEARFAR" help nothing 2>"$scratch/why" &&
		grep -q "no command, no bench and no topic 'nothing'" "$scratch/why"
}
check "help is about one command, bench or topic" helps

check "help of a bench says what it does, and its examples run" \
	tests/cli/examples.py

# -f and -o are the same in all commands that read series, and in list.
formats() {
	run pointer-chase --op ld.ca,ld.cg -x 4KiB,64KiB --loads 512 --samples \
		-o "$scratch/c.json" &&
		run near-far -m $small --lines 8 -o "$scratch/m.json" || return
	for format in table tidy csv vega-lite json jsonl openmetrics md tex; do
		for words in "show $scratch/c.json" "table $scratch/c.json" \
			"table $scratch/c.json $scratch/c.json" \
			"compare $scratch/c.json $scratch/c.json" \
			"modes $scratch/c.json" "map $scratch/m.json" \
			"list parameters"; do
			"$NEARFAR" $words -f $format >"$scratch/out" &&
				[ -s "$scratch/out" ] || return
			[ $format != json ] && [ $format != vega-lite ] ||
				python3 -m json.tool "$scratch/out" \
					>"$scratch/read" || return
		done
	done
	"$NEARFAR" table "$scratch/c.json" -o "$scratch/t.json" &&
		tests/schema/validate.py results/schema/table.schema.json \
			"$scratch/t.json" &&
		"$NEARFAR" modes "$scratch/c.json" -o "$scratch/t.tidy.csv" &&
		[ "$(head -n 1 "$scratch/t.tidy.csv" | cut -d, -f1-5)" = \
			bench,axis,x,mode,position_cycles ] &&
		"$NEARFAR" table "$scratch/c.json" -f csv | grep -q '^ld.ca,34,' &&
		status 2 "$NEARFAR" modes "$scratch/c.json" -f gbench \
			2>"$scratch/why" &&
		grep -q "'nearfar show FILE -f gbench'" "$scratch/why" &&
		status 2 "$NEARFAR" list -f openmetrics 2>"$scratch/why" &&
		grep -q 'needs numbers, and there are none' "$scratch/why"
}
check "all commands that read series write the same formats" formats

one_parser() { # of command lines
	! grep -rlE '<(argp|getopt)\.h>' --include='*.[ch]' harness bench \
		backend_sim backend_cuda | grep -v '^harness/options/'
}
check "harness/options alone reads command lines" one_parser

# Every command and topic has a page with its sections, in one line each.
pages() {
	"$NEARFAR" help --pages >"$scratch/pages" &&
		[ "$(grep -c '^1 ' "$scratch/pages")" = \
			"$("$NEARFAR" --help | grep -c '^  [a-z]')" ] || return
	while read -r section of; do
		"$NEARFAR" help --man "$of" >"$scratch/page" &&
			grep -qx "nearfar.*-$of .- .*" "$scratch/page" &&
			grep -q "^.TH .* $section " "$scratch/page" &&
			[ "$(grep -cx '.SH SEE ALSO' "$scratch/page")" = 1 ] ||
			return
		! grep -q '	' "$scratch/page" || return
		[ "$section" != 1 ] ||
			grep -qx '.SH EXIT STATUS' "$scratch/page" || return
	done <"$scratch/pages"
	for term in 'glossary carve\-out' 'machines sm_count' 'jobs name NAME'; do
		"$NEARFAR" help --man "${term%% *}" |
			grep -qxF ".B ${term#* }" || return
	done
	! "$NEARFAR" help --man kernels | grep -q '^.B arithmetic' &&
		"$NEARFAR" help --man | grep -qx '.SH FILES' &&
		"$NEARFAR" help --man show | grep -q 'Example: .*latency_cycles' &&
		status 2 "$NEARFAR" help --man nothing 2>"$scratch/why" &&
		grep -q "no command and no topic 'nothing'" "$scratch/why"
}
check "every command and topic has a manual page" pages

examples_of_set() {
	for of in run explain fingerprint; do
		name=$("$NEARFAR" help --man $of | sed -n \
			's/^Example: .*-set \([a-z0-9_]*\)=.*/\1/p')
		"$NEARFAR" list parameters -f csv | grep -q "^$name," ||
			{ echo "$of: --set $name"; return 1; }
	done
}
check "what the pages set is a parameter" examples_of_set

completes() {
	PATH=$scratch/bin:$PATH bash -c '. harness/command/completion/nearfar.bash
		try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _nearfar
			echo "${COMPREPLY[*]}"; }
		try nearfar comp; try nearfar run pointer-ch
		try nearfar run coalescing --spre; try nearfar help stri
		try nearfar run x -m gk; try nearfar list ma
		try nearfar help fing; try nearfar help gl
		try nearfar explain strid; try nearfar explain READM
		try nearfar show -f vega; try nearfar table --metric latency_c
		try nearfar run bandwidth --over = foo; try nearfar run x -b c
		try nearfar run x --set clock_h; try nearfar fleet same READM
		try nearfar list --machine = h200-sxm mach
		try nearfar fit --free clock_h
		try nearfar fingerprint -o LICEN' >"$scratch/completed"
	printf '%s\n' compare pointer-chase --spread stride-sweep gk110 \
		'machines marks' fingerprint glossary stride-sweep \
		README.md vega-lite latency_cycles footprint cuda \
		clock_hz= README.md machines clock_hz LICENSE |
		cmp - "$scratch/completed"
}
mkdir -p "$scratch/bin" && ln -sf "$(realpath "$NEARFAR")" "$scratch/bin/nearfar"
check "completion knows commands, options and what they take" completes

pages_lead() { # installed pages hold no dead link; one that is dead is found
	command -v python3 >/dev/null || return 0
	tests/files/links.py "$1" && rm "$1/results/accuracy.md" &&
		! tests/files/links.py "$1" >/dev/null
}

installs() { # and leaves nothing but folders when it goes
	# Only the recipes: what is installed is built already.
	make -n install DESTDIR="$scratch/image" PREFIX=/opt/nearfar |
		grep -E '^(install|	|for|tests/support/pages)' >/dev/null &&
		make --no-print-directory -o build/nearfar install \
			DESTDIR="$scratch/image" PREFIX=/opt/nearfar >"$scratch/log" &&
		[ -x "$scratch/image/opt/nearfar/bin/nearfar" ] &&
		"$scratch/image/opt/nearfar/bin/nearfar" --version &&
		[ -s "$scratch/image/opt/nearfar/share/zsh/site-functions/_nearfar" ] &&
		pages_lead "$scratch/image/opt/nearfar/share/doc/nearfar" &&
		make --no-print-directory uninstall \
			DESTDIR="$scratch/image" PREFIX=/opt/nearfar >"$scratch/log" &&
		[ -z "$(find "$scratch/image" -type f)" ]
}
if [ -x build/nearfar ]; then
	check "install and uninstall" installs
else
	echo "ok cli: install # SKIP build/nearfar was not built"
fi
