#ifndef NEARFAR_PROGRAM_FILES_H
#define NEARFAR_PROGRAM_FILES_H

/* The files that words name: a word is a file, or a folder that stands for
   each file in it with some ending, by name. */
#include <stddef.h>

#include "harness/base/error.h"

struct program_files {
	char **paths;
	size_t count;
};

/* Programs end in .txt, jobs in .job. ERR_USAGE for a folder without any; a
   file that is not there is found when it is read. On failure, too,
   program_files_free. */
int program_files_find(struct program_files *files, const char *ending,
	const char *const *words, size_t word_count, struct error *error);

void program_files_free(struct program_files *files);

#endif
