#include "backend_sim/engine.h"

void step_act(struct engine *e, const struct step *step)
{
	switch (step->kind) {
	case STEP_FLUSH:
		l2_flush(&e->l2);
		far_flush(&e->far);
		dram_close_rows(&e->dram);
		break;
	case STEP_RESET:
		l2_reset_persisting(&e->l2);
		break;
	case STEP_GRANULARITY:
		e->l2.fetch_bytes = (uint32_t)step->bytes;
		break;
	case STEP_CARVEOUT:
		l2_carve_out(&e->l2, step->bytes);
		break;
	case STEP_WINDOW:
		e->execution.window = step->bytes ? step : NULL;
		break;
	default:
		break;
	}
}

int steps_copy(const struct engine *e, const struct far_copy *copies,
	size_t count, struct copied *copied, struct error *error)
{
	const double cycles = far_copies(&e->far, copies, count);
	double bytes = 0;
	size_t i;

	if (cycles < 0)
		return error_set(error, ERR_SKIPPED,
			"the model's copy engine moves data from or to the "
			"GPU's own memory, and a copy is from far to far");
	for (i = 0; i < count; i++)
		bytes += copies[i].bytes;
	*copied = (struct copied){bytes, cycles / e->core.cost.clock_hz * 1e9};
	return 0;
}
