/* What a command leaves for another one, or for itself: journals, and what
 * people write beside: suites, gates, devices. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/fit/search/parts.h"
#include "harness/fingerprint/fingerprint.h"
#include "harness/fit/device.h"
#include "harness/keep/journal_line.h"
#include "harness/report/gate.h"
#include "harness/run/kept.h"
#include "harness/run/plan.h"
#include "harness/split/split.h"
#include "harness/split/suite.h"
#include "tests/fuzz/target.h"

/* ---- journals ---- */

#define HEADER_BYTES 4096

/* A file of the process's own. */
static const char *own_path(void)
{
	static char path[] = "/dev/shm/nearfar-fuzz-XXXXXX";
	static int descriptor = -1;

	if (descriptor < 0)
		descriptor = mkstemp(path);
	if (descriptor < 0)
		fuzz_fail("there is no file for a journal");
	return path;
}

static void put_file(const char *path, const char *text, size_t bytes,
	const char *more, size_t more_bytes)
{
	FILE *out = fopen(path, "wb");

	if (!out || fwrite(text, 1, bytes, out) != bytes ||
		fwrite(more, 1, more_bytes, out) != more_bytes || fclose(out))
		fuzz_fail("the journal was not written");
}

/* The first line of a journal that was just begun. */
static void take_header(const char *path, char header[HEADER_BYTES])
{
	FILE *in = fopen(path, "rb");
	size_t bytes = 0;

	if (in && fgets(header, HEADER_BYTES, in))
		bytes = strlen(header);
	if (in)
		fclose(in);
	if (!bytes || header[bytes - 1] != '\n')
		fuzz_fail("a journal has no header");
}

/* A journal of that header: with '=' as the first byte, what follows is taken
   as it is; else each line is a record, which gets its check. */
static void put_journal(
	const char *path, const char *header, const struct input *input)
{
	size_t bytes = strlen(header), text_bytes = 0, length;
	char *text = NULL, *line = input->text;
	FILE *out = open_memstream(&text, &text_bytes);
	uint32_t check = 0;

	if (!out || !journal_line_read(&check, header, bytes, &length))
		fuzz_fail("a journal's header is damaged");
	if (*line == '=') {
		fwrite(line + 1, 1, input->bytes - 1, out);
		line = NULL;
	}
	while (line && *line) {
		char *made;

		length = strcspn(line, "\n");
		made = journal_line_make(&check, line, length);
		if (!made)
			fuzz_fail("no memory for a line");
		fwrite(made, 1, length + JOURNAL_LINE_BYTES, out);
		free(made);
		line += length + (line[length] != '\0');
	}
	fclose(out);
	put_file(path, header, bytes, text, text_bytes);
	free(text);
}

/* memo_open(), which says on standard error what it dropped. */
static int open_state(struct memo *memo, const struct search_config *config,
	struct error *error)
{
	static const struct targets targets;
	static FILE *nowhere;
	FILE *said = stderr;
	int code;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	stderr = nowhere;
	code = memo_open(memo, config, &targets, "m", error);
	stderr = said;
	return code;
}

/* The state of a calibration without targets. */
void fuzz_state(const struct input *input)
{
	static char header[HEADER_BYTES];
	const char *path = own_path();
	const struct search_config config = {.state = path, .resume = true};
	const struct outcome outcome = {{0}};
	struct error error = {""};
	struct memo memo;

	if (!*header) {
		put_file(path, "", 0, "", 0);
		if (open_state(&memo, &config, &error) ||
			memo_put(&memo, 1, 0, &outcome, &error))
			fuzz_fail(error.text);
		memo_close(&memo);
		take_header(path, header);
	}
	put_journal(path, header, input);
	if (open_state(&memo, &config, &error)) {
		fuzz_refused(&error);
		return;
	}
	/* What was read goes on: a record that is new can be read again. */
	if (!memo_get(&memo, 77, 77, &(struct outcome){{0}}) &&
		memo_put(&memo, 77, 77, &outcome, &error))
		fuzz_fail(error.text);
	memo_close(&memo);
	if (open_state(&memo, &config, &error))
		fuzz_fail(error.text);
	memo_close(&memo);
}

/* The journal of a run of three points. */
static int open_kept(struct kept *kept, struct error *error)
{
	static struct device device = {.name = "fuzz",
		.sm_count = 8,
		.warps_per_sm_max = 64,
		.l2_bytes = 60 << 20,
		.memory_bytes = 140ull << 30,
		.clock_hz = 2e9};
	static struct plan plan;
	static bool planned;
	static struct opened opened;
	const struct run_config config = {
		.opened = &opened, .repeats = 1, .seed = 1};

	if (!planned && plan_bench(&plan, benches[0], NULL, 0, "64,128,256",
				&device, error))
		fuzz_fail(error->text);
	planned = true;
	opened.ops = &backend_sim;
	opened.device = device;
	return kept_open(kept, own_path(), true, &config, &plan, 1, error);
}

void fuzz_kept(const struct input *input)
{
	static char header[HEADER_BYTES];
	static char *path;
	struct error error = {""};
	struct kept kept;

	if (!path) {
		path = kept_path(own_path());
		put_file(path, "", 0, "", 0);
		if (open_kept(&kept, &error) ||
			kept_put(&kept, "{}", 2, &error))
			fuzz_fail(error.text);
		kept_close(&kept, false);
		take_header(path, header);
	}
	put_journal(path, header, input);
	if (open_kept(&kept, &error))
		fuzz_refused(&error);
	else
		kept_close(&kept, false);
}

/* ---- suites ---- */

void fuzz_suite(const struct input *input)
{
	struct split split = {0};
	struct error error = {""};
	size_t *lines = NULL;

	if (suite_read(input->path, NULL, 0, &split, &lines, &error))
		fuzz_refused(&error);
	free(lines);
	split_free(&split);
}

/* ---- small files ---- */

void fuzz_gates(const struct input *input)
{
	struct gates gates = {0};
	struct error error = {""};

	if (gates_read(input->path, &gates, &error))
		fuzz_refused(&error);
	else
		gates_free(&gates);
}

void fuzz_device(const struct input *input)
{
	struct device device, again;
	struct error error = {""};

	memset(&device, 0, sizeof(device));
	memset(&again, 0, sizeof(again));
	if (device_read(&device, input->path, &error)) {
		fuzz_refused(&error);
		return;
	}
	if (device_write(&device, own_path(), &error) ||
		device_read(&again, own_path(), &error))
		fuzz_fail(error.text);
}

static char *fingerprint_text(const struct fingerprint *fingerprint)
{
	struct error error = {""};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out || fingerprint_write(fingerprint, NULL, out, &error))
		fuzz_fail(error.text);
	fclose(out);
	return text;
}

/* What is read and written is read and written the same again. */
void fuzz_fingerprint(const struct input *input)
{
	struct fingerprint read, again;
	struct error error = {""};
	char *first, *second;

	fingerprint_init(&read);
	if (fingerprint_read(input->path, &read, &error)) {
		fuzz_refused(&error);
		fingerprint_free(&read);
		return;
	}
	first = fingerprint_text(&read);
	fingerprint_free(&read);
	put_file(own_path(), first, strlen(first), "", 0);
	fingerprint_init(&again);
	if (fingerprint_read(own_path(), &again, &error))
		fuzz_fail(error.text);
	second = fingerprint_text(&again);
	fingerprint_free(&again);
	if (strcmp(first, second) != 0)
		fuzz_fail("a fingerprint does not round-trip");
	free(first);
	free(second);
}
