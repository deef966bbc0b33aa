#ifndef NEARFAR_SIM_RULES_H
#define NEARFAR_SIM_RULES_H

/*
 * Rules of the model that no parameter takes away: a build can do without one
 * of them, so that what the rule gains can be told. tests/nets/rules.tsv says
 * what each is. `make WITHOUT=NAME` builds build/ablate/without/NAME/nearfar;
 * any other build has all rules.
 *
 * RULE(NAME) is a constant, and costs nothing when the model runs. It stands
 * where the rule is decided. Only .c files include this header: a build without
 * a rule compiles those anew that ask for it, and takes all others as they are.
 */

/* By the room where the rule is. */
/* clang-format off */
#define RULES(X) \
	/* sm */ \
	X(STORE_PAIRS) X(STORE_PARTS) \
	X(L1_BANKS) X(DATA_PASSES) X(HITS_TAKE_WAY) X(ATOMIC_HEADS) X(SHARED_BANKS) \
	X(GPC_ROUNDS) \
	/* memory */ \
	X(PENDING_HITS) X(STORE_MASKS) X(STORE_TURNS) X(CROSSBAR_TURNS) \
	X(SHARED_MISSES) X(SHARED_WAITS) X(SHARING_TURNS) X(SHARED_REPLIES) \
	X(SHARING_ENDS) X(LOADS_PASS) X(STORES_TAKE_DATA) \
	X(PARTS_TAKE_WRITE) X(FILLS_TAKE_WRITE) \
	X(BEHIND_ATOMICS) X(WIDE_COPIES) X(STORED_COPIES) \
	X(NARROW_FAR_ATOMICS) X(ATOMIC_ORDER) \
	X(ATOMIC_EARLY_LINE) X(ATOMIC_ALONE) X(ATOMIC_RECALLS) X(DRAM_PAIRS) \
	X(DRAM_REREADS) X(FAR_TURNS) X(FIRST_ASKS) X(FIRST_STAYS) \
	/* code: what the assembler does */ \
	X(REDUCTIONS) X(WARP_SUMS) X(SPARE_INSNS) X(PREDICATES) X(LATE_PARAMETERS) \
	X(UNROLLING) X(FOLDED_COUNTERS) X(INSN_ORDER) X(ORDER_WINDOWS) \
	X(BLOCK_PARTS) X(FUSED_LOADS) X(STORE_READS) X(JOINED_LOGIC) \
	/* kernel */ \
	X(SAME_WARP) X(GUARD_WAITS) X(PARTING_LANES) X(SPECIALS_IN_LINE)
/* clang-format on */

enum rule {
	RULE_NOTHING,
#define RULE_NAME(name) RULE_##name,
	RULES(RULE_NAME)
#undef RULE_NAME
};

/* The rule that this build does without. */
#ifndef NEARFAR_WITHOUT
#define NEARFAR_WITHOUT NOTHING
#endif
#define RULE_JOIN(prefix, name) prefix##name
#define RULE_OF(name)           RULE_JOIN(RULE_, name)

#define RULE(name) (RULE_##name != RULE_OF(NEARFAR_WITHOUT))

#endif
