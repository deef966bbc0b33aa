#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fingerprint/fingerprint.h"

const struct figure_about figure_about[FIGURE_COUNT] = {
#define FIGURE(name, noun, unit, worse, grain, repeat, chips, row, reader,     \
	argument, sentence)                                                    \
	{#name, noun, unit, WORSE_##worse, grain, repeat, chips, row, sentence},
#include "harness/fingerprint/figures.def"
#undef FIGURE
};

int figure_find(const char *name)
{
	int i;

	for (i = 0; i < FIGURE_COUNT; i++)
		if (!strcmp(figure_about[i].name, name))
			return i;
	return -1;
}

void fingerprint_init(struct fingerprint *fingerprint)
{
	int i;

	*fingerprint = (struct fingerprint){.map = NULL};
	for (i = 0; i < FIGURE_COUNT; i++)
		fingerprint->figures[i] = (struct figure){NAN, NAN, NAN, NULL};
}

void fingerprint_free(struct fingerprint *fingerprint)
{
	int i;

	facts_free(&fingerprint->identity);
	json_decref(fingerprint->map);
	for (i = 0; i < FIGURE_COUNT; i++)
		free(fingerprint->figures[i].reason);
	fingerprint_init(fingerprint);
}
