#include "harness/run/opened.h"

int opened_open(struct opened *opened, const struct backend_ops *ops,
	const struct backend_config *config, struct error *error)
{
	struct opened o = {.ops = ops};
	int code = ops->open(&o.backend, config, error);

	if (code)
		return code;
	code = ops->describe(o.backend, &o.device, &o.facts, error);
	if (code)
		opened_close(&o);
	else
		*opened = o;
	return code;
}

void opened_close(struct opened *opened)
{
	if (opened->backend)
		opened->ops->close(opened->backend);
	facts_free(&opened->facts);
	*opened = (struct opened){0};
}
