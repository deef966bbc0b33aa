/* What holds for an instruction of a user's kernel. */
#include <stdio.h>

#include "harness/program/legality/parts.h"

static int check_rules(const struct insn *insn, struct error *error)
{
	static const struct program none;
	size_t i;

	for (i = 0; i < legality_rule_count; i++) {
		const struct legality_rule *rule = &legality_rules[i];

		if (rule->broken(&none, insn) &&
			!(rule->assembles && rule->assembles(insn)))
			return refuse_insn(insn, rule->sentence, error);
	}
	return 0;
}

static int check_requirement(
	const struct insn *insn, uint32_t sm, uint32_t ptx, struct error *error)
{
	const struct requirement need = insn_requirement(insn);
	const unsigned needed = need.ptx;
	char sentence[128];

	if (need.sm > sm)
		snprintf(sentence, sizeof(sentence),
			"%s needs .target sm_%u, and the module has sm_%u",
			need.because, need.sm, sm);
	else if (need.ptx > ptx)
		snprintf(sentence, sizeof(sentence),
			"%s needs .version %u.%u, and the module has %u.%u",
			need.because, needed / 10, needed % 10, ptx / 10,
			ptx % 10);
	else
		return 0;
	return refuse_insn(insn, sentence, error);
}

int legality_of_kernel(
	const struct insn *insn, uint32_t sm, uint32_t ptx, struct error *error)
{
	int code = check_qualifiers(insn, error);

	if (!code)
		code = check_rules(insn, error);
	return code ? code : check_requirement(insn, sm, ptx, error);
}
