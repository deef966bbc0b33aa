#ifndef NEARFAR_FILE_NAME_H
#define NEARFAR_FILE_NAME_H

/* Names of files: what they stand for, and names that nobody has. */

/* The path at the end of the symbolic links that `path` leads to, which need
   not exist; the caller frees it. NULL with errno. */
char *file_name_follow(const char *path);

/* The folder of a path, "." if it names none; the caller frees it. NULL
   without memory. */
char *file_name_folder(const char *path);

/* What a file of series is called: "chase" of "results/chase.json.gz"; what
   text of one line has no room for becomes "_". The caller frees it. NULL
   without memory. */
char *file_name_label(const char *path);

/* A hidden name in the folder of `path` that cannot be guessed; the caller
   frees it. NULL with errno. */
char *file_name_random(const char *path);

/* The descriptor that "/dev/stdout", "/dev/fd/5" or "/proc/self/fd/5" stands
   for, or -1. */
int file_name_descriptor(const char *path);

#endif
