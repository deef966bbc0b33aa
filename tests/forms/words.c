/*
 * Words of a GPU for rows of forms.def that have none.
 *
 * words write FOLDER  a module and a job for each FORMS_MAX rows of wanted.def,
 *                     and run.sh, which runs them on a GPU by the program that
 *                     NF names
 * words read FOLDER   prints wanted.def, where each digest is that of the words
 *                     which run.sh left in FOLDER
 */
#include <stdlib.h>
#include <string.h>

#include "tests/forms/forms.h"

#define WANTED    "tests/forms/wanted.def"
#define NO_DIGEST ", 0)"

static const struct form wanted[] = {
#define FORM(set, sizes, spelling, digest) {sizes, spelling, set, digest},
#include "tests/forms/wanted.def"
#undef FORM
	{NULL, NULL, SET_COUNT, 0},
};
#define WANTED_COUNT (sizeof(wanted) / sizeof(*wanted) - 1)

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, mode);
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void write_module(const char *folder, unsigned number,
	const struct form *forms, size_t count)
{
	char name[64];
	FILE *out;

	snprintf(name, sizeof(name), "forms%02u.ptx", number);
	out = open_in(folder, name, "w");
	forms_write(forms, count, out);
	fclose(out);
	snprintf(name, sizeof(name), "forms%02u.job", number);
	out = open_in(folder, name, "w");
	fprintf(out,
		"nearfar-kernel 1\nmodule forms%02u.ptx\n"
		"buffer a bytes=%u type=u64\nbuffer b bytes=%u type=u64\n"
		"launch k grid=1 block=%u args=a,b\n",
		number, FORM_OWN_BYTES, FORM_LEFT_BYTES, FORM_THREADS);
	fclose(out);
}

static void write_all(const char *folder)
{
	FILE *script = open_in(folder, "run.sh", "w");
	unsigned number = 0;
	size_t first, count;

	fprintf(script,
		"#!/bin/sh\n# The words of a GPU; NF is nearfar.\nset -e\n"
		"cd \"$(dirname \"$0\")\"\n");
	for (first = 0; first < WANTED_COUNT; first += count, number++) {
		count = forms_together(wanted + first, WANTED_COUNT - first);
		write_module(folder, number, wanted + first, count);
		fprintf(script,
			"\"$NF\" run --kernel forms%02u.job -b "
			"\"${B:-cuda}\" --dump b=forms%02u.bin\n",
			number, number);
	}
	fclose(script);
}

/* The digests of all rows, in their order. */
static void read_digests(const char *folder, uint32_t *digests)
{
	static uint8_t left[FORM_LEFT_BYTES];
	unsigned number = 0;
	size_t first, count, i;
	char name[64];
	FILE *in;

	for (first = 0; first < WANTED_COUNT; first += count, number++) {
		count = forms_together(wanted + first, WANTED_COUNT - first);
		snprintf(name, sizeof(name), "forms%02u.bin", number);
		in = open_in(folder, name, "rb");
		if (fread(left, 1, sizeof(left), in) != sizeof(left)) {
			fprintf(stderr, "%s/%s: too short\n", folder, name);
			exit(1);
		}
		fclose(in);
		for (i = 0; i < count; i++)
			digests[first + i] = form_digest(left + i * FORM_BYTES);
	}
}

static void read_all(const char *folder)
{
	static uint32_t digests[WANTED_COUNT + 1];
	FILE *in = open_in(".", WANTED, "r");
	size_t next = 0;
	char line[4096];

	read_digests(folder, digests);
	while (fgets(line, sizeof(line), in)) {
		char *place = strstr(line, NO_DIGEST);

		if (!place || next == WANTED_COUNT) {
			fputs(line, stdout);
			continue;
		}
		printf("%.*s, 0x%08x)%s", (int)(place - line), line,
			digests[next++], place + strlen(NO_DIGEST));
	}
	fclose(in);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "write")) {
		write_all(argv[2]);
	} else if (argc == 3 && !strcmp(argv[1], "read")) {
		read_all(argv[2]);
	} else {
		fprintf(stderr, "usage: words write|read FOLDER\n");
		return 2;
	}
	return 0;
}
