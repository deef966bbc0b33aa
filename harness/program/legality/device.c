#include <inttypes.h>
#include <stddef.h>

#include "harness/program/launch.h"
#include "harness/program/legality/parts.h"
#include "harness/program/spelling.h"

/* Operations that need more than sm_20 and PTX 2.0. */
static const struct requirement op_needs[OP_COUNT] = {
	[OP_DISCARD] = {80, 74, "discard"},
	[OP_APPLYPRIORITY] = {80, 74, "applypriority"},
	[OP_CREATEPOLICY] = {80, 74, "createpolicy"},
	[OP_FENCE] = {70, 60, "fence"},
};

static const struct requirement qualifier_needs[QV_COUNT] = {
#define QUALIFIER(class, name, text, sm, ptx, ops)                             \
	[QV_##class##_##name] = {sm, ptx, "." text},
#include "harness/program/qualifiers.def"
};

/* Where one operation needs another version than the qualifier's row. */
static const struct exception {
	uint8_t op, value;
	uint16_t sm, ptx;
} exceptions[] = {
#define QUALIFIER_ON(op, class, name, sm, ptx)                                 \
	{OP_##op, QV_##class##_##name, sm, ptx},
#include "harness/program/qualifiers.def"
};

static bool is_64_bit_logic(const struct insn *insn)
{
	return (insn->op == OP_ATOM || insn->op == OP_RED) &&
	       insn_type_bytes(insn) == 8 &&
	       insn->q[Q_ATOMIC] >= QV_ATOMIC_min &&
	       insn->q[Q_ATOMIC] <= QV_ATOMIC_xor;
}

/* What qualifiers need together. */
static const struct {
	bool (*applies)(const struct insn *insn);
	struct requirement need;
} combinations[] = {
	{legality_is_256_bits, {100, 88, "vectors of 32 bytes"}},
	{is_64_bit_logic, {32, 31, "64-bit .min, .max, .and, .or and .xor"}},
};

static void raise_to(struct requirement *all, struct requirement one)
{
	if (one.sm > all->sm || (one.sm == all->sm && one.ptx > all->ptx)) {
		all->because = one.because;
		all->sm = one.sm;
	}
	if (one.ptx > all->ptx)
		all->ptx = one.ptx;
}

static struct requirement qualifier_need(uint8_t op, uint8_t value)
{
	struct requirement need = qualifier_needs[value];
	size_t i;

	for (i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
		if (exceptions[i].op != op || exceptions[i].value != value)
			continue;
		need.sm = exceptions[i].sm;
		need.ptx = exceptions[i].ptx;
	}
	return need;
}

struct requirement insn_requirement(const struct insn *insn)
{
	struct requirement all = {20, 20, "a load"};
	size_t i;

	if (insn->op >= OP_COUNT)
		return all;
	raise_to(&all, op_needs[insn->op]);
	for (i = 0; i < Q_COUNT; i++)
		if (insn->q[i] && insn->q[i] < QV_COUNT)
			raise_to(&all, qualifier_need(insn->op, insn->q[i]));
	for (i = 0; i < sizeof(combinations) / sizeof(combinations[0]); i++)
		if (combinations[i].applies(insn))
			raise_to(&all, combinations[i].need);
	return all;
}

struct requirement program_requirement(const struct program *p)
{
	struct requirement all = {20, 20, "a load"};
	uint32_t i;

	for (i = 0; i < p->insn_count; i++)
		raise_to(&all, insn_requirement(&p->insns[i]));
	return all;
}

/* ---- against a device ---- */

static int fits_insns(const struct program *p, const struct device *device,
	struct error *error)
{
	char spelling[256];
	uint32_t i;

	for (i = 0; i < p->insn_count; i++) {
		struct requirement need = insn_requirement(&p->insns[i]);

		insn_spelling(&p->insns[i], spelling, sizeof(spelling));
		if (need.sm > device->sm_arch)
			return error_set(error, ERR_SKIPPED,
				"'%s' needs sm_%u (%s), and '%s' is "
				"sm_%" PRIu32,
				spelling, need.sm, need.because, device->name,
				device->sm_arch);
		if (need.ptx > device->ptx_version)
			return error_set(error, ERR_SKIPPED,
				"'%s' needs PTX %u.%u (%s), and '%s' takes "
				"%" PRIu32 ".%" PRIu32,
				spelling, need.ptx / 10, need.ptx % 10,
				need.because, device->name,
				device->ptx_version / 10,
				device->ptx_version % 10);
	}
	return 0;
}

static int fits_role(const struct role *role, const struct device *device,
	struct error *error)
{
	uint64_t warps = role_warps(role);
	uint64_t last = role->sm_first;

	if (role->place == PLACE_SMS && role->sm_count) {
		last += (role->sm_count - 1) * (uint64_t)role->sm_stride;
		if (last >= device->sm_count)
			return error_set(error, ERR_SKIPPED,
				"role '%s' needs SM %" PRIu64
				", and '%s' has %" PRIu32 " SMs",
				role->name, last, device->name,
				device->sm_count);
	}
	if (role->shared_bytes > device->shared_bytes_per_block_max)
		return error_set(error, ERR_SKIPPED,
			"role '%s' needs %" PRIu32
			" bytes of shared memory, and a block on '%s' has "
			"at most %" PRIu64,
			role->name, role->shared_bytes, device->name,
			device->shared_bytes_per_block_max);
	if (role->place != PLACE_BLOCKS)
		warps *= role->blocks;
	if (warps > device->warps_per_sm_max)
		return error_set(error, ERR_SKIPPED,
			"role '%s' needs %" PRIu64
			" warps on an SM, and '%s' holds %" PRIu32,
			role->name, warps, device->name,
			device->warps_per_sm_max);
	return 0;
}

/* A launch is one grid: its blocks are as large as those of its largest role,
   and an SM must hold all that a role has there. */
static int fits_beside(const struct program *p, const struct step *step,
	const struct role *role, const struct device *device,
	struct error *error)
{
	const uint64_t lanes = PROGRAM_WARP_LANES;
	const uint64_t warps =
		(launch_threads(p, step) + lanes - 1) / lanes * role->blocks;

	if (role->place == PLACE_BLOCKS || warps <= device->warps_per_sm_max)
		return 0;
	return error_set(error, ERR_SKIPPED,
		"role '%s' needs %" PRIu64 " warps on an SM, for its blocks are"
		" as large as those of the launch's largest role, and '%s' "
		"holds %" PRIu32,
		role->name, warps, device->name, device->warps_per_sm_max);
}

/* Whether a launch leaves an SM for the role with sms=others, and for those
   that run anywhere: where no role is placed. */
static int fits_others(const struct program *p, const struct step *step,
	const struct device *device, struct error *error)
{
	const struct role *others = NULL, *anywhere = NULL;
	uint64_t named = 0;
	uint32_t r;

	for (r = 0; r < step->role_count; r++) {
		const struct role *role = &p->roles[step->role_first + r];

		if (role->place == PLACE_OTHERS)
			others = role;
		else if (role->place == PLACE_BLOCKS)
			anywhere = role;
		else
			named += role->sm_count ? role->sm_count
						: device->sm_count;
	}
	if (others && anywhere)
		named = device->sm_count;
	if (anywhere)
		others = anywhere;
	if (!others || named < device->sm_count)
		return 0;
	return error_set(error, ERR_SKIPPED,
		"role '%s' needs an SM that no other role names, and '%s' has "
		"%" PRIu32 " SMs",
		others->name, device->name, device->sm_count);
}

/* CUDA: windows and compressible memory came with compute capability 8.0. */
#define L2_CONTROLS_SM 80

static int fits_memory(const struct program *p, const struct device *device,
	struct error *error)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < p->buffer_count; i++)
		if (!memory_is_far(p->buffers[i].memory) &&
			__builtin_add_overflow(
				bytes, p->buffers[i].bytes, &bytes))
			bytes = UINT64_MAX;
	for (i = 0; i < p->buffer_count; i++)
		if (p->buffers[i].memory == MEMORY_COMPRESSIBLE &&
			device->sm_arch < L2_CONTROLS_SM)
			return error_set(error, ERR_SKIPPED,
				"compressible memory needs sm_%d, and '%s' is "
				"sm_%u",
				L2_CONTROLS_SM, device->name, device->sm_arch);
	if (bytes > device->memory_bytes)
		return error_set(error, ERR_SKIPPED,
			"program '%s' needs %" PRIu64
			" bytes of memory, and '%s' has %" PRIu64,
			p->name, bytes, device->name, device->memory_bytes);
	return 0;
}

static int fits_step(const struct program *p, const struct step *step,
	const struct device *device, struct error *error)
{
	uint32_t r;
	int status = 0;

	if (step->kind == STEP_CARVEOUT &&
		step->bytes > device->persisting_bytes_max)
		return error_set(error, ERR_SKIPPED,
			"'carveout' needs %" PRIu64
			" bytes for persisting lines, and '%s' has %" PRIu64,
			step->bytes, device->name,
			device->persisting_bytes_max);
	if (step->kind == STEP_WINDOW && step->bytes &&
		device->sm_arch < L2_CONTROLS_SM)
		return error_set(error, ERR_SKIPPED,
			"'window' needs sm_%d, and '%s' is sm_%u",
			L2_CONTROLS_SM, device->name, device->sm_arch);
	if (step->kind != STEP_LAUNCH)
		return 0;
	for (r = 0; r < step->role_count && !status; r++)
		status = fits_role(
			&p->roles[step->role_first + r], device, error);
	for (r = 0; !status && r < step->role_count; r++)
		status = fits_beside(p, step, &p->roles[step->role_first + r],
			device, error);
	return status ? status : fits_others(p, step, device, error);
}

int program_fits(const struct program *p, const struct device *device,
	struct error *error)
{
	uint32_t i;
	int status = fits_insns(p, device, error);

	if (!status)
		status = fits_memory(p, device, error);
	for (i = 0; i < p->step_count && !status; i++)
		status = fits_step(p, &p->steps[i], device, error);
	return status;
}
