#include <stdlib.h>

#include "harness/base/units.h"
#include "harness/plot/window.h"

#define MOST 1000

void window_parse(int key, const char *argument, struct argp_state *state)
{
	const char *name = key == KEY_WIDTH ? "COLUMNS" : "LINES";
	uint64_t count;

	if (units_parse_count(argument, &count, NULL) || !count || count > MOST)
		argp_error(state,
			"'%s' is no number of characters from 1 to "
			"%d",
			argument, MOST);
	setenv(name, argument, 1);
}
