#!/bin/sh
# `nearfar explain` on the command line: jobs, programs and benches.
# environment: NEARFAR
. tests/cli/support.sh
bfs=tests/kernels/graph/bfs-small.job
box=tests/kernels/box/swizzled_box-small.job

explain() { "$NEARFAR" explain "$@"; }
says() { # WANTED SENTENCE COMMAND...: the status, and what is said
	wanted=$1 sentence=$2
	shift 2
	status "$wanted" "$@" 2>"$scratch/err" &&
		grep -qF -- "$sentence" "$scratch/err"
}

# Shares add up; servers are busy as the profile says.
holds() {
	explain $bfs --no-what-if -f json >"$scratch/e.json" &&
		run --kernel $bfs -o "$scratch/x.json" \
			--profile "$scratch/p.json" &&
		python3 - "$scratch/e.json" "$scratch/p.json" <<-'END'
			import json, sys
			e, p = (json.load(open(f)) for f in sys.argv[1:])
			p = p["launches"][0]
			assert e["cycles"] == p["cycles"]
			shares = sum(b["share"] for b in e["binds"]
			             if b["server"] not in ("tail", "block_ends"))
			assert 0.99 < shares < 1.0001, shares
			order = [b["share"] for b in e["binds"]]
			assert order == sorted(order, reverse=True)
			busy = {s["server"]: s["busy_share"] for s in p["servers"]}
			assert {c["server"]: c["busy_share"]
			        for c in e["ceilings"]} == busy
			assert e["runs_most"] == 0 and not e["what_ifs"]
			loads = {o["operator"]: o for o in e["memory"]["operators"]}
			assert loads["ld.global.nc"]["sectors_per_request"] > 1
		END
}
check "an explanation is that of the profile" holds

# A what-if is what the same words give by themselves.
what_if() {
	explain $bfs -o "$scratch/w.json" || return
	python3 - "$scratch/w.json" >"$scratch/set" <<-'END'
		import json, sys
		e = json.load(open(sys.argv[1]))
		ran = [w for w in e["what_ifs"] if w["change"].startswith("--set")]
		assert ran and len(e["what_ifs"]) <= e["runs_most"] == 10
		assert len([w for w in e["what_ifs"] if w["proposed"]]) <= 5
		for w in e["what_ifs"]:
		    if "gain" in w:
		        assert w["proposed"] == (100 * w["gain"] >
		                                 e["error"]["percent"]), w
		print(ran[0]["cycles"], ran[0]["change"])
	END
	read -r cycles change <"$scratch/set" &&
		set -- $(echo "$change" | tr , ' ' | sed 's/--set //') &&
		for one; do printf -- '--set %s ' "$one"; done >"$scratch/words" &&
		run --kernel $bfs $(cat "$scratch/words") \
			-o "$scratch/set.json" &&
		grep -q "\"median\": $cycles[,}]" "$scratch/set.json"
}
check "a what-if is a run of the same words" what_if

# A kernel whose result depends on its blocks is not launched otherwise.
other_results() {
	explain $box | grep -q 'not run: the kernel leaves other results'
}
check "a launch with other results is not proposed" other_results

# Bank conflicts, and lanes that lie apart: the gain of a layout without them.
layouts() {
	explain tests/kernels/transpose/transpose_banks-small.job -f json \
		>"$scratch/banks.json" &&
		explain tests/kernels/transpose/to_arrays-small.job -f json \
			>"$scratch/apart.json" &&
		python3 - "$scratch/banks.json" "$scratch/apart.json" <<-'END'
			import json, sys
			banks, apart = (json.load(open(f)) for f in sys.argv[1:])
			tried = lambda e, what: [w for w in e["what_ifs"]
			                         if w["change"] == what][0]
			assert banks["binds"][0]["server"] == "load_store_pipe"
			assert tried(banks, "without bank conflicts")["gain"] > 0.2
			assert "gain" in tried(apart, "strides of lanes closed up")
		END
}
check "accesses whose lanes lie better are tried" layouts

# What the change of a source would be: fewer registers, f32, atomics that are
# summed up first; lanes side by side are not proposed where that gains nothing.
# make check-explain holds their gains to an H200's.
changes() {
	for job in kept potential lists largest; do
		sed "s|^module |module $PWD/tests/explain/pairs/|
			s/grid=528 /grid=400 /
			s/s32:384/s32:64/; s/s32:262144/s32:32768/
			s/ grid=64 / grid=8 /; s/bytes=1MiB/bytes=256KiB/
			s/s32:262143/s32:65535/" \
			tests/explain/pairs/${job}_before.job >"$scratch/$job.job"
		explain "$scratch/$job.job" -o "$scratch/$job.json" || return
	done
	python3 - "$scratch" <<-'END'
		import json, sys
		def tried(job, begin):
		    e = json.load(open(f"{sys.argv[1]}/{job}.json"))
		    return [w for w in e["what_ifs"] if w["change"].startswith(begin)]
		assert tried("kept", "--set registers_per_sm=")[0]["gain"] > 0
		assert tried("potential", "pipe_fp64 in half the time")[0]["gain"] > 0
		(summed,) = tried("largest", "atomics summed up first")
		assert summed["gain"] > 0.5 and summed["at_most"]
		assert not tried("lists", "strides")[0]["proposed"]
		for w in tried("lists", ""):
		    assert not w["proposed"] or "side by side" not in w.get("advice", ""), w
	END
}
check "changes of a source are tried" changes

programs() {
	explain tests/golden/programs/through.txt --no-what-if \
		-o "$scratch/program.json" &&
		explain pointer-chase -x 1MiB --no-what-if \
			-o "$scratch/bench.json" -- --op atom.add &&
		grep -q '"operator": "atom.global' "$scratch/bench.json" &&
		explain pointer-chase -x 1MiB --no-what-if -- --op atom.add |
		grep -q '^pointer-chase:8 .*  *atom.global.add.u64 \[ring chase\]$' &&
		says 2 "-x 1MiB,2MiB is 2 points: one is explained" \
			explain pointer-chase -x 1MiB,2MiB
}
check "programs and benches are explained as the kernels they become" programs

schema() {
	for file in e w program bench; do
		tests/schema/validate.py results/schema/explain.schema.json \
			"$scratch/$file.json" || return
	done
	sed 's/"share": /"shares": /' "$scratch/e.json" >"$scratch/spoiled.json"
	! tests/schema/validate.py results/schema/explain.schema.json \
		"$scratch/spoiled.json"
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "an explanation keeps its schema" schema
else
	echo "ok cli: the schema of explanations # SKIP there is no" \
		"python3-jsonschema"
fi

refused() {
	says 2 "a job, a program or a bench is needed" explain &&
		says 2 "--launch 7: the last launch of job" explain $bfs --launch 7 &&
		says 2 "--backend does not go with 'nearfar explain'" \
			explain $bfs -- -b cuda &&
		says 2 "is 2 runs: one job, program or point" \
			explain $bfs --set sm_count=66,132 &&
		says 2 "$scratch/none.job" explain "$scratch/none.job" &&
		says 2 "the format 'csv' is none of table, json" \
			explain $bfs -f csv
}
check "what cannot be explained is refused" refused

picture() {
	explain $bfs --no-what-if -o "$scratch/chip.svg" &&
		python3 - "$scratch/chip.svg" <<-'END'
			import sys
			import xml.etree.ElementTree as tree
			text = "".join(tree.parse(sys.argv[1]).getroot().itertext())
			for word in ("SMs", "lookups", "atomic units", "bridge",
			             "in line at all", "bfs.cu:14",
			             "if (!levels[other] && !"):
			    assert word in text, word
		END
}
check "pictures of a launch are XML" picture

report() {
	run --kernel $bfs -o "$scratch/x.json" --profile "$scratch/p.json" &&
		"$NEARFAR" report "$scratch/p.json" -o "$scratch/r.html" &&
		grep -q 'class="picture memory"' "$scratch/r.html" &&
		grep -q 'latency of dram</th><td>bfs.cu:12' "$scratch/r.html" &&
		grep -q 'how many stand in line' "$scratch/r.html" &&
		grep -q '<code>int other = neighbours' "$scratch/r.html" &&
		"$NEARFAR" report -f html "$scratch/p.json" -o "$scratch/r.page" &&
		cmp "$scratch/r.html" "$scratch/r.page"
}
check "a report says what binds" report
