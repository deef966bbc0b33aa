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
	const char *text, void *object)
{
	struct role *role = object;

	role->place = PLACE_SMS;
	if (!strcmp(text, "all"))
		return 0;
	if (strcmp(text, "others"))
		return sm_list_parse(scan, word, text, role);
	role->place = PLACE_OTHERS;
	return 0;
}

static int blocks_parse(struct scan *scan, const struct word *word,
	const char *text, void *object)
{
	struct role *role = object;
	uint64_t count = 0;
	int status = scan_count(scan, word, text, UINT32_MAX, &count);

	role->blocks = (uint32_t)count;
	return status;
}

#define AT(member)                                                             \
	sizeof(((struct role *)0)->member), offsetof(struct role, member)

enum { SEEN_BLOCKS = 1, SEEN_SMS = 2, SEEN_PER_SM = 4 };

/* clang-format off */
const struct field role_fields[] = {
	/* in the order of SEEN_ */
	{"blocks", FIELD_OWN, 0, 0, false, 0, NULL,
		"blocks, wherever the hardware puts them; default 1", "N", blocks_parse},
	{"sms", FIELD_OWN, 0, 0, false, 0, NULL,
		"or a block on each of these SMs; others: those that no other role names",
		"FIRST:COUNT[:STRIDE]|all|others", sms_parse},
	{"per_sm", FIELD_OWN, 0, 0, false, 0, NULL,
		"blocks on each SM of sms=; default 1", "N", blocks_parse},
	{"threads", FIELD_COUNT, AT(threads), true, 32, NULL,
		"threads of a block"},
	{"lanes", FIELD_COUNT, AT(lanes), false, 32, NULL,
		"threads of a warp that are active"},
	{"shared", FIELD_BYTES, AT(shared_bytes), false, 0, NULL,
		"shared memory of a block"},
	{"background", FIELD_FLAG, AT(background), false, 0, NULL,
		"repeats its body until every other role has ended"},
	{0},
};
/* clang-format on */

int role_parse(struct scan *scan, struct role *role)
{
	uint32_t seen = 0;
	int status = 0;

	while (!status && scan_peek(scan)) {
		struct word word;

		status = scan_word(scan, "", "key=value", &word);
		if (!status)
			status = field_parse(
				scan, role_fields, &word, role, &seen);
		if (!status && (seen & SEEN_BLOCKS) &&
			(seen & (SEEN_SMS | SEEN_PER_SM)))
			status = scan_fail(scan, word.column,
				"expected either blocks=, or sms= and per_sm=");
	}
	if (!status && (seen & SEEN_PER_SM) && !(seen & SEEN_SMS))
		return scan_fail(scan, scan_column(scan),
			"expected sms= beside per_sm=");
	return status;
}
