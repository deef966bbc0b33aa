/* What is declared twice: functions and variables of one name. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/declare.h"

/* ---- functions ---- */

static bool is_same_value(
	const struct ptx_variable *a, const struct ptx_variable *b)
{
	return a->type == b->type && a->is_register == b->is_register &&
	       a->align == b->align && a->bytes == b->bytes;
}

static bool are_same(const struct ptx_module *m, uint32_t first, uint32_t count,
	uint32_t other_first, uint32_t other_count)
{
	uint32_t i;

	for (i = 0; count == other_count && i < count; i++)
		if (!is_same_value(&m->variables[first + i],
			    &m->variables[other_first + i]))
			return false;
	return count == other_count;
}

bool reader_are_alike(
	const struct ptx_function *a, const struct ptx_function *b)
{
	return a->parameter_count == b->parameter_count &&
	       a->return_count == b->return_count;
}

/* What is said of a definition was said of its declaration. */
static bool is_linked_alike(
	const struct ptx_function *known, const struct ptx_function *f)
{
	return f->linkage == known->linkage ||
	       (f->linkage == PTX_STATIC && f->has_body &&
		       (known->linkage == PTX_VISIBLE ||
			       known->linkage == PTX_WEAK));
}

/* A function takes and returns what its declaration says. */
static int check_declared(struct reader *r, const struct ptx_function *known,
	const struct ptx_function *f)
{
	const char *fault = NULL;

	if (known->has_body)
		return reader_refuse(r, &r->token.place,
			"there are two functions '%.*s'", (int)f->name.length,
			f->name.text);
	if (known->is_entry != f->is_entry)
		fault = "as entry and as function";
	else if (!is_linked_alike(known, f))
		fault = "with another of .extern, .visible and .weak";
	else if (known->head_unmodelled || f->head_unmodelled)
		return 0;
	else if (known->is_noreturn != f->is_noreturn)
		fault = "with .noreturn and without";
	else if (!are_same(r->module, known->return_first, known->return_count,
			 f->return_first, f->return_count) ||
		 !are_same(r->module, known->parameter_first,
			 known->parameter_count, f->parameter_first,
			 f->parameter_count))
		fault = "with other parameters";
	return fault ? reader_refuse(r, &r->token.place,
			       "'%.*s' has been declared %s",
			       (int)f->name.length, f->name.text, fault)
		     : 0;
}

int reader_new_function(
	struct reader *r, const struct ptx_function *f, uint32_t *index)
{
	struct ptx_module *m = r->module;
	const int known = ptx_find_function(m, &f->name);
	struct ptx_function *declared, defined = *f;
	int code;

	if (f->linkage == PTX_EXTERN && f->has_body)
		return reader_refuse(r, &r->token.place,
			"'%.*s' is .extern and has a body", (int)f->name.length,
			f->name.text);
	if (known < 0)
		return ptx_add_function(r, f, index);
	declared = &m->functions[known];
	code = check_declared(r, declared, f);
	if (code)
		return code;
	*index = (uint32_t)known;
	defined.same_bucket = declared->same_bucket;
	defined.is_pointed = declared->is_pointed;
	if (!defined.linkage)
		defined.linkage = declared->linkage;
	*declared = defined;
	return 0;
}

/* ---- variables ---- */

int reader_check_redeclared(struct reader *r, const struct ptx_variable *known,
	const struct ptx_variable *v)
{
	const bool is_extern = v->linkage == PTX_EXTERN;
	const char *fault = NULL;

	if (!is_extern && known->linkage != PTX_EXTERN)
		return reader_refuse(r, &v->place,
			"'%.*s' stands for two things", (int)v->name.length,
			v->name.text);
	if (v->type != known->type || v->vector != known->vector ||
		(v->bytes && known->bytes && v->bytes != known->bytes))
		fault = "with another type";
	else if (!is_extern && v->linkage == PTX_STATIC)
		fault = ".extern, and is neither .visible nor .weak";
	return fault ? reader_refuse(r, &v->place,
			       "'%.*s' has been declared %s",
			       (int)v->name.length, v->name.text, fault)
		     : 0;
}
