#ifndef NEARFAR_PAGE_H
#define NEARFAR_PAGE_H

/*
 * A report: one HTML page that holds its style, its scripts and its data, and
 * asks for nothing else. What a reader must see stands in the HTML itself:
 * tiles, a static picture of each chart, provenance, notes. The scripts (see
 * assets/) make the charts interactive and draw histograms, maps and tables
 * from the data, which stands in the page as JSON.
 *
 * Every text that comes from files or from the command line is escaped where
 * it is written, and the page's content security policy allows no script and
 * no style but the page's own, by their digests.
 */
#include <stdio.h>

#include "harness/base/error.h"

struct page_words {
	const char *title; /* NULL: a plain one */
	const char *const *notes;
	size_t note_count;
};

/*
 * Reads `paths`: series files, and files of samples as `modes` takes them.
 * Writes the page, the same bytes for the same files and words. ERR_USAGE for
 * a file with wrong content, ERR_FAILED for one that cannot be read, and
 * without memory.
 */
int page_write(const char *const *paths, size_t path_count,
	const struct page_words *words, FILE *out, struct error *error);

#endif
