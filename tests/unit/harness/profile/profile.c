/* Profiles as files: what is written is read again, and shown with care. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/profile/profile.h"

static char folder[] = "/tmp/nearfar-profile-XXXXXX";
static char path[128];

static const char *file(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void begin(void)
{
	cr_assert_not_null(mkdtemp(folder));
}

static void end(void)
{
	char command[160];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0); /* NOLINT(cert-env33-c) */
}

TestSuite(profile, .init = begin, .fini = end, .timeout = 60);

static const char text_of_job[] = "nearfar-kernel 1\nname j\nmodule m.ptx\n"
				  "buffer a bytes=4\n"
				  "launch k grid=1 block=32 args=a repeats=2\n"
				  "launch k grid=1 block=64 args=a\n";

/* Of run number `run`: three lines of PTX, two of them of one source line. */
static void add(struct profile_list *list, size_t run, const char *machine)
{
	struct job_profile *where = calloc(1, sizeof(*where));
	struct job_line *l = calloc(3, sizeof(*l));
	struct error error;
	struct job job;

	cr_assert_eq(job_parse(text_of_job, "test", &job, &error), 0);
	job.modules[0].text = strdup("first\n  ld.global.u32 \t%r1, [%d1];\n"
				     "st.global \"x\", <b>;\n\nlast");
	where->sources = calloc(1, sizeof(*where->sources));
	where->sources[where->source_count++] = strdup("a|b.cu");
	where->lines = l;
	where->line_count = 3;
	l[0] = (struct job_line){.line = 2,
		.source = 1,
		.source_line = 7,
		.executions = 10,
		.lanes = 320,
		.requests = 10,
		.sectors = 40,
		.found = {1, 2, 3, 34},
		.answered = 10,
		.latency_cycles = 6000};
	l[0].wait_cycles[JOB_WAIT_DRAM] = 700;
	l[1] = (struct job_line){.line = 3,
		.source = 1,
		.source_line = 7,
		.executions = 10,
		.requests = 10,
		.sectors = 10};
	l[1].wait_cycles[JOB_WAIT_WRITE] = 300;
	l[2] = (struct job_line){.line = 5, .executions = 1};
	where->servers = calloc(2, sizeof(*where->servers));
	where->server_count = 2;
	where->server_cycles = 200;
	where->servers[0] = (struct job_server){.name = "atomic_unit",
		.of = "slice",
		.unit = "sectors",
		.nsight = "lts__d",
		.count = 4,
		.rate = 0.25,
		.busy_cycles = 240,
		.busiest_cycles = 150,
		.busiest = 3,
		.served = 60,
		.waited_cycles = 90,
		.longest_line = 17,
		.in_line = {0.25, 1.125}};
	where->line_cycles = 128;
	where->servers[1] = (struct job_server){.name = "request_room",
		.of = "SM",
		.unit = "warps",
		.is_room = true,
		.count = 2,
		.busy_cycles = 10,
		.busiest_cycles = 10,
		.served = 3};
	where->occupancy = (struct job_occupancy){.sms = 2,
		.warps_per_sm = 64,
		.block_threads = 32,
		.block_warps = 1,
		.cluster_blocks = 1,
		.registers = 16,
		.shared_bytes = 1024,
		.blocks = 3,
		.blocks_per_sm = 32,
		.limits = {64, 128, 228, 32},
		.sms_used = 1,
		.cycles = 100,
		.drain_cycles = 30,
		.warp_cycles = 90,
		.tail_cycles = 10,
		.idle_cycles = 110,
		.span_cycles = 64,
		.span_count = 2,
		.spans = {{1.25, 1}, {0.5, 1}}};
	where->fetched_sectors = 40;
	where->unused_sectors = 7;
	where->warp_cycles = 1000;
	where->wait_cycles[JOB_WAIT_DRAM] = 700;
	where->wait_cycles[JOB_WAIT_WRITE] = 300;
	cr_assert_eq(
		profile_add(list, &job, run, machine, 123, where, &error), 0);
	job_free(&job);
}

static char *written(const struct profile_list *list, const char *name)
{
	struct error error = {""};
	char *text = calloc(1, 65536);
	FILE *in;

	cr_assert_eq(profile_write_file(list, file(name), &error), 0, "%s",
		error.text);
	in = fopen(path, "r");
	cr_assert_not_null(in);
	cr_assert_gt(fread(text, 1, 65535, in), 0);
	fclose(in);
	return text;
}

Test(profile, a_run_has_its_launch_and_its_lines)
{
	struct profile_list list = {0};

	add(&list, 1, "h200-sxm");
	add(&list, 2, "h200-sxm");
	cr_assert_eq(list.items[0].launch, 0);
	cr_assert_eq(list.items[0].repeat, 1);
	cr_assert_eq(list.items[1].launch, 1);
	cr_assert_eq(list.items[1].repeat, 0);
	cr_assert_str_eq(list.items[0].texts[0], "ld.global.u32 %r1, [%d1];");
	cr_assert_str_eq(list.items[0].texts[2], "last");
	profile_list_free(&list);
}

Test(profile, lines_of_a_source_line_are_one_row)
{
	struct profile_list list = {0};
	struct job_line *rows;
	size_t count;

	add(&list, 0, "m");
	rows = profile_by_source(list.items[0].where, &count);
	cr_assert_eq(count, 2);
	cr_assert_eq(rows[0].source, 0);
	cr_assert_eq(rows[1].source_line, 7);
	cr_assert_eq(rows[1].executions, 20);
	cr_assert_eq(rows[1].sectors, 50);
	cr_assert_eq(profile_waited(rows[1].wait_cycles), 1000);
	cr_assert_eq(profile_most(rows[1].wait_cycles), JOB_WAIT_DRAM);
	free(rows);
	profile_list_free(&list);
}

Test(profile, what_is_written_is_read)
{
	struct profile_list list = {0}, again;
	struct error error = {""};
	char *first, *second;

	add(&list, 0, "m");
	add(&list, 2, "m, sm_count=4");
	first = written(&list, "a.json");
	cr_assert(profile_detect(file("a.json")));
	cr_assert_not(profile_detect(file("nowhere.json")));
	cr_assert_eq(profile_read(file("a.json"), &again, &error), 0, "%s",
		error.text);
	second = written(&again, "b.json");
	cr_assert_str_eq(first, second);
	free(first);
	free(second);
	first = written(&list, "a.csv");
	second = written(&again, "b.csv");
	cr_assert_not(profile_detect(path));
	cr_assert_str_eq(first, second);
	cr_assert_not_null(strstr(first, "\"st.global \"\"x\"\", <b>;\""));
	free(first);
	free(second);
	profile_list_free(&list);
	profile_list_free(&again);
}

/* Files of before have one class less, and lack no cycles. */
/* The load stands in line at the atomic unit for what the store does there. */
static void add_queues(struct job_profile *where)
{
	static const struct job_queue queues[] = {
		{0, 0, 60, 0},
		{1, 0, 20, 75},
		{1, 1, 5, 5},
		{JOB_NO_LINE, 0, 0, 5},
	};

	where->queues = malloc(sizeof(queues));
	memcpy(where->queues, queues, sizeof(queues));
	where->queue_count = sizeof(queues) / sizeof(*queues);
	where->lines[0].took = (struct job_parts){10, 4000, 1500, 500};
	where->lines[2].stalled_cycles[JOB_WAIT_DRAM] = 700;
	where->took[JOB_ANSWER_DRAM] = where->lines[0].took;
}

Test(profile, who_waits_for_whom_is_written_and_read)
{
	struct profile_list list = {0}, again;
	struct error error = {""};
	const struct job_profile *where;
	struct job_queue q;
	char *first, *second;

	add(&list, 0, "m");
	add_queues(list.items[0].where);
	first = written(&list, "a.json");
	cr_assert_eq(profile_read(file("a.json"), &again, &error), 0, "%s",
		error.text);
	second = written(&again, "b.json");
	cr_assert_str_eq(first, second);
	where = again.items[0].where;
	cr_assert_eq(where->queue_count, 4);
	cr_assert_eq(where->lines[0].took.queue_cycles, 1500);
	cr_assert_eq(where->lines[2].stalled_cycles[JOB_WAIT_DRAM], 700);
	cr_assert_eq(where->took[JOB_ANSWER_DRAM].requests, 10);
	q = profile_queued(where, 1);
	cr_assert_eq(q.suffered_cycles, 25);
	cr_assert_eq(q.caused_cycles, 80);
	q = profile_queued(where, JOB_NO_LINE);
	cr_assert_eq(q.caused_cycles, 5);
	q = profile_queued_by_source(where, &where->lines[0]);
	cr_assert_eq(q.suffered_cycles, 85);
	cr_assert_eq(profile_in_line(where), 85);
	free(first);
	free(second);
	profile_list_free(&list);
	profile_list_free(&again);
}

/* The one that causes the most comes first. */
Test(profile, a_table_has_who_causes_waiting)
{
	struct profile_list list = {0};
	const char *first, *second;
	char *text;

	add(&list, 0, "m");
	add_queues(list.items[0].where);
	text = written(&list, "a.txt");
	first = strstr(text, "atomic_unit   88.2 %  75      20        3");
	second = strstr(text, "no line of this launch");
	cr_assert_not_null(first, "%s", text);
	cr_assert_not_null(second);
	cr_assert_lt(first, second);
	cr_assert_not_null(strstr(text, "answered by"));
	free(text);
	profile_list_free(&list);
}

Test(profile, a_queue_at_no_server_is_refused_with_its_place)
{
	struct profile_list list = {0}, again;
	struct error error = {""};
	char *text, *at;
	FILE *out;

	add(&list, 0, "m");
	add_queues(list.items[0].where);
	text = written(&list, "a.json");
	at = strstr(strstr(text, "\"queues\""), "atomic_unit");
	memcpy(at, "atomic_xxxx", strlen("atomic_xxxx"));
	out = fopen(file("bad.json"), "w");
	fputs(text, out);
	fclose(out);
	free(text);
	cr_assert_eq(profile_read(file("bad.json"), &again, &error), ERR_USAGE);
	cr_assert_not_null(strstr(error.text, "queues[0].server' is none"),
		"%s", error.text);
	profile_list_free(&list);
}

static void leave_out(char *text, const char *part)
{
	char *at;

	while ((at = strstr(text, part)) != NULL)
		memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

Test(profile, a_file_without_later_classes_is_read)
{
	struct profile_list list = {0}, again;
	struct error error = {""};
	const double *waits;
	char *text;
	FILE *out;

	add(&list, 0, "m");
	text = written(&list, "a.json");
	leave_out(text, "\"code\": 0, ");
	leave_out(text, ", \"drain\": 0, \"dependence\": 0");
	cr_assert_null(strstr(text, "\"code\""));
	cr_assert_null(strstr(text, "\"drain\""));
	out = fopen(file("old.json"), "w");
	fputs(text, out);
	fclose(out);
	free(text);
	cr_assert_eq(profile_read(file("old.json"), &again, &error), 0, "%s",
		error.text);
	waits = again.items[0].where->wait_cycles;
	cr_assert_eq(waits[JOB_WAIT_CODE], 0);
	cr_assert_eq(waits[JOB_WAIT_DRAIN], 0);
	cr_assert_eq(waits[JOB_WAIT_DRAM], 700);
	profile_list_free(&list);
	profile_list_free(&again);
}

/* Those of before there were servers, too. */
Test(profile, a_file_without_servers_is_read)
{
	struct profile_list list = {0}, again;
	struct error error = {""};
	char *text, *from, *to;
	FILE *out;

	add(&list, 0, "m");
	text = written(&list, "a.json");
	from = strstr(text, "\"server_cycles\"");
	to = strstr(text, "\"lines\"");
	memmove(from, to, strlen(to) + 1);
	out = fopen(file("old.json"), "w");
	fputs(text, out);
	fclose(out);
	free(text);
	cr_assert_eq(profile_read(file("old.json"), &again, &error), 0, "%s",
		error.text);
	cr_assert_eq(again.items[0].where->server_count, 0);
	text = written(&again, "a.txt");
	cr_assert_null(strstr(text, "longest line"));
	free(text);
	profile_list_free(&list);
	profile_list_free(&again);
}

Test(profile, a_table_has_what_servers_did)
{
	struct profile_list list = {0};
	char *text, *row;

	add(&list, 0, "m");
	text = written(&list, "a.txt");
	row = strstr(text, "atomic_unit   4      30.0 %  75.0 %   slice 3");
	cr_assert_not_null(row, "%s", text);
	cr_assert_not_null(strstr(row, " 60 "));
	cr_assert_not_null(strstr(row, " 1.5 "));
	cr_assert_not_null(strstr(row, " 17 "));
	cr_assert_not_null(strstr(row, "0.25 sectors"));
	free(text);
	profile_list_free(&list);
}

Test(profile, tables_escape_the_names_of_others)
{
	struct profile_list list = {0};
	char *text;

	add(&list, 0, "\033[31m<i>");
	strcpy(list.items[0].where->servers[0].name, "\033[31m<b>");
	text = written(&list, "a.txt");
	cr_assert_null(strchr(text, '\033'));
	cr_assert_not_null(strstr(text, "70.0 %"));
	cr_assert_not_null(strstr(text, "a|b.cu:7"));
	cr_assert_not_null(strstr(text, "1 other line"));
	free(text);
	text = written(&list, "a.md");
	cr_assert_null(strchr(text, '\033'));
	cr_assert_null(strstr(text, "<i>"));
	cr_assert_null(strstr(text, " <b>"));
	cr_assert_null(strstr(text, "a|b.cu"));
	free(text);
	profile_list_free(&list);
}

static void refused(const char *text, const char *sentence)
{
	struct profile_list list = {0};
	struct error error = {""};
	FILE *out = fopen(file("bad.json"), "w");

	cr_assert_not_null(out);
	fputs(text, out);
	fclose(out);
	cr_assert_eq(profile_read(path, &list, &error), ERR_USAGE);
	cr_assert_not_null(strstr(error.text, sentence), "%s", error.text);
	cr_assert_eq(list.count, 0);
}

Test(profile, what_is_none_is_refused_with_its_place)
{
	refused("[]", "must be an object");
	refused("{\"schema\": \"nearfar-profile/2\"}",
		"'schema' is 'nearfar-profile/2', but only "
		"'nearfar-profile/1' is known");
	refused("{\"schema\": \"nearfar-profile/1\", \"launches\": [{}]}",
		"'launches[0].job'");
	refused("{\"schema\": \"nearfar-profile/1\", \"launches\": [{"
		"\"job\": \"j\", \"kernel\": \"k\", \"module\": \"m\", "
		"\"machine\": \"x\", \"launch\": 0, \"repeat\": 0, "
		"\"cycles\": -1}]}",
		"'launches[0].cycles' must not be negative");
}

/* Each in a file that is right but for that. */
Test(profile, a_server_that_is_none_is_refused_with_its_place)
{
	static const struct {
		const char *right, *wrong, *sentence;
	} cases[] = {
		{"\"count\": 4", "\"count\": -1", "servers[0].count'"},
		{"\"served\": 60", "\"served\": 0",
			"servers[0].served' must be 1 or more"},
		{"\"server\": \"a", "\"server\": \"a_unit_whose_name_is_long",
			"servers[0].server' has more than 23 characters"},
		{"\"is_room\": true", "\"is_room\": 1",
			"servers[1].is_room' must be true or false"},
		{"\"waited_cycles\": 90", "\"waited_cycles\": -9",
			"servers[0].waited_cycles' must not be negative"},
	};
	struct profile_list list = {0};
	size_t i;

	add(&list, 0, "m");
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = written(&list, "a.json"), wrong[8192];
		char *at = strstr(text, cases[i].right);

		cr_assert_not_null(at, "%s", cases[i].right);
		snprintf(wrong, sizeof(wrong), "%.*s%s%s", (int)(at - text),
			text, cases[i].wrong, at + strlen(cases[i].right));
		refused(wrong, cases[i].sentence);
		free(text);
	}
	profile_list_free(&list);
}

Test(profile, a_name_without_a_format_is_refused)
{
	struct error error;

	cr_assert_eq(profile_check_path("a.svg", &error), ERR_USAGE);
	cr_assert_str_eq(error.text,
		"--profile: 'a.svg' ends in none of .txt .json .csv .md (with "
		".gz or without)");
	cr_assert_eq(profile_check_path("a.json.gz", &error), 0);
	cr_assert_eq(profile_check_path("-", &error), 0);
}

/* Beside the module by its name, whatever the folder was where it was compiled;
   lines that the file does not have stay without. */
Test(profile, source_lines_are_read_beside_the_module)
{
	struct profile_list list = {0}, again = {0};
	struct profile *p;
	struct error error = {""};
	FILE *out = fopen(file("a|b.cu"), "w");
	struct job_module module = {NULL};

	add(&list, 0, "m");
	p = &list.items[0];
	cr_assert_null(p->source_texts[0]);
	fputs("1\n2\n3\n4\n5\n6\n\tx  =\t<y>;\r\n", out);
	fclose(out);
	free(p->where->sources[0]);
	p->where->sources[0] = strdup("/somewhere/else/a|b.cu");
	p->where->lines[1].source_line = 9;
	free(p->source_texts);
	module.file = strdup(file("m.ptx"));
	cr_assert_eq(profile_take_sources(p, &module), 0);
	free(module.file);
	cr_expect_str_eq(
		profile_source_text(p, &p->where->lines[0]), "x = <y>;");
	cr_expect_null(profile_source_text(p, &p->where->lines[1]));
	cr_expect_null(profile_source_text(p, &p->where->lines[2]));

	cr_assert_eq(profile_write_file(&list, file("p.json"), &error), 0);
	cr_assert_eq(profile_read(file("p.json"), &again, &error), 0, "%s",
		error.text);
	p = &again.items[0];
	cr_expect_str_eq(
		profile_source_text(p, &p->where->lines[0]), "x = <y>;");
	cr_expect_eq(p->where->line_cycles, 128);
	cr_expect_eq(profile_spans(p->where), 2);
	cr_expect_eq(p->where->servers[0].in_line[1], 1.125);
	profile_list_free(&list);
	profile_list_free(&again);
}
