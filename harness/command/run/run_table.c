#include "harness/command/run/run_table.h"

const struct argp_option run_own_options[RUN_OWN_OPTIONS + 1] = {
	{"backend", 'b', "NAME", 0, "sim (default) or cuda", 0},
	{"machine", 'm', "MACHINE", 0,
		"machine of the model: a name, or a FILE.yaml", 0},
	{"set", KEY_SET, "PARAMETER=VALUE,...", 0,
		"change a parameter of the model's machine; several values "
		"make a series each",
		0},
	{"engine", KEY_ENGINE, "KIND", 0,
		"what executes programs and benches on the model: itself "
		"(programs, the default), or the kernels that a GPU runs for "
		"them (kernels)",
		0},
	{"var", KEY_VAR, "NAME=VALUE,...", 0,
		"the value of $NAME in programs; several values make a series "
		"each",
		0},
	{"like", KEY_LIKE, "FILE", 0,
		"run the partner of each series in FILE: its bench, options "
		"and points, or its programs",
		0},
	{"device", KEY_DEVICE, "N,...", 0,
		"index of the GPU (default 0); several, or all, run at the "
		"same time and make series of their own",
		0},
	{"peer", KEY_PEER, "N", 0,
		"index of the GPU that has the memory of --memory peer "
		"(default: the next one)",
		0},
	{"program", KEY_PROGRAM, "FILE", 0,
		"run an access program instead of a bench; a folder stands for "
		"its *.txt, and more files or folders may follow",
		0},
	{"kernel", KEY_KERNEL, "JOB", 0,
		"run a job, which launches a user's own PTX, instead of a "
		"bench; a folder stands for its *.job, and more files or "
		"folders may follow; a kernelslist.g stands for its traces",
		0},
	{"warm", KEY_WARM, NULL, 0,
		"with --kernel: execute each launch once more before it is "
		"measured, so that caches are warm",
		0},
	{"dump", KEY_DUMP, "BUFFER=FILE", 0,
		"with --kernel: write the last content of a job's buffer", 0},
	{"digests", KEY_DIGESTS, "FILE", 0,
		"with --kernel: write a digest of each buffer's last content",
		0},
	{"check", KEY_CHECK, "FILE", 0,
		"with --kernel: fail with status 3 where a buffer does not "
		"meet its digest of that file",
		0},
	{"profile", KEY_PROFILE, "FILE", 0,
		"with --kernel, on the model: write what warps waited for, by "
		"launch, by line of PTX and by source line, as .txt, .json, "
		".csv or .md (-: standard output)",
		0},
	{"max-cycles", KEY_MAX_CYCLES, "N", 0,
		"with --kernel, on the model: stop a launch after N cycles, "
		"and say where its warps stand",
		0},
	{"races", KEY_RACES, NULL, 0,
		"with --kernel, on the model: stop where nothing orders two "
		"threads' accesses to shared memory, and name the lines of PTX "
		"that read from L1 what another SM has written since, on "
		"standard error",
		0},
	{"unchecked", KEY_UNCHECKED, NULL, 0,
		"with --kernel, on the model: do not look whether a kernel "
		"waits for its copies and its threads for each other, a launch "
		"for another",
		0},
	{"as-written", KEY_AS_WRITTEN, NULL, 0,
		"with --kernel, on the model: execute the instructions as the "
		"text has them, without what the model does for the assembler",
		0},
	{"values", KEY_VALUES, "KIND", 0,
		"with --kernel, on the model: sums of matrices as the hardware "
		"makes them (hardware, the default), or faster in f32 (ieee); "
		"or no values but those that decide an address, a branch or "
		"the like (none): times without the content of buffers",
		0},
	{"trace", KEY_TRACE, "FILE", 0,
		"of one point or job: write what warps, requests and servers "
		"do, cycle by cycle, as Chrome trace JSON, which Perfetto "
		"opens (.json or .json.gz; -: standard output)",
		0},
	{"trace-window", KEY_TRACE_WINDOW, "FIRST:END", 0,
		"with --trace: from cycle FIRST up to cycle END", 0},
	{"trace-sm", KEY_TRACE_SM, "N,...", 0,
		"with --trace: warps of these SMs, and what they ask for", 0},
	{"trace-warp", KEY_TRACE_WARP, "N", 0,
		"with --trace: warp N of the launch, counted over its blocks, "
		"and what it asks for",
		0},
	{"trace-line", KEY_TRACE_LINE, "N", 0,
		"with --trace and --kernel: what line N of the PTX waits and "
		"asks for",
		0},
	{"trace-limit", KEY_TRACE_LIMIT, "N", 0,
		"with --trace: at most N events (default 100000, at most "
		"10000000); the file says how many more there were",
		0},
	{"points", 'x', "SWEEP", 0,
		"FIRST:LAST:POINTS_PER_OCTAVE, or A,B,C (units: KiB MiB GiB "
		"kB MB GB). set:PARAMETER=SWEEP makes a parameter of the "
		"machine the axis, at each place of another -x; "
		"var:NAME=SWEEP a variable of programs",
		0},
	{"repeats", 'r', "N", 0, "runs of each point (default: cuda 5, sim 1)",
		0},
	{"warmups", 'w', "N", 0,
		"runs of each point that are not counted (default: cuda 1, "
		"sim 0)",
		0},
	{"seed", KEY_SEED, "N", 0, "seed of rings and draws (default 1)", 0},
	{"jobs", 'j', "N", 0, "workers of the model (default: cores)", 0},
	{"format", 'f', "FORMAT", 0,
		"table (default), csv, tidy, json, jsonl, md, gbench, "
		"vega-lite or "
		"openmetrics",
		0},
	{"output", 'o', "FILE", 0,
		"write there; the name chooses the format if -f does not", 0},
	{"raw", KEY_RAW, "FILE", 0, "write every sample as CSV", 0},
	{"resume", KEY_RESUME, NULL, 0,
		"go on with an interrupted run: points that its journal "
		"(-o FILE, FILE.journal) holds are not run again",
		0},
	{"shard", KEY_SHARD, "DIR/N", 0,
		"run shard N of the split in DIR (see 'nearfar plan') and "
		"write DIR/N.json.gz; --jobs and --scratch alone go with it",
		0},
	{"scratch", KEY_SCRATCH, "FOLDER", 0,
		"with --shard: keep the journals there, on a disk of the node, "
		"and not in DIR",
		0},
	{"strict", KEY_STRICT, NULL, 0,
		"fail with status 3 if a point is marked: what its clock, its "
		"repeats or the GPU make doubtful",
		0},
	{"no-samples", KEY_NO_SAMPLES, NULL, 0,
		"keep no raw samples: the model makes them again", 0},
	{"stats", KEY_STATS, NULL, 0,
		"print the model's work, speed and memory to standard error",
		0},
	{"dry-run", KEY_DRY_RUN, NULL, 0,
		"print the points and check their programs", 0},
	{"dump-program", KEY_DUMP_PROGRAM, NULL, 0,
		"print the first point's access program", 0},
	{"dump-ptx", KEY_DUMP_PTX, NULL, 0, "print the first point's PTX", 0},
	{0},
};
