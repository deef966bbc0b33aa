#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/target.h"

static const struct target targets[] = {
	{"program", fuzz_program}, /* parsed programs run on a small machine */
	{"machine", fuzz_machine},
	{"series", fuzz_series}, /* JSON, CSV, gzip; every format out */
	{"table", fuzz_table},   /* pivots and comparisons */
	{"plot", fuzz_plot}, {"map", fuzz_map}, {"samples", fuzz_samples},
	{"import", fuzz_import},
	{"job", fuzz_job},         /* parsed, printed, parsed again */
	{"ptx", fuzz_ptx},         /* parsed modules run on a small machine */
	{"trace", fuzz_trace},     /* replayed on the small machine */
	{"profile", fuzz_profile}, /* JSON; every format out */
	{"words", fuzz_words},     /* of the command line */
	{"state", fuzz_state},     /* the journal of a calibration */
	{"kept", fuzz_kept},       /* the journal of a run */
	{"suite", fuzz_suite}, {"gates", fuzz_gates}, {"device", fuzz_device},
	{"fingerprint", fuzz_fingerprint}, /* what `fleet add` reads, too */
};

#define TARGETS (sizeof(targets) / sizeof(targets[0]))

_Noreturn void fuzz_fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

void fuzz_refused(struct error *error)
{
	if (!*error->text)
		fuzz_fail("a refusal without a sentence");
	*error->text = '\0';
}

static const struct target *find(void)
{
	const char *name = getenv("FUZZ_TARGET");
	size_t i;

	for (i = 0; name && i < TARGETS; i++)
		if (!strcmp(name, targets[i].name))
			return &targets[i];
	fuzz_fail("FUZZ_TARGET names no target");
}

/* Readers want a path: a file in memory, written anew each time. */
static int write_case(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("case", 0);
	if (fd < 0 || ftruncate(fd, 0) ||
		pwrite(fd, data, size, 0) != (ssize_t)size)
		fuzz_fail("the case was not written");
	lseek(fd, 0, SEEK_SET);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target *target;
	char path[64], *text = malloc(size + 1);

	if (!target)
		target = find();
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	snprintf(
		path, sizeof(path), "/proc/self/fd/%d", write_case(data, size));
	target->try(&(struct input){text, size, path});
	free(text);
	return 0;
}
