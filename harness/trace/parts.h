#ifndef NEARFAR_TRACE_PARTS_H
#define NEARFAR_TRACE_PARTS_H

/* What the files share that read a trace: words and numbers of a line. */
#include "harness/trace/trace.h"

/* Past the line's end. */
void trace_end_line(struct trace_reader *r);
/* Past `word` and the blanks behind it, if the line goes on with it. */
bool trace_skip(struct trace_reader *r, const char *word);
/* A number up to `most`, in base 10 or 16 (with or without 0x). */
int trace_number(struct trace_reader *r, unsigned base, uint64_t most,
	const char *what, uint64_t *value);
/* Is there a word left on the line? */
bool trace_has_word(struct trace_reader *r);

#endif
