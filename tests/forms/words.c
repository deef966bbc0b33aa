/*
 * Words of a GPU for rows of forms.def that have none.
 *
 * words write FOLDER  a module and a job for each FORMS_MAX rows of wanted.def,
 *                     and run.sh, which runs them on a GPU by the program that
 *                     NF names
 * words read FOLDER   prints the rows with the digests of what run.sh left in
 *                     FOLDER
 * words near FOLDER   prints them with words, for near.def
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

/* All rows but the last. */
static size_t wanted_count(void)
{
	size_t count = 0;

	while (wanted[count].sizes)
		count++;
	return count;
}

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
	const size_t all = wanted_count();
	unsigned number = 0;
	size_t first, count;

	fprintf(script,
		"#!/bin/sh\n# The words of a GPU; NF is nearfar.\nset -e\n"
		"cd \"$(dirname \"$0\")\"\n");
	for (first = 0; first < all; first += count, number++) {
		count = forms_together(wanted + first, all - first);
		write_module(folder, number, wanted + first, count);
		fprintf(script,
			"\"$NF\" run --kernel forms%02u.job -b "
			"\"${B:-cuda}\" --dump b=forms%02u.bin\n",
			number, number);
	}
	fclose(script);
}

/* Calls `each` with what every row has left, in their order. */
static void read_rows(const char *folder,
	void (*each)(const struct form *form, const uint8_t *bytes))
{
	static uint8_t left[FORM_LEFT_BYTES];
	const size_t all = wanted_count();
	unsigned number = 0;
	size_t first, count, i;
	char name[64];
	FILE *in;

	for (first = 0; first < all; first += count, number++) {
		count = forms_together(wanted + first, all - first);
		snprintf(name, sizeof(name), "forms%02u.bin", number);
		in = open_in(folder, name, "rb");
		if (fread(left, 1, sizeof(left), in) != sizeof(left)) {
			fprintf(stderr, "%s/%s: too short\n", folder, name);
			exit(1);
		}
		fclose(in);
		for (i = 0; i < count; i++)
			each(&wanted[first + i], left + i * FORM_BYTES);
	}
}

static const char *const set_names[] = {
#define SET(name) #name,
	FORM_SETS(SET)
#undef SET
};

/* Within 80 columns where that is possible. */
static void print_row(const char *macro, const struct form *form, int more)
{
	const char *set = set_names[form->set];
	int length = (int)(strlen(macro) + strlen(set) + strlen(form->sizes) +
			     strlen(form->spelling)) +
		     more + 12;

	printf("%s(%s, \"%s\",%s\"%s\", ", macro, set, form->sizes,
		length > 80 ? "\n\t" : " ", form->spelling);
}

static void print_digest(const struct form *form, const uint8_t *bytes)
{
	print_row("FORM", form, 11);
	printf("0x%08x)\n", form_digest(bytes));
}

static void print_words(const struct form *form, const uint8_t *bytes)
{
	uint64_t word;
	unsigned i;

	print_row("NEAR", form, 5);
	printf("0, 0");
	for (i = 0; i < FORM_NEAR; i++) {
		memcpy(&word, bytes + 8 * form_near_thread(i), sizeof(word));
		printf(",%s0x%llx", i % 4 ? " " : "\n\t",
			(unsigned long long)word);
	}
	printf(")\n");
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";

	if (!strcmp(what, "write")) {
		write_all(argv[2]);
	} else if (!strcmp(what, "read")) {
		read_rows(argv[2], print_digest);
	} else if (!strcmp(what, "near")) {
		read_rows(argv[2], print_words);
	} else {
		fprintf(stderr, "usage: words write|read|near FOLDER\n");
		return 2;
	}
	return 0;
}
