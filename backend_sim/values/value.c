/* Which function an instruction is. */
#include "backend_sim/values/value.h"

value_fn value_function(const struct ptx_insn *insn)
{
	static value_fn (*const files[])(const struct ptx_insn *) = {
		value_compare,
		value_convert,
		value_real,
		value_half,
		value_bits,
		value_integer,
	};
	value_fn f = NULL;
	size_t i;

	for (i = 0; !f && i < sizeof(files) / sizeof(*files); i++)
		f = files[i](insn);
	return f;
}
