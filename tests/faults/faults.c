/*
 * Every call of a kind fails once, and from then on: what the program makes of
 * it. Each case is a process of its own, with tests/support/fault.c preloaded
 * or on tests/support/fake_cuda.c, of which one call fails. Whatever fails,
 *
 *   - the exit status is 0, with exactly the bytes of a run without faults, or
 *     it is 1 (77 where a driver is found wanting) with one sentence;
 *   - no block that the program made is left;
 *   - a run goes on afterwards with --resume, to the bytes of the reference.
 *
 * What is done stands in a file of lines, and is not done again: a part is as
 * good as the whole, and an interrupted run goes on.
 *
 * usage: faults NEARFAR FAULT.SO FAKE_CUDA.SO FAKE_NVML.SO FOLDER RESULTS
 *        [EVERY [COMMANDS]]
 *   FOLDER has inputs in in/; EVERY: one of so many cases (default: all);
 *   COMMANDS: of these commands alone: names, or their first words, with
 *     commas between
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <search.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX   48
#define TEXT_BYTES  4096
#define KINDS_MAX   64
#define CASE_S      100 /* after which it hangs */
#define DRIVER_USES 20  /* of each driver call */
#define YAML_EVERY                                                             \
	997 /* of the allocations while YAML is read: one of these             \
	     */

/* ---- what is run ---- */

struct scenario {
	const char *name;   /* its first word is the command */
	const char *words;  /* @ stands for the folder of inputs */
	const char *output; /* a file that it writes, or NULL */
	const char *again;  /* the word with which it goes on, "" for none;
			       NULL: it does not */
	const char *given;  /* an input that stands in its folder, too */
	const char *varies; /* lines with one of these words differ from run to
			       run: times and this host; NULL: none */
	bool cuda;          /* on the driver that is none */
	bool yaml;          /* all allocations while YAML is read, not a part */
};

static const struct scenario scenarios[] = {
	{"run",
		"run pointer-chase -m @small.yaml -x 4KiB,64KiB --loads 512"
		" -j 1 -o out.json",
		"out.json", .again = "--resume"},
	{"run gzip",
		"run pointer-chase -m @small.yaml -x 4KiB --loads 512 -j 1"
		" --raw raw.csv -o out.json.gz",
		"out.json.gz", .again = "--resume"},
	{"run to stdout", "run pointer-chase -m @small.yaml -x 4KiB --loads 512"
			  " -j 1 -f csv"},
	{"run programs",
		"run --program @programs -m @small.yaml -j 1 -f jsonl"
		" -o out.jsonl",
		"out.jsonl", .again = "--resume"},
	{"run on two workers",
		"run pointer-chase -m @small.yaml"
		" -x 4KiB,64KiB,1MiB --loads 512 -j 2 -o out.json",
		"out.json", .again = "--resume"},
	{"run a kernel",
		"run --kernel @kernel/gather.job -m @small.yaml -j 1"
		" --profile where.json --digests digests.tsv -o out.json",
		"out.json"},
	{"run shard", "run --shard split/1 -j 1", "split/1.json.gz",
		.again = "", .given = "split/plan.json"},
	{"run on a driver", "run --program @driver -b cuda -o out.json",
		"out.json", .again = "--resume", .cuda = true,
		.varies = "kernel_seconds \"host. \"warning \"resumed"
			  " clock.sm_measured"},
	{"plan", "plan @suite.txt -n 3 --slurm -o split", "split/plan.json"},
	{"merge", "merge @split -o out.json", "out.json"},
	{"show", "show @a.json @b.json"},
	{"show csv", "show -f csv @a.json"},
	{"show gbench", "show -f gbench @a.json @b.json"},
	{"show tidy", "show -f tidy @a.json @b.json"},
	{"show openmetrics", "show -f openmetrics @a.json @b.json"},
	{"show a figure", "show @a.json -o out.svg", "out.svg"},
	{"compare", "compare @a.json @b.json"},
	{"table", "table @t.json @u.json -f md -o out.md", "out.md"},
	{"table to stdout", "table @t.json --columns then"},
	{"modes", "modes @a.json"},
	{"map", "map @m.json"},
	{"map as JSON", "map @m.json -o out.json", "out.json"},
	{"report", "report @a.json @b.json @m.json -o out.html", "out.html"},
	{"import", "import @mt4g.json -o out.json", "out.json"},
	{"export", "export gpgpusim @small.yaml -o out.config", "out.config",
		.yaml = true},
	{"fleet add",
		"fleet add --store fleet.sqlite --day 2026-11-22 @f.json"},
	{"fleet show", "fleet show a --store @fleet.sqlite"},
	{"fleet odd", "fleet odd --store @fleet.sqlite"},
	{"fleet export",
		"fleet export --store @fleet.sqlite -f openmetrics -o out.prom",
		"out.prom"},
	{"list", "list parameters"},
	{"doctor", "doctor -f json", .varies = "load tsc_mhz kernel_seconds"},
	{"fit to files",
		"fit --nearest @small.yaml --from @c.json"
		" --free l2_near_cycles --budget 3 -j 1 --state state.json"
		" -o out.yaml",
		"out.yaml", .again = ""},
	{"calibrate a shard", "run --shard cal/1 -j 1",
		.given = "cal/plan.json"},
	{"merge a calibration", "merge @cal -o out.yaml", "out.yaml"},
	{"fit",
		"fit -b sim -m @small.yaml --only chase-cg"
		" -j 1 --measure out.fit",
		"out.fit/chase-cg.json.gz", .again = ""},
	/* Without the known machines, of which the nearest is looked for. */
	{"fit to a machine",
		"fit -b sim -m @small.yaml --nearest @small.yaml"
		" --only chase-ca -j 1 --measure out.fit",
		"out.fit/chase-ca.json.gz", .again = ""},
	{"fingerprint", "fingerprint -b sim -m @small.yaml -j 1 -o out.json",
		"out.json"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What must be there before; each makes an input. */
static const char *const inputs[][2] = {
	{"a.json", "run pointer-chase -m @small.yaml -x 4KiB,16KiB,64KiB,1MiB"
		   " --loads 512 --samples -o @a.json"},
	{"b.json",
		"run pointer-chase -m @small.yaml -x 4KiB,16KiB,64KiB,1MiB"
		" --loads 512 --samples --set l2_near_cycles=300 -o @b.json"},
	{"t.json", "run cache-ops -m @small.yaml --first ld.ca,st.wb"
		   " --then ld.ca,ld.cg --lines 16 -x 0,32 -o @t.json"},
	{"u.json",
		"run cache-ops -m @small.yaml --first ld.ca,st.wb"
		" --then ld.ca,ld.cg --lines 16 -x 0,32 --set l1_hit_cycles=200"
		" -o @u.json"},
	{"m.json", "run near-far -m @small.yaml --lines 8 -o @m.json"},
	{"c.json",
		"run pointer-chase -m @small.yaml --op ld.cg -x 64KiB,128KiB"
		" --loads 512 --chunk 64 --set l2_near_cycles=311 -o @c.json"},
	{"cal/plan.json",
		"plan --calibrate -n 2 -o @cal -- --nearest @small.yaml --from"
		" @c.json --free l2_near_cycles --budget 3"},
	{"cal/1.journal", "run --shard @cal/1 -j 1"},
	{"f.json", "fingerprint -b sim -m @small.yaml --name a -o @f.json"},
	{"g.json", "fingerprint -b sim -m @small.yaml --name b -o @g.json"},
	{"h.json", "fingerprint -b sim -m @small.yaml --name c -o @h.json"},
	{"i.json", "fingerprint -b sim -m @small.yaml --name d -o @i.json"},
	{"fleet.sqlite",
		"fleet add --store @fleet.sqlite --day 2026-11-22 @f.json"
		" @g.json @h.json @i.json"},
};

struct setting {
	const char *nearfar, *fault, *results;
	const char *commands; /* NULL: all */
	unsigned long every;
	unsigned long live;      /* without a fault */
	unsigned long files;     /* of the folder of work, at the beginning */
	char in[256], work[256]; /* folders */
};

/* ---- files ---- */

static char *read_file(const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "rb");
	char *text = NULL;
	size_t capacity = 0, got;

	*bytes = 0;
	if (!in)
		return NULL;
	do {
		capacity = capacity ? 2 * capacity : 65536;
		text = realloc(text, capacity + 1);
		got = fread(text + *bytes, 1, capacity - *bytes, in);
		*bytes += got;
	} while (got);
	fclose(in);
	text[*bytes] = '\0';
	return text;
}

/* Whether a line has one of the words. */
static bool varies(const char *line, size_t length, const char *words)
{
	while (*words) {
		const size_t word = strcspn(words, " ");

		if (memmem(line, length, words, word))
			return true;
		words += word + strspn(words + word, " ");
	}
	return false;
}

static void drop_varying(char *text, size_t *bytes, const char *words)
{
	char *from = text, *to = text, *end = text + *bytes;

	while (from < end) {
		char *line = memchr(from, '\n', (size_t)(end - from));
		size_t length =
			line ? (size_t)(line - from) + 1 : (size_t)(end - from);

		if (!varies(from, length, words)) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*bytes = (size_t)(to - text);
}

static bool same_file(const char *a, const char *b, const char *varying)
{
	size_t bytes[2];
	char *text[2] = {read_file(a, &bytes[0]), read_file(b, &bytes[1])};
	bool same = false;

	if (text[0] && text[1]) {
		if (varying) {
			drop_varying(text[0], &bytes[0], varying);
			drop_varying(text[1], &bytes[1], varying);
		}
		same = bytes[0] == bytes[1] &&
		       !memcmp(text[0], text[1], bytes[0]);
	}
	free(text[0]);
	free(text[1]);
	return same;
}

static unsigned long files;

static int count_one(const char *path, const struct stat *status, int kind)
{
	(void)path;
	(void)status;
	(void)kind;
	files++;
	return 0;
}

static unsigned long count_files(const char *folder)
{
	files = 0;
	ftw(folder, count_one, 8);
	return files;
}

static int remove_one(const char *path, const struct stat *status, int kind,
	struct FTW *where)
{
	(void)status;
	(void)kind;
	if (where->level)
		remove(path);
	return 0;
}

static void keep(const char *from, const char *to)
{
	size_t bytes;
	char *text = read_file(from, &bytes);
	FILE *out = fopen(to, "wb");

	if (text)
		fwrite(text, 1, bytes, out);
	fclose(out);
	free(text);
}

/* The folder of work with what the scenario is given there. */
static void begin(struct setting *s, const struct scenario *c)
{
	char from[512], to[512], *slash;

	nftw(s->work, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	s->files = 1;
	if (!c->given)
		return;
	snprintf(from, sizeof(from), "%s/%s", s->in, c->given);
	snprintf(to, sizeof(to), "%s/%s", s->work, c->given);
	slash = strrchr(to, '/');
	*slash = '\0';
	mkdir(to, 0777);
	*slash = '/';
	keep(from, to);
	s->files = count_files(s->work);
}

/* ---- processes ---- */

/* The words, with the folder of inputs for each @. */
static void split(const struct setting *s, const char *words, char *text,
	const char **list)
{
	size_t count = 0;
	char *to = text;

	list[count++] = s->nearfar;
	while (*words) {
		list[count++] = to;
		for (; *words && *words != ' '; words++)
			if (*words == '@')
				to += sprintf(to, "%s/", s->in);
			else
				*to++ = *words;
		*to++ = '\0';
		words += *words == ' ';
	}
	list[count] = NULL;
}

static void redirect(const char *path, int stream)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	dup2(file, stream);
	close(file);
}

/* One process in the folder of work; what it says goes beside. `fault` NULL:
   nothing fails and nothing is counted. */
static int run(const struct setting *s, const char *words, const char *extra,
	const char *variable, const char *fault)
{
	char text[TEXT_BYTES];
	const char *list[WORDS_MAX];
	size_t count;
	int status;
	pid_t child;

	split(s, words, text, list);
	for (count = 0; list[count]; count++)
		;
	if (extra)
		list[count++] = extra;
	list[count] = NULL;
	child = fork();
	if (!child) {
		if (chdir(s->work))
			_exit(99);
		redirect("../stdout", STDOUT_FILENO);
		redirect("../stderr", STDERR_FILENO);
		alarm(CASE_S);
		unlink("../report");
		if (fault) {
			setenv("LD_PRELOAD", s->fault, 1);
			setenv("NEARFAR_FAULT_REPORT", "../report", 1);
			setenv("FAKE_REPORT", "../driver", 1);
			setenv(variable, fault, 1);
		}
		execv(s->nearfar, (char **)(uintptr_t)list);
		_exit(98);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- the verdict ---- */

static const char *side(const struct setting *s, const char *name)
{
	static char path[4][512];
	static unsigned turn;
	char *to = path[turn++ % 4];

	snprintf(to, sizeof(path[0]), "%s/../%s", s->work, name);
	return to;
}

static const char *inside(const struct setting *s, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", s->work, name);
	return path;
}

static bool is_reference(const struct setting *s, const struct scenario *c)
{
	if (!same_file(
		    side(s, "stdout"), side(s, "reference.stdout"), c->varies))
		return false;
	return !c->output || same_file(inside(s, c->output),
				     side(s, "reference.output"), c->varies);
}

/* One line that begins with the program's name, and no other. */
static bool is_sentence(const struct setting *s)
{
	size_t bytes;
	char *text = read_file(side(s, "stderr"), &bytes);
	const char *feed = text ? strchr(text, '\n') : NULL;
	bool is = feed && !feed[1] && !strncmp(text, "nearfar: ", 9) &&
		  bytes > 20;

	free(text);
	return is;
}

/* Blocks that the program made, or the C library for it; 0 without a
   report. */
static unsigned long count_live(const struct setting *s)
{
	char line[256], object[128];
	FILE *in = fopen(side(s, "report"), "r");
	const char *name = strrchr(s->nearfar, '/');
	unsigned long live = 0, blocks;

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "live %127s %lu", object, &blocks) == 2 &&
			(!strcmp(object, name ? name + 1 : s->nearfar) ||
				!strcmp(object, "libc.so.6")))
			live += blocks;
	if (in)
		fclose(in);
	return live;
}

static const char *judge(
	const struct setting *s, const struct scenario *c, int status)
{
	if (count_live(s) > s->live)
		return "leaks";
	if (status == 0)
		return is_reference(s, c) ? "ok" : "other bytes";
	if (status != 1 && !(status == 77 && c->cuda))
		return "wrong status";
	if (!is_sentence(s))
		return "no sentence";
	/* Where it left no file, it would begin as the reference did. */
	if (!c->again || count_files(s->work) == s->files)
		return "ok";
	if (run(s, c->words, *c->again ? c->again : NULL, NULL, NULL))
		return "does not go on";
	return is_reference(s, c) ? "ok" : "goes on to other bytes";
}

/* ---- results ---- */

struct tally {
	unsigned long calls, cases, same, failed, wrong;
};

/* The cases that the file of results has, each with its status and verdict. */
static void read_results(const char *path)
{
	size_t bytes, lines = 0, i;
	char *text = read_file(path, &bytes), *line, *next, *tab;

	for (i = 0; i < bytes; i++)
		lines += text[i] == '\n';
	hcreate(2 * lines + 16);
	for (line = text; line && (next = strchr(line, '\n'));
		line = next + 1) {
		*next = '\0';
		tab = strchr(line, '\t');
		tab = tab ? strchr(tab + 1, '\t') : NULL;
		if (!tab)
			continue;
		*tab = '\0';
		hsearch((ENTRY){line, tab + 1}, ENTER);
	}
}

/* Whether there is a result of the case already; its verdict then. */
static bool known(const char *key, int *status, bool *ok)
{
	const ENTRY *found =
		hsearch((ENTRY){(char *)(uintptr_t)key, NULL}, FIND);
	const char *verdict = found ? strchr(found->data, '\t') : NULL;

	if (!verdict)
		return false;
	*status = atoi(found->data);
	*ok = !strcmp(verdict, "\tok");
	return true;
}

static void perform(struct setting *s, const struct scenario *c,
	const char *variable, const char *kind, unsigned long n, bool from,
	struct tally *t)
{
	char fault[96], key[160];
	const char *verdict;
	int status;
	bool ok;
	FILE *out;

	snprintf(fault, sizeof(fault), "%s:%lu%s", kind, n, from ? "+" : "");
	snprintf(key, sizeof(key), "%s\t%s", c->name, fault);
	if (!known(key, &status, &ok)) {
		begin(s, c);
		status = run(s, c->words, NULL, variable, fault);
		verdict = judge(s, c, status);
		ok = !strcmp(verdict, "ok");
		out = fopen(s->results, "a");
		fprintf(out, "%s\t%d\t%s\n", key, status, verdict);
		fclose(out);
		if (!ok)
			printf("  %s, %s: exit %d, %s\n", c->name, fault,
				status, verdict);
		fflush(stdout);
	}
	t->cases++;
	t->same += ok && !status;
	t->failed += ok && status;
	t->wrong += !ok;
}

struct kind {
	char name[64];
	unsigned long calls;
};

static size_t read_kinds(const char *path, struct kind *kinds)
{
	char line[256];
	FILE *in = fopen(path, "r");
	size_t count = 0;

	while (in && count < KINDS_MAX && fgets(line, sizeof(line), in))
		count += sscanf(line, "call %63s %lu", kinds[count].name,
				 &kinds[count].calls) == 2 &&
			 kinds[count].calls > 0;
	if (in)
		fclose(in);
	return count;
}

/* Cases that are left out are spread by their number. */
static bool chosen(const struct setting *s, const struct scenario *c,
	const char *kind, unsigned long n)
{
	const bool yaml = !strcmp(kind, "yaml");
	const unsigned long every =
		yaml && !c->yaml ? s->every * YAML_EVERY : s->every;

	return n % every == (every > 1 ? (strlen(c->name) + 1) % every : 0) ||
	       (!yaml && strcmp(kind, "alloc") && n == 1);
}

/* Of a part, a case fails once or from then on; of the whole, both. */
static void perform_both(struct setting *s, const struct scenario *c,
	const char *variable, const char *kind, unsigned long n,
	struct tally *t)
{
	const bool even = (n + strlen(c->name) + strlen(kind)) % 2 == 0;

	if (s->every == 1 || even)
		perform(s, c, variable, kind, n, false, t);
	if (s->every == 1 || !even)
		perform(s, c, variable, kind, n, true, t);
}

static unsigned long try_kinds(struct setting *s, const struct scenario *c,
	const char *variable, const char *report, unsigned long most)
{
	struct kind kinds[KINDS_MAX];
	size_t count = read_kinds(report, kinds), i;
	unsigned long n, wrong = 0;

	for (i = 0; i < count; i++) {
		struct tally t = {.calls = kinds[i].calls};

		for (n = 1; n <= t.calls && n <= most; n++)
			if (chosen(s, c, kinds[i].name, n))
				perform_both(
					s, c, variable, kinds[i].name, n, &t);
		if (t.cases)
			printf("| %s | %s | %lu | %lu | %lu | %lu | %lu |\n",
				c->name, kinds[i].name, t.calls, t.cases,
				t.same, t.failed, t.wrong);
		wrong += t.wrong;
	}
	return wrong;
}

static unsigned long try_scenario(struct setting *s, const struct scenario *c)
{
	unsigned long wrong = 0;
	int status;

	begin(s, c);
	unlink(side(s, "driver"));
	status = run(s, c->words, NULL, "NEARFAR_FAULT", "none:0");
	s->live = count_live(s);
	if (status) {
		printf("not ok %s: exit %d without a fault\n", c->name, status);
		return 1;
	}
	keep(side(s, "stdout"), side(s, "reference.stdout"));
	if (c->output)
		keep(inside(s, c->output), side(s, "reference.output"));
	keep(side(s, "report"), side(s, "calls"));
	wrong = try_kinds(
		s, c, "NEARFAR_FAULT", side(s, "calls"), (unsigned long)-1);
	if (!c->cuda)
		return wrong;
	begin(s, c);
	unlink(side(s, "driver"));
	run(s, c->words, NULL, "NEARFAR_FAULT", "none:0");
	keep(side(s, "driver"), side(s, "calls"));
	return wrong + try_kinds(s, c, "FAKE_CUDA_FAULT", side(s, "calls"),
			       DRIVER_USES);
}

/* ---- the whole ---- */

/* By its name, or by its first word. */
static bool is_asked(const char *commands, const char *name)
{
	const size_t word = strcspn(name, " ");
	const char *at = commands;

	while (at && *at) {
		const size_t length = strcspn(at, ",");

		if ((length == word || length == strlen(name)) &&
			!strncmp(at, name, length))
			return true;
		at += length + strspn(at + length, ",");
	}
	return !commands;
}

static int make_inputs(const struct setting *s)
{
	char path[512];
	size_t i;

	for (i = 0; i < COUNT(inputs); i++) {
		int status;

		snprintf(path, sizeof(path), "%s/%s", s->in, inputs[i][0]);
		if (!access(path, F_OK))
			continue;
		status = run(s, inputs[i][1], NULL, NULL, NULL);
		if (status) {
			printf("not ok the input %s: exit %d\n", inputs[i][0],
				status);
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct setting s = {.every = 1};
	unsigned long wrong = 0;
	size_t i;

	if (argc < 7) {
		fprintf(stderr, "usage: faults NEARFAR FAULT.SO FAKE_CUDA.SO "
				"FAKE_NVML.SO FOLDER RESULTS [EVERY "
				"[COMMANDS]]\n");
		return 2;
	}
	s.nearfar = argv[1];
	s.fault = argv[2];
	s.results = argv[6];
	s.every = argc > 7 ? strtoul(argv[7], NULL, 10) : 1;
	s.commands = argc > 8 && *argv[8] ? argv[8] : NULL;
	snprintf(s.in, sizeof(s.in), "%s/in", argv[5]);
	snprintf(s.work, sizeof(s.work), "%s/work", argv[5]);
	mkdir(s.work, 0777);
	setenv("NEARFAR_LIBCUDA", argv[3], 1);
	setenv("FAKE_CUDA", "two", 1); /* the second is the peer */
	setenv("NEARFAR_LIBNVML", argv[4], 1);
	setenv("SOURCE_DATE_EPOCH", "0", 1);
	setenv("LC_ALL", "C", 1);
	if (make_inputs(&s))
		return 1;
	read_results(s.results);
	printf("| what | call | uses | cases | exit 0, same bytes | refused | "
	       "wrong |\n|---|---|---|---|---|---|---|\n");
	for (i = 0; i < COUNT(scenarios); i++)
		if (is_asked(s.commands, scenarios[i].name))
			wrong += try_scenario(&s, &scenarios[i]);
	printf("%s\n", wrong ? "not ok faults" : "ok faults");
	return wrong != 0;
}
