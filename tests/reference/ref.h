#ifndef NEARFAR_REF_H
#define NEARFAR_REF_H

/*
 * The reference: the rules of the model in backend_sim/, written a second time
 * to be trusted by reading. It steps cycle by cycle and keeps everything in
 * plain structs and arrays that are searched from end to end; it is meant for
 * machines of a few SMs. tests/reference/differ.c compares the two.
 *
 * Time. Things happen at whole cycles. A *server* (a port, a pipe, a bus) does
 * one job after the other, and the time that a job takes is a whole number of
 * ticks, 256 to a cycle, so that rates need not be whole. A job begins when the
 * one before it is over and not before it is due; what it was for goes on at
 * the first whole cycle at which it is over.
 *
 * Order. Whoever comes to a station or, a warp, to its next instruction, was
 * sent there earlier, to arrive at a certain cycle. Everything that arrives in
 * one cycle, anywhere on the chip, is dealt with in the order in which it was
 * sent, the first sent first; what is sent to arrive in the same cycle comes
 * after all that was sent before. Dealing with an arrival is never interrupted:
 * a reply that wakes its warp lets the warp run on there and then, until the
 * warp must wait, before the reply gives its room on the SM back, and then
 * those who wait for room run, one by one. Those who wait for one fetch are
 * dealt with in the order in which they began to wait; the fetch itself goes
 * before them at its home and behind them on the near side. Where two fetches
 * could be waited for, it is the younger. A barrier lets the warps go in the
 * reverse of the order in which they came. The blocks of a launch are sent off
 * in the order of roles, those that name their SMs first, then of SMs.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/machine/machine.h"
#include "harness/program/address.h"
#include "harness/contract/backend.h"

#define REF_TICKS    256u /* a cycle */
#define REF_SMS      12   /* the largest machine */
#define REF_GPCS     12
#define REF_CPCS     3    /* of a GPC, to which its TPCs belong in rotation */
#define REF_SLICES   100  /* of one side */
#define REF_BLOCK    1024 /* lines of 128 KiB */
#define REF_CHANNELS 4    /* of a slice */
#define REF_BANKS    16
#define REF_UNITS    8 /* schedulers, texture caches */
#define REF_TLB      64

/* ---- sets of the four sectors of a line ---- */

struct sectors {
	bool at[4];
};

static inline struct sectors sectors_all(void)
{
	return (struct sectors){{true, true, true, true}};
}

static inline struct sectors sectors_none(void)
{
	return (struct sectors){{false, false, false, false}};
}

static inline struct sectors sectors_both(struct sectors a, struct sectors b)
{
	for (int i = 0; i < 4; i++)
		a.at[i] = a.at[i] && b.at[i];
	return a;
}

static inline struct sectors sectors_either(struct sectors a, struct sectors b)
{
	for (int i = 0; i < 4; i++)
		a.at[i] = a.at[i] || b.at[i];
	return a;
}

/* Those of a that b lacks. */
static inline struct sectors sectors_less(struct sectors a, struct sectors b)
{
	for (int i = 0; i < 4; i++)
		a.at[i] = a.at[i] && !b.at[i];
	return a;
}

static inline unsigned sectors_count(struct sectors a)
{
	unsigned count = 0;

	for (int i = 0; i < 4; i++)
		count += a.at[i];
	return count;
}

static inline bool sectors_any(struct sectors a)
{
	return sectors_count(a) > 0;
}

/* ---- servers ---- */

struct ref_server {
	uint64_t over;        /* ticks: the end of the last job */
	uint64_t first, work; /* ticks: the first job's beginning; all jobs */
};

/* ---- caches ---- */

enum { REF_FIRST, REF_NORMAL, REF_LAST }; /* the order in which they go */

struct ref_line {
	bool used;
	uint32_t line; /* physical address / 128 */
	struct sectors valid, dirty, partial;
	struct sectors again; /* L2: partial, and written in part before */
	bool words[8];        /* L1: of its one partial sector, those written */
	unsigned class;
	uint64_t touched; /* a stamp: the order of use */
};

struct ref_cache {
	struct ref_line *lines; /* [set][way] */
	uint32_t sets, ways;
	uint32_t lines_max;    /* L1: of all sets; 0: what the ways hold */
	uint32_t first_most;   /* evict_first lines of a set of others */
	uint32_t random_share; /* of 65536: victims chosen at random */
	uint32_t random_state;
	uint64_t stamp;
	uint32_t turns; /* L1: evict_first lines that took another's place */
};

/* An L1 line that no set of a cache holds is NULL. */
struct ref_line *ref_cache_find(
	const struct ref_cache *c, uint32_t set, uint32_t line);
/* Marks it as used last. */
struct ref_line *ref_cache_touch(
	struct ref_cache *c, uint32_t set, uint32_t line);
/* Puts an absent line in; *victim is what was there before. `last_max` of the
   ways of a set may be taken by REF_LAST lines. */
struct ref_line *ref_cache_insert(struct ref_cache *c, uint32_t set,
	uint32_t line, unsigned class, uint32_t last_max,
	struct ref_line *victim);
/* Of a full set the oldest evict_first line, which has to go; if none, one that
   is not used. */
struct ref_line ref_cache_give(struct ref_cache *c, uint32_t set);
void ref_cache_clear(struct ref_cache *c);

struct ref_tlb {
	uint32_t entries, ways;
	double reach_pages; /* that one entry translates, a power of two */
	struct {
		bool used;
		uint32_t number;
		uint64_t touched;
	} at[REF_TLB];
	uint64_t stamp;
};

/* ---- requests ---- */

enum ref_kind {
	REF_LOAD,
	REF_STORE,
	REF_ATOMIC,
	REF_REDUCTION,
	REF_PREFETCH,
	REF_SECOND, /* the second line of .L2::256B */
	REF_WRITEBACK,
	REF_DISCARD,
	REF_PRIORITY,
};

/* Who can be waited for: the fetch into an L1 or texture cache, the request of
   a GPC, the fetch of a side, that of a home slice. */
enum { REF_BY_L1, REF_BY_GPC, REF_BY_SIDE, REF_BY_HOME, REF_FETCHES };

enum ref_waits { REF_VALUE, REF_LINK, REF_LOOSE, REF_AWAY };
enum ref_hit { REF_TOUCHES, REF_MARKS, REF_KEEPS };
enum ref_effect { REF_NOTHING, REF_DROPS, REF_UPDATES, REF_WRITES };

/* A store that travels, with the bytes of those that go along with it. */
struct ref_part {
	uint64_t request; /* its number */
	bool bytes[PROGRAM_LINE_BYTES];
};

struct ref_request {
	enum ref_kind kind;
	uint32_t line; /* physical address / 128 */
	uint32_t page; /* virtual */
	int buffer;    /* -1: unknown */
	struct ref_warp *warp;
	struct ref_sm *sm;
	uint64_t issued; /* cycle */
	uint64_t number; /* of all requests */
	uint64_t again;  /* what its slice's was when it was booked, cycles */

	struct sectors demand; /* asked for */
	struct sectors fetch;  /* under way from, or to, DRAM */
	struct sectors lacks;  /* what the copy of its side has not */
	struct sectors bring;  /* what the home must have to answer */
	struct sectors whole;  /* of a store: written in full */
	struct sectors others; /* of a load: others bring them to its L1 */
	bool words[32];        /* touched, of 4 bytes */
	uint32_t operands, passes;
	bool headed;    /* of an atomic: each pass has a head */
	bool floats;    /* it adds floating-point numbers */
	bool kept;      /* the unit had the atomic's line, and more for it */
	bool early;     /* it stands in the unit's line before its turn */
	bool has_turn;  /* it comes to the unit after its SM's before it, */
	bool is_called; /* and it is its turn */
	bool in_row;    /* of an atomic: its value joins a row of others */
	bool joins;     /* a store that goes along with one of its SM's last */
	bool row_open;  /* at DRAM */
	uint32_t prefetch_bytes;

	unsigned l1_class, l2_class;
	enum ref_hit hit;
	enum ref_effect effect;
	int texture; /* which of its SM's caches; -1: L1 */
	bool looks, stays;
	bool is_translated; /* once and for all */
	uint32_t l1_ticks, hit_late_cycles, miss_late_cycles, tlb_cycles;

	unsigned side, home, slice; /* side: of the SM */
	uint32_t set, slot;         /* slot: its number in the home slice */
	bool copies, counted, crossed;
	bool settled;        /* a reduction that its SM has had the answer to */
	bool answered;       /* the slice on its SM's side has sent its reply */
	bool apart;          /* a load that needs a reply of its own */
	uint64_t came_cycle; /* a load, to its slice */
	uint64_t hit_cycle;  /* a hit's data would be there */
	uint32_t shared;     /* loads that its reply is for */
	uint32_t room;       /* sectors of the SM's limit that it holds */
	enum ref_waits waits;

	bool fetching[REF_FETCHES];
	uint64_t fetch_stamp[REF_FETCHES]; /* the order of beginning */
	struct ref_request *behind;        /* whom it waits for, */
	int behind_by;                     /* and as what */
	uint64_t wait_stamp;               /* also in line for write-backs */
	uint64_t turn_stamp;               /* among its SM's atomics */
	bool in_line;
	bool at_link; /* in line for a place on the link */
	bool at_way;  /* in line for the way of its side to the slices */
};

/* ---- warps ---- */

enum ref_state {
	REF_SENT, /* will arrive at its next instruction */
	REF_FOR_VALUES,
	REF_FOR_LINKS,
	REF_FOR_ANSWERS, /* values and links */
	REF_FOR_ALL,     /* stores, too */
	REF_FOR_AWAY,    /* those in far memory, too */
	REF_AT_BARRIER,
	REF_FOR_ROOM,
	REF_ENDED,
};

struct ref_loop {
	uint32_t repeat; /* index of the instruction */
	uint32_t count;
	uint64_t entered, started; /* cycles: the loop, the iteration */
	uint64_t branched;         /* cycle: its last branch is over */
};

struct ref_warp {
	const struct role *role;
	struct ref_block *block;
	uint32_t index;  /* in its block */
	uint32_t number; /* in its role */
	uint32_t lanes;  /* that exist; the role's may be more */
	uint32_t scheduler;
	enum ref_state state;
	uint32_t pc, depth;
	struct ref_loop loops[PROGRAM_DEPTH_MAX];
	uint64_t ready; /* cycle */
	uint64_t shared_until;
	uint64_t stored;    /* cycle: the pass's first store's data have left */
	uint64_t first_try; /* cycle: ready for its access */
	uint64_t met;       /* cycle: came to its last barrier */
	/* its last access, if that was a store which others can go with */
	struct {
		uint64_t cycle, offsets[32];
		uint32_t lines, buffer;
		bool bytes[32][PROGRAM_LINE_BYTES];
	} own_store;
	/* what of the lines of its last store travels; how many lines its SM,
	   and stores its scheduler, had stored by then */
	struct ref_part own_parts[32];
	uint64_t own_first, own_turn;
	uint32_t values, links, loose; /* unanswered */
	uint32_t away;         /* stores that have left the chip, unanswered */
	uint64_t words_loaded; /* of a lane, for use */
	bool loaded_wide;      /* of them more than one by an access */
	uint64_t data_ticks;   /* of that way, by the last access */
	uint64_t last_way; /* cycles to the registers, of the last of them */
	uint64_t to_begin; /* ticks of slots before its work */
	uint64_t drawn;    /* ticks: addresses that this pass drew */
	uint64_t drew;     /* cycle: behind the last access that did */
	uint64_t work;     /* ticks of slots, all in all */
	uint64_t pass_began, others_began; /* a loop's: cycle, others' work */
	bool link_by_atomic;               /* that this pass asked for */
	bool wrapped;                      /* addresses of this pass wrap */
	const struct insn *policies[PROGRAM_POLICIES_MAX];
	uint32_t positions[PROGRAM_BUFFERS_MAX][PROGRAM_WARP_LANES];
	bool has_slot, has_pipe; /* of the instruction at hand */
	const struct insn *acquiring;
	uint64_t *arriving;  /* the end of the region whose writes do */
	uint64_t wait_stamp; /* at a barrier, for room */
};

struct ref_block {
	const struct role *role;
	uint32_t index; /* in its role */
	struct ref_sm *sm;
	bool started;
	uint32_t warp_first, warp_count, live;
	uint32_t left;  /* by its warps: regions that write */
	uint64_t noted; /* the cycle: the last arrival at a barrier */
	uint64_t ended_cycle;
	uint64_t vacated_stamp; /* its place waits for a round; 0: no */
};

/* ---- the chip ---- */

struct ref_sm {
	unsigned number, side, gpc, tpc; /* the TPC of its GPC */
	bool left_over;
	struct ref_server pipe, l1_pipe, port, reply_port, launches, arrivals;
	/* the crossbar and its GPC's part of it, at the SM's share of them */
	struct ref_server of_crossbar, of_gpc;
	struct ref_server slots[REF_UNITS], texture_pipe[REF_UNITS];
	struct ref_server left_slots[REF_UNITS]; /* by what can wait */
	uint64_t work[REF_UNITS];               /* ticks of slots, all in all */
	struct ref_server registers[REF_UNITS]; /* of a scheduler */
	struct ref_cache l1, texture[REF_UNITS];
	struct ref_tlb tlb;
	uint32_t dealt, sectors_under_way, sectors_away, held;
	uint64_t last_store; /* cycle: it is through the pipe */
	uint64_t turn_cycle; /* its next atomic of several passes may go on */
	/* the lines that it stored since its last pause */
	struct {
		uint32_t line;
		bool bytes[PROGRAM_LINE_BYTES];
		const struct ref_warp *warp;
		struct ref_part part;
	} stored[64];
	uint32_t stored_count;
	uint64_t stored_ever;            /* lines */
	uint64_t stores_of[REF_UNITS];   /* by scheduler: instructions */
	uint64_t fence_begin, fence_end; /* cycles: of those under way */
	uint32_t fences, fences_waiting;
};

struct ref_gpc {
	struct ref_server request_port, reply_port, crossbar;
	struct ref_server stores[REF_CPCS]; /* the data of each CPC */
	struct ref_server launches;
};

struct ref_bank {
	bool open;
	uint32_t row;
	uint64_t refreshes;
	uint64_t free_at, open_at; /* cycles */
};

struct ref_channel {
	struct ref_server activates, bus;
	struct ref_server loads; /* the bus, had it nothing else to do */
	bool writing;
	struct ref_bank banks[REF_BANKS];
};

struct ref_slice {
	struct ref_server lookups, data, atomics, stuck, unkept, writes;
	struct ref_server loads;               /* data, were there no stores */
	struct ref_server from_near, from_far; /* into the atomic unit */
	struct ref_channel channels[REF_CHANNELS];
	uint32_t kept[4], kept_count; /* lines of the atomic unit */
	uint32_t writebacks;
	uint32_t settled_sectors;  /* of reductions that wait for DRAM */
	uint32_t kept_of[REF_SMS]; /* each SM's atomics on kept lines */
	uint64_t again; /* ticks: what stood in line was looked at again */
	uint32_t pending[REF_SMS]; /* requests on their way back to each SM */
};

struct ref_side {
	/* for the data of its SMs, to the slices: finer ticks; and when each
	   had its last turn there */
	uint64_t way, gpc_turns[REF_GPCS], cpc_turns[REF_GPCS][REF_CPCS];
	struct ref_server bridge; /* from here to the other */
	struct ref_cache cache;   /* the sets of its slices in turn */
	struct ref_slice slices[REF_SLICES];
};

/* To memory that is not the chip's. */
#define REF_LINKS 64
#define REF_LOCKS 4096

struct ref_link {
	struct ref_server out, in;
	uint32_t values, others; /* under way: requests, and sectors */
	struct ref_turns {       /* when each had its last one */
		uint64_t sides[2], cpcs[REF_GPCS][REF_CPCS];
	} turns[2]; /* of values, of others */
};

/* Where an arrival happens. */
enum ref_station {
	REF_WARP,
	REF_ROUND,
	REF_GPC,
	REF_WAY,
	REF_SLICE,
	REF_BRIDGE,
	REF_HOME,
	REF_ATOMIC_UNIT,
	REF_ATOMIC_DONE,
	REF_BANK,
	REF_ACTIVATE,
	REF_BUS,
	REF_WRITTEN,
	REF_FILL,
	REF_BRIDGE_BACK,
	REF_NEAR_FILL,
	REF_FAR_OUT,
	REF_FAR_READY,
	REF_FAR_POSTED,
	REF_FAR_MEMORY,
	REF_FAR_BACK,
	REF_FAR_REPLY,
	REF_GPC_REPLY,
	REF_SM_REPLY,
	REF_DONE,
};

struct ref_arrival {
	uint64_t cycle, stamp;
	enum ref_station station;
	struct ref_request *request;
	struct ref_warp *warp;
};

#define REF_COUNTERS(C)                                                        \
	C(l1_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")      \
	C(l1_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")        \
	C(l1_hits,                                                             \
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")   \
	C(reply_sectors, "l1tex__m_xbar2l1tex_read_sectors.sum")               \
	C(texture_sectors, "nearfar__texture_sectors.sum")                     \
	C(texture_hits, "nearfar__texture_sectors_hit.sum")                    \
	C(replays, "nearfar__replays.sum")                                     \
	C(bank_rounds, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")       \
	C(bank_conflicts,                                                      \
		"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")          \
	C(barrier_cycles, "nearfar__barrier_wait_cycles.sum")                  \
	C(l2_reads, "lts__t_sectors_op_read.sum")                              \
	C(l2_sm_reads, "lts__t_sectors_srcunit_tex_op_read.sum")               \
	C(l2_writes, "lts__t_sectors_op_write.sum")                            \
	C(l2_atomics, "lts__t_sectors_op_atom.sum")                            \
	C(l2_reductions, "lts__t_sectors_op_red.sum")                          \
	C(l2_hits, "lts__t_sectors_lookup_hit.sum")                            \
	C(l2_misses, "lts__t_sectors_lookup_miss.sum")                         \
	C(dram_reads, "dram__sectors_read.sum")                                \
	C(dram_writes, "dram__sectors_write.sum")                              \
	C(bridge_sectors, "nearfar__bridge_sectors.sum")                       \
	C(tlb_misses, "nearfar__tlb_misses.sum")                               \
	C(tlb2_misses, "nearfar__tlb2_misses.sum")                             \
	C(requests, "nearfar__requests.sum")

/* What the reference alone knows of a request that a warp made. */
struct ref_completion {
	uint64_t issued, done; /* cycles */
	uint32_t sm, line;
	enum ref_kind kind;
};

struct reference {
	struct ref_server chip_launches;
	const struct machine *machine;
	const struct program *p;
	struct result *result;
	uint64_t now, stamp;

	struct ref_arrival *arrivals; /* sorted by cycle, then stamp */
	uint32_t arrival_count, arrival_room;
	struct ref_request **requests; /* all that live */
	uint32_t request_count, request_room;

	uint32_t sm_count, gpc_count, side_count, slice_count; /* of a side */
	/* of a block: lines with home and hash alike, and how many of them
	   come before each line */
	uint32_t alike, alike_before[REF_BLOCK];
	struct ref_server crossbar;
	struct ref_sm sms[REF_SMS];
	struct ref_gpc gpcs[REF_GPCS];
	struct ref_side sides[2];
	struct ref_tlb tlb2;
	struct ref_link peer[REF_LINKS], host[1];
	struct ref_server locks[REF_LOCKS];
	struct ref_cache peer_l2;

	uint32_t fetch_bytes;
	uint32_t last_max; /* ways for REF_LAST in L2 */
	const struct step *window;
	struct permutation pages, *rings[PROGRAM_BUFFERS_MAX];
	uint32_t page_first[PROGRAM_BUFFERS_MAX];

	const struct step *launch;
	struct ref_block *blocks;
	struct ref_warp *warps;
	uint32_t block_count, warp_count;

	struct region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
	uint64_t region_first[PROGRAM_REGIONS_MAX];
	uint64_t region_last[PROGRAM_REGIONS_MAX];
	struct {
#define REF_COUNT(field, name) uint64_t field;
		REF_COUNTERS(REF_COUNT)
#undef REF_COUNT
	} counts;

	uint64_t work_left;         /* before it gives up */
	uint64_t made, completed;   /* requests */
	struct ref_completion *log; /* in the order of completing */
	size_t log_count, log_room;
};

/* Work after which a run ends with ERR_INTERRUPTED: it is too long, or
   requests displace each other from a set before they have what they need,
   for ever, as two can that lack parts of their lines. An arrival is one, and
   one more for each REF_WORK_REQUESTS under way, since lines are searched. */
#define REF_WORK_MAX      150000
#define REF_WORK_REQUESTS 256

/* Runs a legal program that fits on a machine within the maxima above; fills
   `result` as a backend does. A broken law of conservation aborts. */
int ref_run(struct reference *r, const struct machine *machine,
	const struct program *p, struct result *result, struct error *error);
void ref_free(struct reference *r);

/* ---- ref_run.c ---- */

/* Parameters, ready for use: a time in ticks or in whole cycles, the time in
   ticks that bytes take at a rate. */
#define REF_TICKS_OF(r, name)  ref_ticks((r)->machine->value[PARAMETER_##name])
#define REF_CYCLES_OF(r, name) ref_whole((r)->machine->value[PARAMETER_##name])
#define REF_MOVE_TICKS(r, bytes, name)                                         \
	ref_ticks((bytes) / (r)->machine->value[PARAMETER_##name])
uint32_t ref_ticks(double cycles);
uint32_t ref_whole(double value);

/* Gives a server a job that is due at `cycle`; the cycle at which it is over.
   Aborts if the server did more than its time allows. */
uint64_t ref_serve(struct ref_server *s, uint64_t cycle, uint64_t ticks);
void ref_send(struct reference *r, struct ref_request *q,
	enum ref_station station, uint64_t cycle);
void ref_send_warp(struct reference *r, struct ref_warp *w, uint64_t cycle);
struct ref_request *ref_request_new(
	struct reference *r, enum ref_kind kind, uint32_t line);
void ref_request_free(struct reference *r, struct ref_request *q);

/* Whom to wait for, the youngest that fetches any of `sectors`; NULL: none. */
struct ref_request *ref_fetch_find(const struct reference *r, int by,
	const struct ref_request *q, struct sectors sectors);
void ref_fetch_begin(struct reference *r, int by, struct ref_request *q);
void ref_wait(struct reference *r, int by, struct ref_request *owner,
	struct ref_request *q);
/* Ends a fetch. */
void ref_fetch_end(int by, struct ref_request *q);
/* The next who waited for an ended fetch, no longer waiting; NULL: none. */
struct ref_request *ref_next_waiter(
	const struct reference *r, int by, const struct ref_request *owner);

/* ---- ref_plan.c: where things are ---- */
void ref_plan(struct reference *r);
int ref_plan_buffers(struct reference *r, struct error *error);
void ref_plan_place(const struct reference *r, struct ref_request *q);
/* Cycles to a slice of the SM's side and back. */
uint32_t ref_plan_route(const struct reference *r, const struct ref_request *q);
uint32_t ref_plan_bank_cycles(const struct reference *r, uint32_t bank);
uint32_t ref_plan_page(
	const struct reference *r, uint32_t buffer, uint64_t offset);
uint32_t ref_plan_line(
	const struct reference *r, uint32_t page, uint64_t offset);
/* Whose memory a physical line is: MEMORY_PLAIN is the chip's own. */
unsigned ref_plan_owner(const struct reference *r, uint32_t line);
uint32_t ref_plan_far_line(const struct reference *r); /* the peer's first */
/* To the slice of the peer that holds the line, beyond the nearest. */
uint32_t ref_plan_peer_cycles(
	const struct reference *r, const struct ref_request *q);
double ref_plan_compressed(const struct reference *r, int buffer);

/* ---- ref_launch.c ---- */
int ref_launch(
	struct reference *r, const struct step *step, struct error *error);
void ref_block_ended(struct reference *r, struct ref_block *block);
void ref_round(struct reference *r, struct ref_request *none);
/* Of a role of the launch, on all SMs together. */
uint32_t ref_blocks(const struct reference *r, const struct role *role);
/* Of the launch: registers of a thread, blocks of its first role on an SM. */
uint32_t ref_registers(const struct reference *r);
uint32_t ref_blocks_of_sm(const struct reference *r);
uint32_t ref_foreground(const struct reference *r); /* warps that live */

/* ---- ref_warp.c, ref_issue.c ---- */
void ref_warp_run(struct reference *r, struct ref_warp *w);
/* The cycle at which `ticks` of the slots that others leave are over. */
uint64_t ref_beside(struct reference *r, struct ref_warp *w, uint64_t ticks);
void ref_warp_answered(struct reference *r, const struct ref_request *q);
void ref_warp_room(struct reference *r, struct ref_sm *sm);
void ref_issue_global(
	struct reference *r, struct ref_warp *w, const struct insn *insn);
void ref_issue_shared(
	struct reference *r, struct ref_warp *w, const struct insn *insn);
bool ref_uses_texture(const struct reference *r, const struct insn *insn);

/* ---- the memory ---- */
bool ref_l1_enter(struct reference *r, struct ref_request *q);
bool ref_l1_fill(struct reference *r, struct ref_request *q);
void ref_l1_launch(struct reference *r, uint32_t sets);
bool ref_is_atomic(const struct ref_request *q);
void ref_net_leave_sm(
	struct reference *r, struct ref_request *q, uint64_t cycle);
/* SMs with requests under way. */
uint64_t ref_net_busy_sms(const struct reference *r);
uint64_t ref_net_leaves(struct reference *r, struct ref_slice *slice,
	uint64_t cycle, uint32_t sectors);
uint64_t ref_net_longest(
	struct reference *r, const struct ref_request *q, uint64_t turn_ticks);
void ref_net_reply(struct reference *r, struct ref_request *q, uint64_t cycle);
void ref_net_gpc(struct reference *r, struct ref_request *q);
void ref_net_arrived(const struct reference *r, struct ref_request *q);
bool ref_net_merges(struct reference *r, struct ref_request *q);
void ref_net_way(struct reference *r, struct ref_request *q);
void ref_net_bridge(struct reference *r, struct ref_request *q);
void ref_net_bridge_back(struct reference *r, struct ref_request *q);
void ref_net_gpc_reply(struct reference *r, struct ref_request *q);
void ref_net_sm_reply(struct reference *r, struct ref_request *q);
void ref_far_out(struct reference *r, struct ref_request *q);
void ref_far_ready(struct reference *r, struct ref_request *q);
void ref_far_posted(struct reference *r, struct ref_request *q);
void ref_far_memory(struct reference *r, struct ref_request *q);
void ref_far_back(struct reference *r, struct ref_request *q);
void ref_far_reply(struct reference *r, struct ref_request *q);
void ref_far_flush(struct reference *r);
/* Those that `step` is one of. */
int ref_far_copies(
	struct reference *r, const struct step *step, struct error *error);
void ref_l2_slice(struct reference *r, struct ref_request *q);
void ref_l2_home(struct reference *r, struct ref_request *q);
void ref_l2_atomic(struct reference *r, struct ref_request *q);
void ref_l2_atomic_done(struct reference *r, struct ref_request *q);
void ref_l2_written(struct reference *r, struct ref_request *q);
void ref_l2_fill(struct reference *r, struct ref_request *q);
void ref_l2_near_fill(struct reference *r, struct ref_request *q);
void ref_l2_flush(struct reference *r);
void ref_l2_reset(struct reference *r);
void ref_l2_carveout(struct reference *r, uint64_t bytes);

/* ---- ref_turns.c ---- */

/* An atomic comes to its unit: whether it must wait until it is called. */
bool ref_turn_waits(struct reference *r, struct ref_request *q);
/* The unit begins with it at the cycle. */
void ref_turn_over(struct reference *r, struct ref_request *q, uint64_t cycle);

/* ---- ref_dram.c ---- */

void ref_dram_bank(struct reference *r, struct ref_request *q);
void ref_dram_activate(struct reference *r, struct ref_request *q);
void ref_dram_bus(struct reference *r, struct ref_request *q);

#endif
