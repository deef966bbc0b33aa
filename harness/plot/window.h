#ifndef NEARFAR_WINDOW_H
#define NEARFAR_WINDOW_H

/* --width and --height: as if the window were so many characters wide and
   high, whatever it is. They stand for COLUMNS and LINES. */
#include <argp.h>

enum { KEY_WIDTH = 0x300, KEY_HEIGHT };

#define WINDOW_OPTIONS                                                         \
	{"width", KEY_WIDTH, "CHARACTERS", 0,                                  \
		"as if the window were so wide (default: the terminal's)", 0}, \
	{                                                                      \
		"height", KEY_HEIGHT, "LINES", 0, "height of a plot", 0        \
	}

void window_parse(int key, const char *argument, struct argp_state *state);

#endif
