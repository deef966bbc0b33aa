#ifndef NEARFAR_MARK_GATE_H
#define NEARFAR_MARK_GATE_H

/* --strict. */
#include "harness/series/series.h"

/* ERR_GATE if any point is marked: the sentence counts them and names the
   first. */
int marks_gate(const struct series_list *list, struct error *error);

#endif
