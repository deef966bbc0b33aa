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
	const struct result kept = {
		.samples = result->samples,
		.sample_capacity = result->sample_capacity,
		.timeline = result->timeline,
		.places = result->places,
		.wishes = result->wishes,
	};

	job_result_free(&result->launches);
	*result = kept;
}

void result_free(struct result *result)
{
	free(result->samples);
	job_result_free(&result->launches);
	memset(result, 0, sizeof(*result));
}
