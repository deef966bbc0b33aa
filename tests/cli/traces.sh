#!/bin/sh
# What a run does in time: --trace.
# environment: NEARFAR
. tests/cli/support.sh
copy=tests/kernels/stream/copy-small.job
small=tests/golden/machines/small.yaml
json=$scratch/trace.json

holds() { tests/schema/trace.py "$json" >"$scratch/count"; }

full() { # also of bulk copies; the limit is met, and told in both places
	run --kernel tests/kernels/async/ring-small.job \
		--trace "$json" -o "$scratch/o.json" \
		2>"$scratch/err" && holds &&
		[ "$(cat "$scratch/count")" -gt 70000 ] &&
		left=$(sed -n 's/.*"left_out":\([0-9]*\).*/\1/p' "$json") &&
		grep -q "trace is full: $left further events" "$scratch/err"
}
check "a full trace is whole, and says how much is left out" full

one_warp() { # a warp's requests, and none of another
	run --kernel $copy -o "$scratch/o.json" &&
		run --kernel $copy --trace "$json" --trace-warp 64 \
			-o "$scratch/o2.json" && holds &&
		cmp "$scratch/o.json" "$scratch/o2.json" &&
		python3 - "$json" <<-'END'
			import json, sys
			t = json.load(open(sys.argv[1]))
			x = [e for e in t["traceEvents"] if e["ph"] == "X"]
			assert {e["args"].get("warp", 64) for e in x} == {64}
			(warp,) = [e for e in x if e["cat"] == "warp"]
			waits = [e for e in x if e["cat"] == "wait"]
			assert sum(e["args"]["cycles"] for e in waits) == \
			    warp["args"]["cycles"]
			loads = [e for e in waits if e["name"] == "dram"]
			assert loads and all("ld.global" in e["args"]["ptx"]
			    for e in loads)
			assert t["otherData"]["left_out"] == 0
		END
}
check "a trace of a warp has all that it does, and changes no result" one_warp

one_line() {
	run --kernel $copy --trace "$json" --trace-line 45 --trace-sm 3 \
		--trace-window 1000:1200 -o "$scratch/o.json" &&
		holds && python3 - "$json" <<-'END'
			import json, sys
			x = [e for e in json.load(open(sys.argv[1]))["traceEvents"]
			    if e["ph"] == "X"]
			told = [e for e in x if "line" in e["args"]]
			assert told and {e["args"]["line"] for e in told} == {45}
			assert {e["args"].get("sm", 3) for e in x} == {3}
		END
}
check "a trace of a line, an SM and a window has no more" one_line

programs() { # and a bench, gzipped
	run --program tests/golden/programs/small.txt -m $small \
		--trace "$json" -o "$scratch/o.json" 2>/dev/null &&
		holds &&
		grep -q '"name":"measure","cat":"launch"' "$json" &&
		json=$json.gz && run pointer-chase -x 64KiB --loads 512 -m $small --trace "$json" \
		-o "$scratch/o.json" 2>/dev/null && holds
}
check "programs and benches are traced" programs

stops() { # the trace is there although the run has failed
	rm -f "$json"
	status 1 run --kernel $copy --max-cycles 900 --trace "$json" \
		--trace-limit 2000 2>/dev/null && holds
}
check "a run that fails leaves its trace" stops

schema() {
	tests/schema/validate.py results/schema/trace.schema.json "$json" ||
		return
	sed 's/"ph":"X"/"ph":"B"/' "$json" >"$scratch/spoiled.json"
	! tests/schema/validate.py results/schema/trace.schema.json \
		"$scratch/spoiled.json"
}
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "a trace keeps its schema" schema
else
	echo "ok cli: the schema of traces # SKIP there is no" \
		"python3-jsonschema"
fi
