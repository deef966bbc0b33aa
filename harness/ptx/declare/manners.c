/* What is said of calls of a function: `.noreturn`, `.abi_preserve`. */
#include "harness/ptx/declare.h"

int reader_manners(struct reader *r, bool returns)
{
	static const char *const words[] = {
		"abi_preserve", "abi_preserve_control"};
	const struct ptx_place place = r->token.place;
	bool was[2] = {false, false}, any = false;
	uint64_t number;
	size_t i;
	int code = 0;

	if (reader_is_dot(r, "noreturn") && !returns)
		code = reader_next(r);
	while (!code && r->token.kind == TOKEN_DOT) {
		for (i = 0; i < 2; i++)
			if (reader_is_dot(r, words[i]) && !was[i])
				break;
		if (i == 2)
			return reader_expected(r, "the body of a function");
		if (r->module->version < 90)
			return reader_expected(
				r, "the body of a function, or .version 9.0");
		was[i] = any = true;
		code = reader_next(r);
		if (!code)
			code = reader_take_count(r, "a number", &number);
	}
	if (code || !any)
		return code;
	r->function->head_unmodelled |= r->where != OF_PROTOTYPE;
	reader_unmodelled(
		r, &place, "'.abi_preserve' of a function is not modelled");
	return reader_keep_unmodelled(r, r->function);
}
