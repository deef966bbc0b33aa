#ifndef NEARFAR_IMPORT_KNOWN_H
#define NEARFAR_IMPORT_KNOWN_H

/* Formats that are told by their content and not read: a user who gives one
   learns what it is, and which command takes it if one does. */
#include "harness/exchange/import.h"

/* What the text is, as a sentence goes on: "is ..., which ...". NULL where no
   known format looks like it. */
const char *import_known(const struct import_file *file);

#endif
