#ifndef NEARFAR_PTX_WORDS_H
#define NEARFAR_PTX_WORDS_H

/* The words of words.def. */
#include <stdint.h>

#include "harness/ptx/ptx.h"

struct ptx_word_info {
	const char *text;
	uint8_t class; /* enum ptx_class */
};
extern const struct ptx_word_info ptx_words[PTXW_COUNT];

#endif
