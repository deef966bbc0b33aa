#include "backend_sim/sm/stores.h"

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	return (hash ^ hash >> 29 ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t stores_key(uint64_t line, const uint32_t bytes[4])
{
	uint64_t hash = mixed(line, 0); /* apart: bytes are small, too */

	hash = mixed(hash, bytes[0] | (uint64_t)bytes[1] << 32);
	return (uint32_t)(mixed(hash, bytes[2] | (uint64_t)bytes[3] << 32) >>
			  32);
}

void stores_pass(struct stores *s, bool is_store, uint64_t now, uint64_t over,
	uint64_t pause)
{
	if (!is_store || now > s->over + pause)
		s->count = 0;
	if (is_store)
		s->over = over;
}

bool stores_join(struct stores *s, uint32_t key, uint32_t most)
{
	uint32_t found = 0, i;

	for (i = 0; i < s->count; i++)
		found |= s->written[i] == key;
	if (found)
		return true;
	if (s->count >= most)
		s->count = 0;
	s->written[s->count++] = key;
	return false;
}
