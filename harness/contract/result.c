#include <stdlib.h>
#include <string.h>

#include "harness/contract/backend.h"

int result_add(struct result *result, const struct sample *sample)
{
	if (result->sample_count == result->sample_capacity) {
		const size_t capacity =
			result->sample_count ? 2 * result->sample_count : 256;
		struct sample *samples = reallocarray(
			result->samples, capacity, sizeof(*samples));

		if (!samples)
			return ERR_FAILED;
		result->samples = samples;
		result->sample_capacity = capacity;
	}
	result->samples[result->sample_count++] = *sample;
	return 0;
}

void result_clear(struct result *result)
{
	struct sample *samples = result->samples;
	const size_t capacity = result->sample_capacity;
	struct timeline *timeline = result->timeline;

	memset(result, 0, sizeof(*result));
	result->samples = samples;
	result->sample_capacity = capacity;
	result->timeline = timeline;
}

void result_free(struct result *result)
{
	free(result->samples);
	memset(result, 0, sizeof(*result));
}
