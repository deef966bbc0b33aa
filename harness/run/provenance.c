#include <stdlib.h>
#include <time.h>

#include "harness/host/host.h"
#include "harness/run/provenance.h"

static int add_date(struct facts *facts)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	struct tm when;
	char text[32];

	gmtime_r(&now, &when);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &when);
	return facts_add(facts, "date", "%s", text);
}

int provenance_add(const struct run_config *config, const struct facts *device,
	struct facts *facts)
{
	const struct backend_ops *ops = config->opened->ops;
	struct error error;
	size_t i;
	int code = facts_add(facts, "version", "%s", NEARFAR_VERSION);

	code |= facts_add(facts, "backend", "%s", ops->name);
	for (i = 0; i < device->count; i++)
		code |= facts_add(facts, device->items[i].key, "%s",
			device->items[i].value);
	for (i = 0; i < config->backend.set_count; i++)
		code |= facts_add(facts, "set", "%s", config->backend.sets[i]);
	code |= facts_add(facts, "seed", "%u", config->seed);
	code |= facts_add(facts, "repeats", "%u", config->repeats);
	code |= facts_add(facts, "warmups", "%u", config->warmups);
	if (!ops->parallel || getenv("SOURCE_DATE_EPOCH"))
		code |= add_date(facts);
	if (!ops->parallel)
		code |= host_facts(facts, &error) |
			host_warnings(facts, &error);
	return code;
}
