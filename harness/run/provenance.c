#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "harness/base/units.h"
#include "harness/host/host.h"
#include "harness/run/provenance.h"

#define EPOCH_LAST UINT64_C(253402300799) /* a year has four digits */

static int read_epoch(time_t *epoch, struct error *error)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds = 0;

	*epoch = time(NULL);
	if (!text || !*text)
		return 0;
	if (units_parse_count(text, &seconds, NULL) || seconds > EPOCH_LAST)
		return error_set(error, ERR_USAGE,
			"SOURCE_DATE_EPOCH is '%s', not a number of seconds "
			"since 1970, at most %" PRIu64,
			text, EPOCH_LAST);
	*epoch = (time_t)seconds;
	return 0;
}

int provenance_check(struct error *error)
{
	time_t epoch;

	return read_epoch(&epoch, error);
}

static int add_date(struct facts *facts)
{
	struct error error;
	struct tm when;
	char text[32];
	time_t now;

	if (read_epoch(&now, &error) || !gmtime_r(&now, &when))
		return ERR_FAILED;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &when);
	return facts_add(facts, "date", "%s", text);
}

int provenance_add(const struct run_config *config, const struct facts *device,
	struct facts *facts)
{
	const struct backend_ops *ops = config->opened->ops;
	char repeats[REPEATS_BYTES];
	struct error error;
	size_t i;
	int code = facts_add(facts, "version", "%s", NEARFAR_VERSION);

	repeats_text(&config->repeats, repeats);
	code |= facts_add(facts, "backend", "%s", ops->name);
	for (i = 0; i < device->count; i++)
		code |= facts_add(facts, device->items[i].key, "%s",
			device->items[i].value);
	for (i = 0; i < config->backend.set_count; i++)
		code |= facts_add(facts, "set", "%s", config->backend.sets[i]);
	code |= facts_add(facts, "seed", "%u", config->seed);
	code |= facts_add(facts, "repeats", "%s", repeats);
	code |= facts_add(facts, "warmups", "%u", config->warmups);
	if (config->as_written)
		code |= facts_add(facts, "code", "as written");
	if (config->values == JOB_VALUES_IEEE)
		code |= facts_add(facts, FACT_VALUES,
			"ieee: sums of matrices are not the hardware's");
	if (!ops->parallel || getenv("SOURCE_DATE_EPOCH"))
		code |= add_date(facts);
	if (!ops->parallel)
		code |= host_facts(facts, &error) |
			host_warnings(facts, &error);
	return code;
}
