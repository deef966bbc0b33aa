#include "harness/program/step.h"

static const char *granularity_mistake(const struct step *step)
{
	if (step->bytes == 32 || step->bytes == 64 || step->bytes == 128)
		return NULL;
	return "'granularity' takes 32, 64 or 128 bytes";
}

static const char *window_mistake(
	const struct step *step, const struct step_buffer *b)
{
	uint64_t end;

	if (!step->bytes)
		return NULL;
	if (!b)
		return "'window' names no buffer";
	if (__builtin_add_overflow(step->base_bytes, step->bytes, &end) ||
		end > b->bytes)
		return "'window' leaves its buffer";
	if (memory_is_far(b->memory))
		return "'window' is over far memory, of which the GPU's L2 "
		       "keeps no lines";
	if (!(step->hit_ratio >= 0 && step->hit_ratio <= 1))
		return "'window' takes a ratio of 0 to 1";
	if (step->hit >= PROPERTY_COUNT || step->miss >= PROPERTY_COUNT)
		return "'window' takes normal, streaming or persisting";
	if (step->miss == PROPERTY_PERSISTING)
		return "'window' takes miss=normal or miss=streaming only";
	return NULL;
}

static const char *copy_mistake(const struct step *step,
	const struct step_buffer *from, const struct step_buffer *to)
{
	if (!from || !to)
		return "'copy' names no buffer";
	if (step->buffer == step->target)
		return "'copy' is from a buffer to itself";
	if (!step->bytes || step->bytes > from->bytes ||
		step->bytes > to->bytes)
		return "'copy' takes 1 byte or more, as many as both of its "
		       "buffers have";
	return NULL;
}

const char *step_mistake(const struct step *step,
	const struct step_buffer *from, const struct step_buffer *to)
{
	switch (step->kind) {
	case STEP_GRANULARITY:
		return granularity_mistake(step);
	case STEP_WINDOW:
		return window_mistake(step, from);
	case STEP_COPY:
		return copy_mistake(step, from, to);
	case STEP_LAUNCH:
	case STEP_FLUSH:
	case STEP_RESET:
	case STEP_CARVEOUT:
		return NULL;
	default:
		return "a step has an unknown kind";
	}
}
