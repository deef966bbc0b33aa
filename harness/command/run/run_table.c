#include <string.h>

#include "harness/command/run/run_table.h"
#include "harness/command/run/run_what_if.h"

#define AT(member) OPTIONS_AT(struct run_options, member)

/* ---- words with a meaning of their own ---- */

#define TAKE(name, function)                                                   \
	static int take_##name(void *into, const struct options_row *row,      \
		char *text, struct error *error)                               \
	{                                                                      \
		(void)row;                                                     \
		return function(into, text, error);                            \
	}
TAKE(backend, run_words_backend)
TAKE(devices, run_words_devices)
TAKE(peer, run_words_peer)
TAKE(dump, run_words_dump)
TAKE(set, run_what_if_set)
TAKE(variable, run_what_if_variable)
TAKE(points, run_what_if_points)

static int take_file(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	struct run_parsing *p = into;
	const enum run_words kind =
		!strcmp(row->name, "program") ? RUN_PROGRAMS : RUN_JOBS;

	if (p->kind != RUN_BENCHES && p->kind != kind)
		return error_set(error, ERR_USAGE,
			"--program and --kernel do not go together");
	p->kind = kind;
	p->words[p->word_count++] = text;
	return 0;
}

static int take_trace(void *into, const struct options_row *row, char *text,
	struct error *error)
{
	static const char *const names[] = {
#define NAME(name, text) text,
		WANTED_OPTIONS(NAME)
#undef NAME
	};
	struct run_options *o = into;
	int i;

	for (i = 0; strcmp(names[i] + 2, row->name) != 0; i++)
		;
	return wanted_take(&o->trace, (enum wanted_option)i, text, error);
}

/* ---- the table ---- */

const struct options_row run_rows[] = {
	{"backend", 'b', "NAME", "sim (default) or cuda", TAKES_OWN,
		.take = take_backend, .values = VALUES_BACKENDS},
	{"machine", 'm', "MACHINE",
		"machine of the model: a name, or a FILE.yaml", TAKES_TEXT,
		AT(machine), .values = VALUES_MACHINES},
	{"set", 0, "PARAMETER=VALUE,...",
		"change a parameter of the model's machine; several values "
		"make a series each",
		TAKES_OWN, .take = take_set, .values = VALUES_PARAMETERS,
		.example = "dram_latency_cycles=300,400"},
	{"var", 0, "NAME=VALUE,...",
		"the value of $NAME in programs; several values make a series "
		"each",
		TAKES_OWN, .take = take_variable, .example = "size=1MiB,2MiB"},
	{"like", 0, "FILE",
		"run the partner of each series in FILE: its bench, options "
		"and points, or its programs",
		TAKES_TEXT, AT(like), .values = VALUES_FILES},
	{"device", 0, "N,...",
		"index of the GPU (default 0); several, or all, run at the "
		"same time and make series of their own",
		TAKES_OWN, .take = take_devices, .example = "0,1"},
	{"peer", 0, "N",
		"index of the GPU that has the memory of --memory peer "
		"(default: the next one)",
		TAKES_OWN, .take = take_peer, .example = "1"},
	{"program", 0, "FILE",
		"run an access program instead of a bench; a folder stands for "
		"its *.txt, and more files or folders may follow",
		TAKES_OWN, .take = take_file, .values = VALUES_FILES},
	{"kernel", 0, "JOB",
		"run a job, which launches a user's own PTX, instead of a "
		"bench; a folder stands for its *.job, and more files or "
		"folders may follow; a kernelslist.g stands for its traces",
		TAKES_OWN, .take = take_file, .values = VALUES_FILES},
	{"warm", 0, NULL,
		"with --kernel: execute each launch once more before it is "
		"measured, so that caches are warm",
		TAKES_NOTHING, AT(warm)},
	{"dump", 0, "BUFFER=FILE",
		"with --kernel: write the last content of a job's buffer",
		TAKES_OWN, .take = take_dump, .values = VALUES_FILES,
		.example = "out=out.bin"},
	{"digests", 0, "FILE",
		"with --kernel: write a digest of each buffer's last content",
		TAKES_TEXT, AT(digests), .values = VALUES_FILES},
	{"check", 0, "FILE",
		"with --kernel: fail with status 3 where a buffer does not "
		"meet its digest of that file",
		TAKES_TEXT, AT(check), .values = VALUES_FILES},
	{"profile", 0, "FILE",
		"with --kernel, on the model: write what warps waited for, by "
		"launch, by line of PTX and by source line, as .txt, .json, "
		".csv or .md (-: standard output)",
		TAKES_TEXT, AT(profile), .values = VALUES_FILES},
	{"max-cycles", 0, "N",
		"with --kernel, on the model: stop a launch after N cycles, "
		"and say where its warps stand",
		TAKES_COUNT, AT(max_cycles), .least = 1,
		.most = RUN_CYCLES_MAX},
	{"races", 0, NULL,
		"with --kernel, on the model: stop where nothing orders two "
		"threads' accesses to shared memory, and name the lines of PTX "
		"that read from L1 what another SM has written since, on "
		"standard error",
		TAKES_NOTHING, AT(races)},
	{"unchecked", 0, NULL,
		"with --kernel, on the model: do not look whether a kernel "
		"waits for its copies and its threads for each other, a launch "
		"for another",
		TAKES_NOTHING, AT(unchecked)},
	{"as-written", 0, NULL,
		"with --kernel, on the model: execute the instructions as the "
		"text has them, without what the model does for the assembler",
		TAKES_NOTHING, AT(as_written)},
	{"values", 0, "KIND",
		"with --kernel, on the model: sums of matrices as the hardware "
		"makes them (hardware, the default), or faster in f32 (ieee); "
		"or no values but those that decide an address, a branch or "
		"the like (none): times without the content of buffers",
		TAKES_TEXT, AT(values), .choices = "hardware|ieee|none",
		.values = VALUES_CHOICES, .example = "ieee"},
	{"trace", 0, "FILE",
		"of one point or job: write what warps, requests and servers "
		"do, cycle by cycle, as Chrome trace JSON, which Perfetto "
		"opens (.json or .json.gz; -: standard output)",
		TAKES_OWN, .take = take_trace, .values = VALUES_FILES},
	{"trace-window", 0, "FIRST:END",
		"with --trace: from cycle FIRST up to cycle END", TAKES_OWN,
		.take = take_trace, .example = "1000:2000"},
	{"trace-sm", 0, "N,...",
		"with --trace: warps of these SMs, and what they ask for",
		TAKES_OWN, .take = take_trace, .example = "0,1"},
	{"trace-warp", 0, "N",
		"with --trace: warp N of the launch, counted over its blocks, "
		"and what it asks for",
		TAKES_OWN, .take = take_trace, .example = "0"},
	{"trace-line", 0, "N",
		"with --trace and --kernel: what line N of the PTX waits and "
		"asks for",
		TAKES_OWN, .take = take_trace, .example = "12"},
	{"trace-limit", 0, "N",
		"with --trace: at most N events (default 100000, at most "
		"10000000); the file says how many more there were",
		TAKES_OWN, .take = take_trace, .example = "1000"},
	{"points", 'x', "SWEEP",
		"FIRST:LAST:POINTS_PER_OCTAVE, or A,B,C (units: KiB MiB GiB kB "
		"MB GB). set:PARAMETER=SWEEP makes a parameter of the machine "
		"the axis, at each place of another -x; var:NAME=SWEEP a "
		"variable of programs",
		TAKES_OWN, .take = take_points, .example = "32KiB:1GiB:2"},
	{"repeats", 'r', "N", "runs of each point (default: cuda 5, sim 1)",
		TAKES_COUNT, AT(repeats), .least = 1, .most = 100000},
	{"warmups", 'w', "N",
		"runs of each point that are not counted (default: cuda 1, sim "
		"0)",
		TAKES_COUNT, AT(warmups), .most = 100000},
	{"seed", 0, "N", "seed of rings and draws (default 1)", TAKES_COUNT,
		AT(seed), .most = UINT32_MAX},
	{"jobs", 'j', "N", "workers of the model (default: cores)", TAKES_COUNT,
		AT(jobs), .least = 1, .most = 4096},
	{"format", 'f', "FORMAT", "(default: table)", TAKES_CHOICE,
		OPTIONS_AT(struct run_parsing, format),
		.choices = SERIES_FORMAT_CHOICES, .values = VALUES_CHOICES,
		.example = "csv"},
	{"output", 'o', "FILE",
		"write there; the name chooses the format if -f does not",
		TAKES_TEXT, AT(output), .values = VALUES_FILES},
	{"force", 0, NULL,
		"write over a file of -o or --raw that is there already",
		TAKES_NOTHING, AT(force)},
	{"raw", 0, "FILE", "write every sample as CSV", TAKES_TEXT, AT(raw),
		.values = VALUES_FILES},
	{"resume", 0, NULL,
		"go on with an interrupted run: points that its journal (-o "
		"FILE, FILE.journal) holds are not run again",
		TAKES_NOTHING, AT(resume)},
	{"shard", 0, "DIR/N",
		"run shard N of the split in DIR (see 'nearfar plan') and "
		"write DIR/N.json.gz; --jobs and --scratch alone go with it",
		TAKES_TEXT, AT(shard), .values = VALUES_FOLDERS},
	{"scratch", 0, "FOLDER",
		"with --shard: keep the journals there, on a disk of the node, "
		"and not in DIR",
		TAKES_TEXT, AT(scratch), .values = VALUES_FOLDERS},
	{"strict", 0, NULL,
		"fail with status 3 if a point is marked: what its clock, its "
		"repeats or the GPU make doubtful",
		TAKES_NOTHING, AT(strict)},
	{"no-samples", 0, NULL,
		"keep no raw samples: the model makes them again",
		TAKES_NOTHING, AT(no_samples)},
	{"stats", 0, NULL,
		"print the model's work, speed and memory to standard error",
		TAKES_NOTHING, AT(stats)},
	{"dry-run", 0, NULL, "print the points and check their programs",
		TAKES_NOTHING, AT(dry_run)},
	{"dump-program", 0, NULL, "print the first point's access program",
		TAKES_NOTHING, AT(dump_program)},
	{"dump-ptx", 0, NULL, "print the first point's PTX", TAKES_NOTHING,
		AT(dump_ptx)},
	{0},
};
