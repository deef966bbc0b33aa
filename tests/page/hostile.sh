#!/bin/sh
# Writes FOLDER/hostile.html, a report of texts that would run if they were
# not taken as text: in file names, benches, options, provenance, reasons,
# profiles of kernels, title and notes.
# usage: hostile.sh NEARFAR FOLDER
set -eu
nearfar=$1 folder=$2
bad='</script><script>window.ran=1</script><img src=x onerror=window.ran=2>'
quoted="\"'\`\$(touch $folder/ran)\`touch $folder/ran\`; set output | & -->"

rm -f "$folder/ran"
python3 - "$folder/series.json" "$bad" "$quoted" <<'END'
import json, sys
path, bad, quoted = sys.argv[1:]
numbers = dict(median=2, mean=2, p5=1, p95=3, mad=0, low=1, high=3, count=4,
               outliers=0)
def series(backend):
    return {
        "bench": bad, "options": {bad: quoted, "op": bad + "\n" + quoted},
        "axis": {"name": "x" + bad}, "metrics": ["latency_cycles"],
        "provenance": {"backend": backend, "device.name": bad,
                       "warning": [bad, quoted + "\nset output 'x'\n"]},
        "points": [{"x": x, "clock_hz": 1e9,
                    "metrics": {"latency_cycles": numbers}}
                   for x in (1, 2, 4, 8)] +
                  [{"x": 16, "skipped": bad + quoted}]}
waits = dict.fromkeys(
    "issue code arithmetic shared_memory barrier l1 near_l2 far_l2 dram tlb "
    "request_queue atomic_unit write_queue drain dependence".split(), 1)
line = {"line": 1, "ptx": bad + quoted, "source": bad, "source_line": 2,
        "executions": 1, "lanes": 1, "requests": 1, "sectors": 1,
        "found": dict(l1=0, near_l2=0, far_l2=1, dram=0), "answered": 1,
        "latency_cycles": 500, "wait_cycles": waits}
launch = {"job": bad, "kernel": quoted, "module": bad,
          "machine": bad + quoted, "launch": 0, "repeat": 0, "cycles": 12,
          "warp_cycles": 12, "wait_cycles": waits, "lines": [line]}
json.dump({"schema": "nearfar-profile/1", "launches": [launch]},
          open(path + ".profile", "w"))
json.dump({"schema": "nearfar-series/1",
           "series": [series("cuda"), series("sim")]}, open(path, "w"))
END
name="$folder/<img src=x onerror=window.ran=3> \$(touch ran).json"
mv "$folder/series.json" "$folder/hostile.json"
rm -rf "$folder"/'<img'*
mkdir -p "$(dirname "$name")"
cp "$folder/hostile.json" "$name"
mv "$folder/series.json.profile" "$name.profile"
"$nearfar" report "$name" "$name.profile" -o "$folder/hostile.html" --title "$bad$quoted" \
	--note "$bad" --note "$quoted"
[ ! -e "$folder/ran" ]
