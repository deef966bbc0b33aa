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
TAKE(repeats, run_words_repeats)

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
	{"backend", 'b', TAKES_OWN, "NAME", "sim (default) or cuda",
		.take = take_backend, .values = VALUES_BACKENDS},
	{"machine", 'm', TAKES_TEXT, "MACHINE",
		"machine of the model: a name, or a FILE.yaml", AT(machine),
		.values = VALUES_MACHINES},
	{"set", 0, TAKES_OWN, "PARAMETER=VALUE,...",
		"change a parameter of the model's machine; several values "
		"make a series each",
		.take = take_set, .values = VALUES_SETTINGS,
		.example = "dram_near_cycles=300,400"},
	{"var", 0, TAKES_OWN, "NAME=VALUE,...",
		"the value of $NAME in programs; several values make a series "
		"each",
		.take = take_variable, .example = "size=1MiB,2MiB"},
	{"like", 0, TAKES_TEXT, "FILE",
		"run the partner of each series in FILE: its bench, options "
		"and points, or its programs",
		AT(like), .values = VALUES_FILES},
	{"device", 0, TAKES_OWN, "N,...",
		"index of the GPU (default 0); several, or all, run at the "
		"same time and make series of their own",
		.take = take_devices, .example = "0,1"},
	{"peer", 0, TAKES_OWN, "N",
		"index of the GPU that has the memory of --memory peer "
		"(default: the next one)",
		.take = take_peer, .example = "1"},
	{"program", 0, TAKES_OWN, "FILE",
		"run an access program instead of a bench; a folder stands for "
		"its *.txt, and more files or folders may follow",
		.take = take_file, .values = VALUES_FILES},
	{"kernel", 0, TAKES_OWN, "JOB",
		"run a job, which launches a user's own PTX, instead of a "
		"bench; a folder stands for its *.job, and more files or "
		"folders may follow; a kernelslist.g stands for its traces",
		.take = take_file, .values = VALUES_FILES},
	{"warm", 0, TAKES_NOTHING, NULL,
		"with --kernel: execute each launch once more before it is "
		"measured, so that caches are warm",
		AT(warm)},
	{"dump", 0, TAKES_OWN, "BUFFER=FILE",
		"with --kernel: write the last content of a job's buffer",
		.take = take_dump, .values = VALUES_FILES,
		.example = "out=out.bin"},
	{"digests", 0, TAKES_TEXT, "FILE",
		"with --kernel: write a digest of each buffer's last content",
		AT(digests), .values = VALUES_FILES},
	{"check", 0, TAKES_TEXT, "FILE",
		"with --kernel: fail with status 3 where a buffer does not "
		"meet its digest of that file",
		AT(check), .values = VALUES_FILES},
	{"profile", 0, TAKES_TEXT, "FILE",
		"on the model: write what warps waited for, by launch, by line "
		"of PTX and by line of the source or the program, as .txt, "
		".json, .csv or .md (-: standard output)",
		AT(profile), .values = VALUES_FILES},
	{"max-cycles", 0, TAKES_COUNT, "N",
		"on the model: stop a launch after N cycles, and say where "
		"its warps stand",
		AT(max_cycles), .least = 1, .most = RUN_CYCLES_MAX},
	{"races", 0, TAKES_NOTHING, NULL,
		"with --kernel, on the model: stop where nothing orders two "
		"threads' accesses to shared memory, and name the lines of PTX "
		"that read from L1 what another SM has written since, on "
		"standard error",
		AT(races)},
	{"unchecked", 0, TAKES_NOTHING, NULL,
		"with --kernel, on the model: do not look whether a kernel "
		"waits for its copies and its threads for each other, a launch "
		"for another",
		AT(unchecked)},
	{"as-written", 0, TAKES_NOTHING, NULL,
		"with --kernel, on the model: execute the instructions as the "
		"text has them, without what the model does for the assembler",
		AT(as_written)},
	{"values", 0, TAKES_TEXT, "KIND",
		"with --kernel, on the model: sums of matrices as the hardware "
		"makes them (hardware, the default), or faster in f32 (ieee); "
		"or no values but those that decide an address, a branch or "
		"the like (none): times without the content of buffers",
		AT(values), .choices = "hardware|ieee|none",
		.values = VALUES_CHOICES, .example = "ieee"},
	{"trace", 0, TAKES_OWN, "FILE",
		"of one point or job: write what warps, requests and servers "
		"do, cycle by cycle, as Chrome trace JSON, which Perfetto "
		"opens (.json or .json.gz; -: standard output)",
		.take = take_trace, .values = VALUES_FILES},
	{"trace-window", 0, TAKES_OWN, "FIRST:END",
		"with --trace: from cycle FIRST up to cycle END",
		.take = take_trace, .example = "1000:2000"},
	{"trace-sm", 0, TAKES_OWN, "N,...",
		"with --trace: warps of these SMs, and what they ask for",
		.take = take_trace, .example = "0,1"},
	{"trace-warp", 0, TAKES_OWN, "N",
		"with --trace: warp N of the launch, counted over its blocks, "
		"and what it asks for",
		.take = take_trace, .example = "0"},
	{"trace-line", 0, TAKES_OWN, "N",
		"with --trace and --kernel: what line N of the PTX waits and "
		"asks for",
		.take = take_trace, .example = "12"},
	{"trace-limit", 0, TAKES_OWN, "N",
		"with --trace: at most N events (default 100000, at most "
		"10000000); the file says how many more there were",
		.take = take_trace, .example = "1000"},
	{"points", 'x', TAKES_OWN, "SWEEP",
		"FIRST:LAST:POINTS_PER_OCTAVE, or A,B,C (units: KiB MiB GiB kB "
		"MB GB). set:PARAMETER=SWEEP makes a parameter of the machine "
		"the axis, at each place of another -x; var:NAME=SWEEP a "
		"variable of programs",
		.take = take_points, .example = "32KiB:1GiB:2"},
	{"repeats", 'r', TAKES_OWN, "N|auto[:P%]",
		"runs of each point (default: cuda 5, sim 1); auto: until the "
		"interval of the headline metric's median is within 1 % (or "
		"P %) of it, after 3 runs at least and 100 runs or 60 s at "
		"most",
		.take = take_repeats, .example = "auto"},
	{"warmups", 'w', TAKES_COUNT, "N",
		"runs of each point that are not counted (default: cuda 1, sim "
		"0)",
		AT(warmups), .most = 100000},
	{"seed", 0, TAKES_COUNT, "N", "seed of rings and draws (default 1)",
		AT(seed), .most = UINT32_MAX},
	{"jobs", 'j', TAKES_COUNT, "N", "workers of the model (default: cores)",
		AT(jobs), .least = 1, .most = 4096},
	{"format", 'f', TAKES_CHOICE, "FORMAT", "(default: table)",
		OPTIONS_AT(struct run_parsing, format),
		.choices = SERIES_FORMAT_CHOICES, .values = VALUES_CHOICES,
		.example = "csv"},
	{"output", 'o', TAKES_TEXT, "FILE",
		"write there; the name chooses the format if -f does not",
		AT(output), .values = VALUES_FILES},
	{"force", 0, TAKES_NOTHING, NULL,
		"write over a file of -o or --raw that is there already",
		AT(force)},
	{"raw", 0, TAKES_TEXT, "FILE", "write every sample as CSV", AT(raw),
		.values = VALUES_FILES},
	{"resume", 0, TAKES_NOTHING, NULL,
		"go on with an interrupted run: points that its journal (-o "
		"FILE, FILE.journal) holds are not run again",
		AT(resume)},
	{"suite", 0, TAKES_TEXT, "FILE",
		"run the rows of a suite (a name and the words of run in each "
		"line; 'default': the suite that results/ is measured by) into "
		"-o DIR, which 'nearfar merge' joins; WORDs behind -- are "
		"added to each row",
		AT(suite), .values = VALUES_FILES},
	{"part", 0, TAKES_TEXT, "K/N",
		"with --suite: the points of part K of N alone (default 1/1)",
		AT(part)},
	{"whole-series", 0, TAKES_NOTHING, NULL,
		"with --suite: keep the points of a series in one part: on "
		"GPUs, a series is of one GPU",
		AT(whole_series)},
	{"scratch", 0, TAKES_TEXT, "FOLDER",
		"with --suite: keep the journals there, on a disk of the node, "
		"and not in DIR",
		AT(scratch), .values = VALUES_FOLDERS},
	{"strict", 0, TAKES_NOTHING, NULL,
		"fail with status 3 if a point is marked: what its clock, its "
		"repeats or the GPU make doubtful",
		AT(strict)},
	{"no-samples", 0, TAKES_NOTHING, NULL,
		"keep no raw samples: the model makes them again",
		AT(no_samples)},
	{"stats", 0, TAKES_NOTHING, NULL,
		"print the model's work, speed and memory to standard error",
		AT(stats)},
	{"dry-run", 0, TAKES_NOTHING, NULL,
		"print the points and check their programs", AT(dry_run)},
	{"dump-program", 0, TAKES_NOTHING, NULL,
		"print the first point's access program", AT(dump_program)},
	{"dump-ptx", 0, TAKES_NOTHING, NULL, "print the first point's PTX",
		AT(dump_ptx)},
	{0},
};
