#include "backend_sim/rules/rules.h"
#include "backend_sim/sm/stores.h"

static uint64_t mixed(uint64_t hash, uint64_t value)
{
	return (hash ^ hash >> 29 ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t stores_whole(const uint32_t bytes[4])
{
	uint32_t whole = 0, sector;

	for (sector = 0; sector < 4; sector++)
		whole |= (uint32_t)(bytes[sector] == UINT32_MAX) << sector;
	return whole;
}

uint32_t stores_key(uint32_t before, uint64_t line, uint32_t sectors)
{
	return (uint32_t)(mixed((uint64_t)before << 32, line << 4 | sectors) >>
			  32) |
	       1;
}

static uint32_t bytes_key(uint64_t place, const uint32_t bytes[4])
{
	uint64_t hash = mixed(place, bytes[0] | (uint64_t)bytes[1] << 32);

	return (uint32_t)(mixed(hash, bytes[2] | (uint64_t)bytes[3] << 32) >>
			  32);
}

/* 0 for whole sectors alone. */
static uint32_t own_key(
	uint64_t line, const struct store_place *place, const uint32_t bytes[4])
{
	uint64_t sectors = place->sectors;

	if (!RULE(STORE_PARTS) || !(sectors & ~stores_whole(bytes)))
		return 0;
	return (uint32_t)(mixed(line, sectors | (uint64_t)place->warp << 4) >>
			  32) |
	       1;
}

/* Apart: bytes are small numbers, too. */
static uint64_t place_of(uint64_t line)
{
	return mixed(line, 0);
}

void stores_pass(struct stores *s, bool is_store, uint64_t now, uint64_t over,
	uint64_t pause)
{
	if (!is_store || now > s->over + pause)
		s->count = 0;
	if (is_store)
		s->over = over;
}

static void unite(struct store_part *part, const uint32_t bytes[4])
{
	unsigned sector;

	for (sector = 0; sector < 4; sector++)
		part->bytes[sector] |= bytes[sector];
}

/* Where the key is, or behind all. */
static uint32_t find(const uint32_t *keys, uint32_t count, uint32_t key)
{
	uint32_t found = 0, i;

	for (i = 0; i < count; i++)
		found |= keys[i] == key;
	if (!found)
		return count;
	for (i = 0; keys[i] != key; i++)
		;
	return i;
}

/* Room for one more. */
static uint32_t next(struct stores *s, uint32_t most)
{
	if (s->count >= most)
		s->count = 0;
	return s->count++;
}

bool stores_join_whole(
	struct stores *s, uint64_t line, const uint32_t bytes[4], uint32_t most)
{
	uint32_t same = bytes_key(place_of(line), bytes), at;

	if (find(s->same, s->count, same) < s->count)
		return true;
	at = next(s, most);
	s->same[at] = same;
	s->own[at] = 0;
	s->parts[at].request = NONE;
	return false;
}

bool stores_join(struct stores *s, const struct store_place *place,
	struct store_part *part, const struct store_part *with, uint32_t most)
{
	const struct store_part mine = *part;
	uint64_t line = place_of(place->line);
	uint32_t same = bytes_key(line, mine.bytes);
	uint32_t own = own_key(line, place, mine.bytes), at;
	bool joins;

	at = find(s->same, s->count, same);
	if (at == s->count && own)
		at = find(s->own, s->count, own);
	joins = with || at < s->count;
	if (with)
		*part = *with;
	else if (joins)
		*part = s->parts[at];
	unite(part, mine.bytes);
	if (at == s->count) {
		at = next(s, most);
		s->same[at] = same;
		s->own[at] = own;
	}
	s->parts[at] = *part;
	return joins;
}
