/* What stands in the head of a function behind its parameters. */
#include "harness/ptx/declare.h"

/* More threads than any block has are as good as any. */
#define THREADS_MOST (1u << 20)

static int take_three(
	struct reader *r, const char *what, uint32_t least, uint32_t *three)
{
	uint64_t number = 0;
	bool more = true;
	uint32_t i;
	int code = 0;

	three[0] = three[1] = three[2] = 1;
	for (i = 0; !code && more && i < 3; i++) {
		const struct ptx_place place = r->token.place;

		code = reader_take_count(r, what, &number);
		if (!code && number < least)
			return reader_refuse(r, &place, "expected %s", what);
		three[i] =
			number < THREADS_MOST ? (uint32_t)number : THREADS_MOST;
		if (!code)
			code = reader_skip_mark(r, ',', &more);
	}
	return code;
}

static int take_limit(struct reader *r, uint32_t *limit)
{
	const struct ptx_place place = r->token.place;
	uint64_t number = 0;
	int code = reader_take_count(r, "a number", &number);

	if (!code && !number)
		return reader_refuse(r, &place, "expected a number above 0");
	*limit = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	return code;
}

static int refuse_limit(struct reader *r, const struct token *t)
{
	if (ptx_name_is(&t->text, "blocksareclusters"))
		return reader_unmodelled(r, &t->place,
			"'.blocksareclusters' of a function is not modelled");
	return reader_refuse(r, &t->place,
		"'.%.*s' is not a directive of a function's head",
		(int)t->text.length, t->text.text);
}

/* What a kernel says of its clusters. A size of 0 says nothing, as ptxas has
   it. */
static int take_cluster(
	struct reader *r, const struct token *t, struct ptx_function *f)
{
	uint64_t number = 0;
	int code = 0;

	if (r->module->target < 90)
		return reader_refuse(r, &t->place,
			"'.%.*s' needs .target sm_90, the module has sm_%u",
			(int)t->text.length, t->text.text, r->module->target);
	if (ptx_name_is(&t->text, "explicitcluster")) {
		f->explicitcluster = true;
	} else if (ptx_name_is(&t->text, "maxclusterrank")) {
		code = reader_take_count(r, "a number of blocks", &number);
		f->maxclusterrank =
			number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
	} else {
		code = take_three(
			r, "a number of blocks", 0, f->reqnctapercluster);
	}
	if (!code && f->maxclusterrank && f->reqnctapercluster[0])
		return reader_refuse(r, &t->place,
			"expected .reqnctapercluster or .maxclusterrank, not "
			"both");
	return code;
}

static bool is_of_clusters(const struct token *t)
{
	return ptx_name_is(&t->text, "reqnctapercluster") ||
	       ptx_name_is(&t->text, "maxclusterrank") ||
	       ptx_name_is(&t->text, "explicitcluster");
}

/* What is not modelled: the entry is of no use. */
static int pass_over(struct reader *r, struct ptx_function *f)
{
	f->head_unmodelled = true;
	return reader_keep_unmodelled(r, f);
}

/* What follows another only. */
static int check_limits(struct reader *r, const struct ptx_function *f,
	const struct token *blocks)
{
	if (!blocks->kind || (f->reqntid[0] && f->reqnctapercluster[0]))
		return 0;
	return reader_refuse(r, &blocks->place,
		"'.blocksareclusters' needs .reqntid and .reqnctapercluster");
}

int reader_limits(struct reader *r, struct ptx_function *f)
{
	const bool is_declared = reader_is_mark(r, ';');
	struct token blocks = {0};
	int code = 0;

	while (!code && r->token.kind == TOKEN_DOT) {
		struct token t = r->token;

		code = reader_next(r);
		if (code)
			return code;
		if (ptx_name_is(&t.text, "maxntid"))
			code = take_three(
				r, "a number of threads", 1, f->maxntid);
		else if (ptx_name_is(&t.text, "reqntid"))
			code = take_three(
				r, "a number of threads", 1, f->reqntid);
		else if (is_of_clusters(&t))
			code = take_cluster(r, &t, f);
		else if (ptx_name_is(&t.text, "maxnreg"))
			code = take_limit(r, &f->maxnreg);
		else if (ptx_name_is(&t.text, "minnctapersm"))
			code = take_limit(r, &f->minnctapersm);
		else if (ptx_name_is(&t.text, "pragma"))
			code = reader_pragma(r, NULL);
		else
			code = refuse_limit(r, &t);
		if (code == ERR_SKIPPED) {
			blocks = t;
			code = pass_over(r, f);
		}
		if (!code && f->maxntid[0] && f->reqntid[0])
			return reader_refuse(r, &t.place,
				"expected .maxntid or .reqntid, not both");
	}
	if (!code && reader_is_mark(r, ';') && !is_declared)
		return reader_expected(r, "the body of an entry");
	return code ? code : check_limits(r, f, &blocks);
}
