#include <stdio.h>
#include <string.h>

#include "harness/program/legality/parts.h"
#include "harness/program/spelling.h"

#define SPELLING_BYTES 256

static const char *const fault_texts[FAULT_COUNT] = {
	[FAULT_BUFFERS] = "has more buffers than a program can hold",
	[FAULT_STEPS] = "has more steps than a program can hold",
	[FAULT_ROLES] = "has more roles than a program can hold",
	[FAULT_INSNS] = "has more instructions than a program can hold",
	[FAULT_NAME] = "has a name that is too long",
	[FAULT_ORPHAN] = "has a role outside a launch or an instruction "
			 "outside a role",
};

int refuse_insn(
	const struct insn *insn, const char *sentence, struct error *error)
{
	char spelling[SPELLING_BYTES];

	insn_spelling(insn, spelling, sizeof(spelling));
	return error_set(
		error, ERR_USAGE, "'%s' is illegal: %s", spelling, sentence);
}

int check_qualifiers(const struct insn *insn, struct error *error)
{
	char sentence[SPELLING_BYTES];
	int class;

	for (class = 0; class < Q_COUNT; class ++) {
		uint8_t value = insn->q[class];

		if (!value)
			continue;
		if (value >= QV_COUNT || qualifiers[value].class != class)
			return refuse_insn(insn,
				"a qualifier stands in the place of another",
				error);
		if (qualifiers[value].ops >> insn->op & 1)
			continue;
		snprintf(sentence, sizeof(sentence), "%s does not take .%s",
			op_names[insn->op], qualifiers[value].text);
		return refuse_insn(insn, sentence, error);
	}
	return 0;
}

const struct legality_rule *legality_rule_at(size_t i)
{
	const struct {
		const struct legality_rule *rules;
		size_t count;
	} tables[] = {
		{legality_rules, legality_rule_count},
		{format_rules, format_rule_count},
		{chase_rules, chase_rule_count},
	};
	size_t k;

	for (k = 0; k < sizeof(tables) / sizeof(tables[0]); k++) {
		if (i < tables[k].count)
			return &tables[k].rules[i];
		i -= tables[k].count;
	}
	return NULL;
}

int check_insn(
	const struct program *p, const struct insn *insn, struct error *error)
{
	const struct legality_rule *rule;
	size_t i;
	int status;

	if (insn->op >= OP_COUNT)
		return error_set(error, ERR_USAGE,
			"'%.*s' is not an instruction of PTX",
			PROGRAM_NAME_BYTES, insn->region);
	status = check_qualifiers(insn, error);
	for (i = 0; !status && (rule = legality_rule_at(i)); i++)
		if (rule->broken(p, insn))
			status = refuse_insn(insn, rule->sentence, error);
	return status;
}

static int check_regions(const struct program *p, struct error *error)
{
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t count = program_regions(p, regions);
	size_t timed = 0, i, j;
	uint32_t k;
	int status;

	for (k = 0; k < p->insn_count; k++)
		timed += p->insns[k].op == OP_REPEAT &&
			 p->insns[k].timing != TIMING_NONE;
	if (timed > PROGRAM_REGIONS_MAX)
		return error_set(error, ERR_USAGE,
			"program '%s' times more than %d regions", p->name,
			PROGRAM_REGIONS_MAX);
	for (i = 0; i < count; i++) {
		const char *name = regions[i].repeat->region;

		status = check_name(name, "a region", error);
		if (status)
			return status;
		for (j = 0; j < i; j++)
			if (!strcmp(regions[j].repeat->region, name))
				return error_set(error, ERR_USAGE,
					"region '%s' stands twice", name);
	}
	return 0;
}

int program_check(const struct program *p, struct error *error)
{
	uint32_t i;
	int status;

	if (p->fault)
		return error_set(error, ERR_USAGE, "program '%.*s' %s",
			PROGRAM_NAME_BYTES, p->name,
			p->fault < FAULT_COUNT ? fault_texts[p->fault]
					       : "is damaged");
	status = check_name(p->name, "a program", error);
	if (!status)
		status = check_buffers(p, error);
	if (!status)
		status = check_steps(p, error);
	for (i = 0; i < p->insn_count && !status; i++)
		status = check_insn(p, &p->insns[i], error);
	return status ? status : check_regions(p, error);
}
