#include "backend_sim/engine.h"

bool step_is_host_action(const struct step *step)
{
	return step->kind != STEP_LAUNCH;
}

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
