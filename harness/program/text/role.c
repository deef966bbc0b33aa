#include <inttypes.h>
#include <string.h>

#include "harness/program/text/fields.h"
#include "harness/program/text/parts.h"

static void place_print(FILE *out, const struct role *role)
{
	if (role->place == PLACE_BLOCKS) {
		fprintf(out, " blocks=%" PRIu32, role->blocks);
		return;
	}
	if (role->place == PLACE_OTHERS)
		fputs(" sms=others", out);
	else if (!role->sm_count)
		fputs(" sms=all", out);
	else
		fprintf(out, " sms=%" PRIu32 ":%" PRIu32, role->sm_first,
			role->sm_count);
	if (role->place == PLACE_SMS && role->sm_count && role->sm_stride != 1)
		fprintf(out, ":%" PRIu32, role->sm_stride);
	if (role->blocks != 1)
		fprintf(out, " per_sm=%" PRIu32, role->blocks);
}

void role_fields_print(FILE *out, const struct role *role)
{
	place_print(out, role);
	fields_print(out, role_fields, role);
}

/* ---- parsing ---- */

enum { PLACE_KEY_SMS = 1, PLACE_KEY_BLOCKS = 2, PLACE_KEY_PER_SM = 4 };

static const struct place_key {
	const char *text;
	unsigned key, without;
} place_keys[] = {
	{"sms=", PLACE_KEY_SMS, PLACE_KEY_SMS | PLACE_KEY_BLOCKS},
	{"blocks=", PLACE_KEY_BLOCKS,
		PLACE_KEY_BLOCKS | PLACE_KEY_SMS | PLACE_KEY_PER_SM},
	{"per_sm=", PLACE_KEY_PER_SM, PLACE_KEY_PER_SM | PLACE_KEY_BLOCKS},
};

/* "0:4:2": first, count, stride */
static int sm_list_parse(struct scan *scan, const struct word *word,
	const char *text, struct role *role)
{
	uint32_t *const fields[] = {
		&role->sm_first, &role->sm_count, &role->sm_stride};
	char part[SCAN_WORD_BYTES];
	uint64_t value = 0;
	size_t i, length;
	int status;

	for (i = 0; i < 3; i++) {
		length = strcspn(text, ":");
		memcpy(part, text, length);
		part[length] = '\0';
		status = scan_count(scan, word, part, UINT32_MAX, &value);
		if (status)
			return status;
		*fields[i] = (uint32_t)value;
		text += length;
		if (!*text && i > 0)
			return 0;
		if (!*text++)
			break;
	}
	return scan_fail(scan, word->column,
		"expected sms=FIRST:COUNT, sms=FIRST:COUNT:STRIDE, sms=all or "
		"sms=others");
}

static int sms_parse(struct scan *scan, const struct word *word,
	const char *text, struct role *role)
{
	role->place = PLACE_SMS;
	if (!strcmp(text, "all"))
		return 0;
	if (strcmp(text, "others"))
		return sm_list_parse(scan, word, text, role);
	role->place = PLACE_OTHERS;
	return 0;
}

/* The word that says where blocks go; *taken stays false for another. */
static int place_parse(struct scan *scan, const struct word *word,
	struct role *role, unsigned *seen, bool *taken)
{
	uint64_t count = 0;
	size_t i;
	int status;

	for (i = 0; i < sizeof(place_keys) / sizeof(place_keys[0]); i++) {
		const struct place_key *k = &place_keys[i];
		const char *text = word->text + strlen(k->text);

		if (strncmp(word->text, k->text, strlen(k->text)))
			continue;
		*taken = true;
		if (*seen & k->without)
			return scan_fail(scan, word->column,
				"expected either blocks=, or sms= and per_sm=");
		*seen |= k->key;
		if (k->key == PLACE_KEY_SMS)
			return sms_parse(scan, word, text, role);
		status = scan_count(scan, word, text, UINT32_MAX, &count);
		role->blocks = (uint32_t)count;
		return status;
	}
	return 0;
}

int role_parse(struct scan *scan, struct role *role)
{
	unsigned places = 0;
	uint32_t seen = 0;
	int status = 0;

	while (!status && scan_peek(scan)) {
		struct word word;
		bool taken = false;

		status = scan_word(scan, "", "key=value", &word);
		if (!status)
			status =
				place_parse(scan, &word, role, &places, &taken);
		if (!status && !taken)
			status = field_parse(
				scan, role_fields, &word, role, &seen);
	}
	if (!status && places == PLACE_KEY_PER_SM)
		return scan_fail(scan, scan_column(scan),
			"expected sms= beside per_sm=");
	return status;
}
