/* Special registers, by their names. */
#include <stdlib.h>
#include <string.h>

#include "harness/ptx/reader.h"

static int find_special(const struct ptx_name *name)
{
	int i;

	for (i = 0; i < PTXS_COUNT; i++)
		if (ptx_name_is(name, ptx_specials[i].name))
			return i;
	return -1;
}

/* Those that PTX has besides, up to their numbers. */
static const char *const unmodelled_specials[] = {"%clusterid.x",
	"%clusterid.y", "%clusterid.z", "%nclusterid.x", "%nclusterid.y",
	"%nclusterid.z", "%cluster_ctaid.x", "%cluster_ctaid.y",
	"%cluster_ctaid.z", "%cluster_nctaid.x", "%cluster_nctaid.y",
	"%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank",
	"%is_explicit_cluster", "%current_graph_exec", "%envreg#", "%pm0",
	"%pm1", "%pm2", "%pm3", "%pm4", "%pm5", "%pm6", "%pm7", "%pm0_64",
	"%pm1_64", "%pm2_64", "%pm3_64", "%pm4_64", "%pm5_64", "%pm6_64",
	"%pm7_64"};

/* `#`: 0 to 31. */
static bool is_special(const struct ptx_name *name, const char *text)
{
	const char *number = strchr(text, '#');
	const uint32_t stem = number ? (uint32_t)(number - text) : 0;
	char digits[3] = "";

	if (!number)
		return ptx_name_is(name, text);
	if (name->length <= stem || name->length > stem + 2 ||
		memcmp(name->text, text, stem) != 0)
		return false;
	memcpy(digits, name->text + stem, name->length - stem);
	return strspn(digits, "0123456789") == name->length - stem &&
	       (digits[0] != '0' || !digits[1]) && atoi(digits) < 32;
}

/* %clusterid of %clusterid.x */
static bool is_coordinate(const struct ptx_name *name, const char *text)
{
	return strchr(text, '.') == text + name->length &&
	       !memcmp(text, name->text, name->length);
}

/* The element that a letter names, of so many; `count`: none. */
uint32_t reader_letter(const struct reader *r, uint32_t count)
{
	static const char letters[] = "xyzwrgba";
	const char *letter = strchr(letters, r->token.text.text[0]);
	const uint32_t i = letter ? (uint32_t)(letter - letters) % 4 : count;

	return r->token.text.length == 1 && i < count ? i : count;
}

static bool is_wide(const struct ptx_name *name)
{
	return ptx_name_is(name, "%current_graph_exec") ||
	       !memcmp(name->text + name->length - 3, "_64", 3);
}

/* The function keeps why it is of no use; for the rest of the instruction
   another register of so many bits stands there. */
static int stand_in(struct reader *r, struct ptx_operand *o)
{
	const struct ptx_name name = r->token.text;
	int code;

	reader_unmodelled(r, &r->token.place,
		"the special register '%.*s' is not modelled", (int)name.length,
		name.text);
	/* It holds a predicate, for which none stands. */
	if (ptx_name_is(&name, "%is_explicit_cluster"))
		return ERR_SKIPPED;
	o->kind = PTX_SPECIAL;
	o->index = is_wide(&name) ? PTXS_clock64 : PTXS_laneid;
	code = reader_keep_unmodelled(r, r->function);
	if (!code)
		code = reader_next(r);
	if (code || r->token.kind != TOKEN_DOT)
		return code;
	return reader_letter(r, 4) < 4
		       ? reader_next(r)
		       : reader_expected(r, "'.x', '.y', '.z' or '.w'");
}

static int take_unmodelled(struct reader *r, struct ptx_operand *o)
{
	const struct ptx_name *name = &r->token.text;
	size_t i;

	for (i = 0;
		i < sizeof(unmodelled_specials) / sizeof(*unmodelled_specials);
		i++)
		if (is_special(name, unmodelled_specials[i]) ||
			is_coordinate(name, unmodelled_specials[i]))
			return stand_in(r, o);
	return reader_refuse(r, &r->token.place,
		"'%.*s' is neither a register of this function nor a special "
		"register",
		(int)name->length, name->text);
}

/* Those that are places: the first of %tid.x, %tid.y, %tid.z; -1: it is none.
 */
static int find_place(const struct ptx_name *name)
{
	int i;

	for (i = 0; i < PTXS_COUNT; i++) {
		const char *text = ptx_specials[i].name;
		const size_t length = strlen(text);

		if (length == name->length + 2u &&
			!memcmp(text, name->text, name->length) &&
			!strcmp(text + name->length, ".x"))
			return i;
	}
	return -1;
}

static uint32_t coordinate(int first, uint32_t i)
{
	return i < 3 ? (uint32_t)first + i : PTXS_tid_w;
}

/* %tid.x, or all four of %tid. */
static int take_place(struct reader *r, int first, struct ptx_operand *o)
{
	struct ptx_operand item = {.kind = PTX_SPECIAL};
	uint32_t i;
	int code = reader_next(r);

	if (code)
		return code;
	if (r->token.kind == TOKEN_DOT) {
		i = reader_letter(r, 4);
		if (i == 4)
			return reader_expected(r, "'.x', '.y', '.z' or '.w'");
		o->kind = PTX_SPECIAL;
		o->index = coordinate(first, i);
		return reader_next(r);
	}
	o->kind = PTX_VECTOR;
	o->index = r->function->item_count;
	o->count = 4;
	for (i = 0; !code && i < 4; i++) {
		item.index = coordinate(first, i);
		code = reader_item(r, &item);
	}
	return code;
}

int reader_special(
	struct reader *r, uint8_t op, struct ptx_operand *o, bool *was)
{
	const struct ptx_name name = r->token.text;
	const int special = find_special(&name), first = find_place(&name);

	*was = special >= 0 || first >= 0 ||
	       (name.text[0] == '%' && op != PTXO_BRA);
	if (first >= 0)
		return take_place(r, first, o);
	/* A label may be called so, too. */
	if (special < 0)
		return name.text[0] != '%' || op == PTXO_BRA
			       ? 0
			       : take_unmodelled(r, o);
	o->kind = PTX_SPECIAL;
	o->index = (uint32_t)special;
	return reader_next(r);
}
