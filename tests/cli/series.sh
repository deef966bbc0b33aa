#!/bin/sh
# Series on the command line: what tells them apart, gates, what-ifs, and the
# files that others read.
# environment: NEARFAR
. tests/cli/support.sh

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
