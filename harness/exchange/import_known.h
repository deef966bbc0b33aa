#ifndef NEARFAR_IMPORT_KNOWN_H
#define NEARFAR_IMPORT_KNOWN_H

/* Formats that import recognises by content and does not read: its message says
   what the file is, and which command reads it if one does. */
#include "harness/exchange/import.h"

/* The rest of a sentence about the file: "is a job: ...". Static. NULL: no
   known format looks like it. */
const char *import_known(const struct import_file *file);

#endif
