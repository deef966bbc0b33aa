#ifndef NEARFAR_CODE_LIST_H
#define NEARFAR_CODE_LIST_H

/* Every operation of ops.def with what it costs, as the contract lists it. */
#include "harness/base/error.h"
#include "harness/contract/instructions.h"

/* Appends; ERR_FAILED without memory. */
int code_list(struct model_instructions *list, struct error *error);

#endif
