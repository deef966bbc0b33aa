#ifndef NEARFAR_ENGINE_H
#define NEARFAR_ENGINE_H

/*
 * The state of the model while it executes one program.
 *
 * Two kinds of entity move through the event queue: warps, which interpret
 * the program (warp.c), and requests, one for each line that a warp
 * instruction touches, which walk from station to station:
 *
 *   SM port -> GPC port -> near slice -> [bridge -> home slice]
 *           -> [DRAM bank -> DRAM bus -> home slice] -> [bridge -> near slice]
 *           -> GPC reply port -> SM reply port -> the warp
 *
 * At each station that can be busy the request books the server *when it
 * arrives there*, never earlier, so that a server is never idle while
 * something waits for it. Requests that miss on what is already being fetched
 * wait on the list of the request that fetches it. Nothing polls.
 *
 * Servers keep the time at which they are next free in ticks, 256 to a cycle,
 * so that a rate need not be a whole number of cycles; events happen at whole
 * cycles.
 */
#include <stdbool.h>
#include <stdint.h>

#include "address.h"
#include "backend.h"
#include "calendar.h"
#include "divider.h"
#include "machine.h"

#define TICKS      256u
#define NONE       UINT32_MAX
#define LINE_SHIFT 7

/* Of the tables of what is being fetched: their buckets. */
#define TABLE_BITS_MIN 4
#define TABLE_BITS_MAX 16

#define SCHEDULERS_MAX     8
#define TEXTURE_CACHES_MAX 8

/* How many sectors a mask of four holds. */
static inline unsigned sector_count(unsigned mask)
{
	return (UINT64_C(0x4332322132212110) >> (4 * (mask & 15))) & 15;
}

/* ---- servers ---- */

/* Books `ticks` of a server at `now`; the cycle at which they are over. */
static inline uint64_t serve(uint64_t *free_at, uint64_t now, uint64_t ticks)
{
	uint64_t start = now * TICKS;

	if (*free_at > start)
		start = *free_at;
	*free_at = start + ticks;
	return (*free_at + TICKS - 1) / TICKS;
}

/* ---- caches ----
 * A set is an array of entries in order of use, the most recent first. One
 * entry holds line; valid, dirty and partly written sectors; class and marks.
 */
typedef uint64_t cache_entry;

#define ENTRY_LINE(e)         ((uint32_t)(e))
#define ENTRY_VALID_SHIFT     32
#define ENTRY_DIRTY_SHIFT     36
#define ENTRY_PARTIAL_SHIFT   40 /* written in part, the rest not fetched */
#define ENTRY_CLASS_SHIFT     44
#define ENTRY_WORDS_SHIFT     48 /* of the partly written sector; L1 only */
#define ENTRY_COPY            (UINT64_C(1) << 46)
#define ENTRY_USED            (UINT64_C(1) << 47)
#define ENTRY_FIELD(e, shift) ((unsigned)((e) >> (shift)) & 15u)
#define ENTRY_CLASS(e)        ((unsigned)((e) >> ENTRY_CLASS_SHIFT) & 3u)

/* A clean line of memory that no program has. */
#define ENTRY_FOREIGN                                                          \
	(ENTRY_USED | UINT32_MAX | UINT64_C(15) << ENTRY_VALID_SHIFT |         \
		(uint64_t)CLASS_NORMAL << ENTRY_CLASS_SHIFT)

/* Eviction classes, in the order in which they go. */
enum { CLASS_FIRST, CLASS_NORMAL, CLASS_LAST };

struct cache {
	cache_entry *entries; /* sets * ways */
	struct divider sets;
	uint32_t ways;
	uint32_t first_ways;   /* a power of two: CLASS_FIRST lines that a set
				  of others makes room for; 0: no limit */
	uint32_t random_share; /* of 2^16: victims chosen at random */
	uint32_t random_state;
};

cache_entry *cache_set(const struct cache *c, uint32_t set);

/* The host's caches shall have the set. */
void cache_prefetch(const struct cache *c, uint32_t set);

/* Finds a line and makes it the most recent; NULL if it is not there. */
cache_entry *cache_touch(const struct cache *c, uint32_t set, uint32_t line);
cache_entry *cache_find(const struct cache *c, uint32_t set, uint32_t line);

/* Puts a line that is absent in, as the most recent; what it displaced is
   stored in *victim (0: nothing). `last_max` bounds CLASS_LAST ways. */
cache_entry *cache_insert(struct cache *c, uint32_t set, uint32_t line,
	unsigned class, unsigned last_max, cache_entry *victim);

/* ---- requests ---- */

enum request_kind {
	REQUEST_LOAD,
	REQUEST_STORE,
	REQUEST_ATOMIC,
	REQUEST_REDUCTION,
	REQUEST_PREFETCH, /* into L2; answered, nobody waits */
	REQUEST_SECOND,   /* the second line of .L2::256B; not answered */
	REQUEST_WRITEBACK,
	REQUEST_DISCARD,
	REQUEST_PRIORITY, /* applypriority */
};

/* Where an event happens: a warp's next instruction, or a station that a
   request reaches. */
enum station {
	AT_WARP,
	AT_GPC,
	AT_SLICE,
	AT_BRIDGE,
	AT_HOME,
	AT_ATOMIC,
	AT_ATOMIC_DONE,
	AT_BANK,
	AT_ACTIVATE,
	AT_BUS,
	AT_WRITTEN,
	AT_FILL,
	AT_BRIDGE_BACK,
	AT_NEAR_FILL,
	AT_GPC_REPLY,
	AT_SM_REPLY,
	AT_DONE,
};

/* An event says where something happens and to which warp or request, and what
   the station needs to know if that is little, so that the request, which may
   be far from the host's core, need not be looked at. */
#define EVENT(station, index, datum)                                           \
	((uint64_t)(station) << 56 | (uint64_t)(index) << 32 | (datum))
#define EVENT_STATION(event) ((enum station)((event) >> 56))
#define EVENT_INDEX(event)   ((uint32_t)((event) >> 32) & 0xffffffu)
#define EVENT_DATUM(event)   ((uint32_t)(event))

/* Where requests wait for what another one fetches. */
enum { WAIT_L1, WAIT_GPC, WAIT_NEAR, WAIT_HOME, FETCH_TABLES };

/* Half a cache line of the host, for tens of thousands are under way at once
   and each event touches one. What only the SM needs is not here but in struct
   access, what few need in struct links. */
struct request {
	uint32_t line; /* physical address / 128 */
	uint32_t warp; /* index, NONE for those nobody waits for */
	union {
		uint32_t page; /* in the SM: virtual, of the machine's size */
		uint32_t set;  /* beyond it: in the slice */
	};
	uint32_t sent;      /* by the GPC port: the cycle, its low bits */
	uint32_t wait_next; /* next waiter on the same list */
	uint16_t sm : 11, gpc : 5;
	uint8_t waited;                   /* by table: others wait for it */
	uint8_t slice;                    /* within a partition */
	uint8_t kind : 4, texture : 4;    /* its cache, + 1; 0: L1 */
	uint8_t demand : 4, fetch : 4;    /* sectors: asked for; on their
					     way into the home slice */
	uint8_t whole : 4, bring : 4;     /* stores: written in full; far
					     loads: the reply leaves near */
	uint8_t prefetch : 4, buffer : 4; /* the prefetch-size hint, bytes /
					     32; index, PROGRAM_BUFFERS_MAX:
					     unknown */
	uint8_t operands : 6, waits : 2; /* atomics: distinct words; what of the
					    warp waits for it */
	uint8_t passes : 6;              /* atomics: lanes over distinct
					    words, rounded up */
	uint8_t side : 1, home : 1;      /* of the SM; of the line */
	uint8_t l1_class : 2, l2_class : 2;
	uint8_t credit : 3; /* sectors it holds of the SM's limit */
	uint8_t looked : 1; /* counted as hit or miss of L2 */
	uint8_t l1_hit : 2; /* what a hit does to the line's place */
	uint8_t l1_allocate : 1, l1_owner : 1;
	uint8_t gpc_owner : 1; /* others of its GPC can find it, to wait */
	uint8_t copies : 1;    /* leaves a near copy on its way back */
};

_Static_assert(sizeof(struct request) == 32, "two requests are a cache line");
_Static_assert(PROGRAM_BUFFERS_MAX < 16, "request.buffer has four bits");

/* Of a request, by table: the last of a ring of those who wait for what it
   fetches, if there are any; the next fetch that did not fit in the bucket. */
struct links {
	uint32_t waiters[FETCH_TABLES];
	uint32_t next[FETCH_TABLES];
};

/* A load that a GPC's port sent, for others of the GPC to wait for. */
struct recent {
	uint32_t request, sent; /* sent: as in the request */
};

#define RECENT_MAX 8192u /* a power of two */

#define FETCH_ENTRIES 14

/* Of a table of what is being fetched; a line of the host's cache. */
struct fetch_bucket {
	uint32_t entries[FETCH_ENTRIES];
	uint32_t live;  /* entries in use, as a set; in order of adding */
	uint32_t chain; /* request + 1; by links.next; 0: none */
};

_Static_assert(sizeof(struct fetch_bucket) == 64, "as words_like() looks at");

enum { WAITS_VALUE, WAITS_LINK, WAITS_LOOSE };

/* A hit in L1 makes the line the most recent one, with or without a new
   class, or leaves it as it is (.L1::evict_unchanged). */
enum { HIT_TOUCHES, HIT_MARKS, HIT_KEEPS };

/* Nothing, the line is dropped, a store's bytes go into it if it is there, or
   into a new one. */
enum { EFFECT_NONE, EFFECT_DROPS, EFFECT_UPDATES, EFFECT_WRITES };

/* What a request needs no longer once it has been through L1. */
struct access {
	uint32_t words; /* of 4 bytes that the lanes touch, as a set */
	uint16_t ticks; /* of the L1's pipe */
	uint8_t hit_late, miss_late; /* cycles, by earlier passes through L1 */
	uint8_t effect; /* what goes past L1 does to the line there */
	bool looks;     /* its operator may hit in L1 */
};

/* ---- warps ---- */

enum warp_state {
	WARP_READY,    /* has an event */
	WARP_VALUES,   /* waits for its loads */
	WARP_CHASE,    /* waits for the links of its chase */
	WARP_ANSWERED, /* waits for both */
	WARP_DRAINED,  /* waits for everything, also stores */
	WARP_BARRIER,
	WARP_CREDIT, /* on its SM's list */
	WARP_DONE,
};

/* Of a warp whose last access acquires: within its block, or beyond, where L1
   is emptied when the value is there. */
enum { ACQUIRES_NOTHING, ACQUIRES_WITHIN, ACQUIRES_BEYOND };

struct warp {
	uint32_t pc, role, block, index; /* index: warp in its block */
	uint32_t global; /* warp of the role: block * warps + index */
	uint16_t sm;
	uint8_t state, depth;
	uint16_t lanes;  /* of the role's warps; */
	uint16_t active; /* of this one: the last may be cut short */
	uint32_t values, links, loose; /* outstanding: loads, chase, stores */
	uint32_t words; /* of a thread, loaded in this iteration */
	uint32_t loop[PROGRAM_DEPTH_MAX], loop_pc[PROGRAM_DEPTH_MAX];
	uint64_t started[PROGRAM_DEPTH_MAX]; /* timed: iteration or region */
	uint64_t entered[PROGRAM_DEPTH_MAX]; /* timed: the region */
	uint64_t ready;                      /* cycle of the next issue */
	uint64_t shared_until; /* when the last shared-memory value is there */
	uint32_t block_index;  /* in engine.blocks */
	uint32_t next;         /* on a credit or barrier list */
	uint32_t chase;        /* first position in engine.positions, NONE */
	uint8_t policy[PROGRAM_POLICIES_MAX]; /* createpolicy insn + 1 */
	uint8_t scheduler;                    /* of its SM */
	bool issued;       /* has its slot of the scheduler */
	bool booked;       /* has its slot in the load/store pipe */
	uint8_t acquiring; /* ACQUIRES_*: what follows waits for the value */
};

/* What of the warp waits for a request. */
static inline uint32_t *warp_outstanding(struct warp *w, unsigned waits)
{
	return waits == WAITS_LINK    ? &w->links
	       : waits == WAITS_VALUE ? &w->values
				      : &w->loose;
}

struct block {
	uint32_t role, index, first_warp, live;
	uint32_t arrived, waiting; /* at the barrier; list of warps */
	uint16_t sm;
};

/* Translations, the most recent first in each set. */
struct tlb {
	uint32_t *pages; /* + 1; 0: none */
	uint32_t entries, ways;
	uint32_t shift; /* of a virtual page's number */
	struct divider in_sets;
};

struct sm {
	uint64_t lsu_free, l1_free, port_free, reply_free;
	uint64_t issue_free[SCHEDULERS_MAX]; /* where replays take slots */
	uint64_t texture_free[TEXTURE_CACHES_MAX];
	uint32_t dealt;    /* warps, to the schedulers, in this launch */
	uint32_t inflight; /* sectors under way */
	uint32_t held;     /* requests of its warps, hits in L1 included */
	uint32_t credit_head, credit_tail; /* warps waiting for a credit */
	uint8_t side, gpc;
	bool l1_used; /* or a texture cache, since they were last emptied */
	struct cache l1, texture[TEXTURE_CACHES_MAX];
	struct tlb tlb;
};

/* Requests that one SM may hold in the pool at once. */
#define HELD_MAX 4096u

/* ---- costs: the machine's parameters, ready for use ---- */

struct costs {
	uint32_t lsu, use, l1_line, l1_pass, shared_atomic; /* ticks */
	uint32_t replay, texture_line;                      /* ticks */
	uint32_t sm_request, sm_data; /* ticks; per sector */
	uint32_t gpc_request, gpc_data;
	uint32_t sm_reply_header, sm_reply_sector;
	uint32_t gpc_reply_header, gpc_reply_sector;
	uint32_t bridge_request, bridge_sector;
	uint32_t slice_request, slice_sector, slice_write;
	uint32_t atomic_sector, atomic_kept, atomic_whole; /* ticks */
	uint32_t atomic_flit;
	uint32_t atomic_lane, atomic_reply_pass, atomic_reply_lane;
	uint32_t bus_atom, bus_turn, activate;
	uint32_t common;                               /* / TICKS */
	uint32_t l1_hit, l1_miss, bridge, bridge_data; /* cycles */
	uint32_t texture_hit, texture_miss, gpc_merge;
	uint32_t atomic_extra, tlb_miss, tlb2_miss;
	uint32_t issue, loop, renew, timing, delay, barrier, shared, turn;
	uint32_t start_spread;
	uint32_t dram, dram_row, dram_row_busy, drain;
	uint64_t dram_turn; /* ticks: a line of an SM at its turn */
	uint32_t refresh_interval, refresh;
	uint32_t inflight_max, page_shift, writebacks_max, atomic_lines;
	uint32_t schedulers, texture_caches;
	uint32_t l1_last_max; /* ways of a set for CLASS_LAST */
	bool l1_promotes, l1_store_evicts, l1_store_allocates, l1_protects;
	uint64_t home_mask, home_low; /* of a line: its lowest hashed bit */
};

struct channel {
	uint64_t bus_free, activate_free;
	bool writing;
};

#define ATOMIC_LINES_MAX 4

/* A slice's atomic unit. */
struct atomic_unit {
	uint64_t free_at, port_free[2];   /* ports: from its side, from afar */
	uint32_t lines[ATOMIC_LINES_MAX]; /* + 1; that it holds, the last used
					     first; 0: none */
};

/* Write-backs under way from a slice, and the stores that wait for room. */
struct write_queue {
	uint32_t count, head, tail;
};

struct bank {
	uint64_t free_at, open_at; /* cycles: next activate, row usable */
	uint32_t row;              /* + 1; 0: closed */
	uint32_t refreshes;        /* begun when the row was opened */
};

/* Counters, with Nsight Compute's names where it has one. */
#define ENGINE_COUNTERS(C)                                                     \
	C(l1_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")      \
	C(l1_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")        \
	C(l1_hits,                                                             \
		"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")   \
	C(texture_sectors, "nearfar__texture_sectors.sum")                     \
	C(texture_hits, "nearfar__texture_sectors_hit.sum")                    \
	C(replays, "nearfar__replays.sum")                                     \
	C(l2_reads, "lts__t_sectors_op_read.sum")                              \
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
	C(requests, "nearfar__requests.sum")                                   \
	C(events, "nearfar__events.sum")

struct counts {
#define ENGINE_COUNT(field, name) uint64_t field;
	ENGINE_COUNTERS(ENGINE_COUNT)
#undef ENGINE_COUNT
};

struct engine {
	const struct machine *machine;
	const struct program *p;
	struct costs cost;
	struct counts counts;
	struct calendar calendar;

	/* chip; kept from run to run */
	uint32_t sm_count, gpc_count, partitions, slices; /* per partition */
	uint32_t channels_per_slice, banks, row_shift;
	struct divider in_pairs, in_slice_sets, in_channels, in_banks;
	struct divider in_refreshes; /* cycles */
	struct tlb tlb2;
	struct sm *sms;
	struct cache l2[2];
	uint16_t *route; /* [sm][slice]: cycles to a near slice and back */
	uint64_t *gpc_free, *gpc_reply_free;
	uint64_t bridge_free[2]; /* by direction: from side 0, from 1 */
	uint64_t *slice_free, *data_free, *write_free; /* [side][slice] */
	uint16_t *pending; /* [sm][slice]: requests between lookup and reply */
	uint32_t active;   /* SMs with requests under way */
	struct atomic_unit *atomic_units; /* [side][slice] */
	struct write_queue *writes;       /* [side][slice] */
	struct channel *channels;         /* [side][slice][channel] */
	struct bank *bank;                /* [channel][bank] */
	uint16_t *bank_extra;             /* cycles, by channel and bank */
	struct fetch_bucket *table[FETCH_TABLES]; /* what is being fetched */
	uint32_t table_bits[FETCH_TABLES];  /* of the size that it has now */
	uint32_t table_count[FETCH_TABLES]; /* fetches in it */
	/* a ring, counted from the beginning: those sent last, in order */
	struct recent recent[RECENT_MAX];
	uint32_t recent_first, recent_end;

	/* device state that steps change */
	uint32_t fetch_bytes;
	uint32_t last_max; /* ways of a set for CLASS_LAST */
	uint32_t page_base[PROGRAM_BUFFERS_MAX]; /* pages handed out */
	uint32_t *page; /* virtual page -> physical page */
	uint32_t page_count;
	const struct step *window; /* access-policy window, or NULL */

	/* of each buffer: the share of its bus time that reading it takes,
	   / 256; the last is for what no buffer holds */
	uint16_t compressed[PROGRAM_BUFFERS_MAX + 1];

	/* the launch */
	const struct step *step;
	struct request *requests;
	struct links *links;                 /* of the requests */
	uint32_t request_count, request_top; /* used ones lie below */
	uint32_t *free_requests, free_count; /* the last one goes first */
	struct warp *warps;
	uint32_t warp_count, warp_capacity;
	struct block *blocks;
	uint32_t block_count, block_capacity;
	uint32_t *positions; /* of chases, by thread and ring */
	uint32_t position_count, position_capacity;
	struct permutation *permutations[PROGRAM_BUFFERS_MAX]; /* by ring */
	uint32_t foreground_live, live;
	uint32_t turn_next;  /* block whose turn comes next */
	uint32_t queue_next; /* block to start when another one ends */

	/* regions and results */
	struct region regions[PROGRAM_REGIONS_MAX];
	size_t region_count;
	uint8_t region_of[PROGRAM_INSNS_MAX]; /* of a timed repeat */
	uint32_t end_of[PROGRAM_INSNS_MAX];   /* of a repeat: its end */
	uint64_t region_first[PROGRAM_REGIONS_MAX];
	uint64_t region_last[PROGRAM_REGIONS_MAX];
	struct result *result;
	bool failed; /* out of memory: run() reports it */
};

/* May a warp of the SM send more? */
static inline bool sm_has_room(const struct engine *e, const struct sm *sm)
{
	return sm->inflight < e->cost.inflight_max && sm->held < HELD_MAX;
}

/* ---- engine.c: life cycle and the loop ---- */
int engine_init(
	struct engine *e, const struct machine *machine, struct error *error);
void engine_free(struct engine *e);
int engine_run(struct engine *e, const struct program *p, struct result *result,
	struct error *error);
void engine_push_request(struct engine *e, uint32_t request,
	enum station station, uint64_t cycle);
void engine_push_with(struct engine *e, uint32_t request, enum station station,
	uint64_t cycle, uint32_t datum);
void engine_foresee(const struct engine *e, const struct request *r);
void engine_push_warp(struct engine *e, uint32_t warp, uint64_t cycle);

/* ---- chip.c: what the machine file says, as tables ---- */
int chip_init(struct engine *e, struct error *error);
void chip_free(struct engine *e);
void chip_cold(struct engine *e);   /* everything empty and free */
void chip_flush(struct engine *e);  /* L2 full of foreign, clean lines */
void chip_launch(struct engine *e); /* L1 empty; servers keep their time */
void chip_carveout(struct engine *e, uint64_t bytes);
void chip_reset_persisting(struct engine *e);
uint32_t chip_page(const struct engine *e, uint32_t buffer, uint64_t offset);
uint32_t chip_line(const struct engine *e, uint32_t page, uint64_t offset);
/* A line's number within its home partition. */
static inline uint32_t chip_local(const struct engine *e, uint32_t line)
{
	uint32_t low = (uint32_t)e->cost.home_low;

	return low ? (line & (low - 1)) | ((line >> 1) & ~(low - 1)) : line;
}

/* Home, slice and set of a request's line. */
void chip_place(const struct engine *e, struct request *r);

/* ---- launch.c: which warps run where, and when ---- */
int launch_start(
	struct engine *e, const struct step *step, struct error *error);
void launch_block_ended(struct engine *e, const struct block *block);

/* ---- warp.c: the interpreter ---- */
void warp_run(struct engine *e, uint32_t warp);
void warp_value(struct engine *e, const struct request *r);
void warp_credit(struct engine *e, struct sm *sm);

/* ---- issue.c: one warp instruction -> requests ---- */
void issue_global(struct engine *e, uint32_t warp, const struct insn *insn);
void issue_shared(struct engine *e, uint32_t warp, const struct insn *insn);
/* Does it go through a texture cache, not through the load/store unit? */
bool issue_is_texture(const struct engine *e, const struct insn *insn);

/* ---- l1.c ---- */
void l1_lookup(struct engine *e, uint32_t request, const struct access *access);
void l1_fill(struct engine *e, uint32_t request);
void l1_empty(struct sm *sm);
uint32_t l1_translate(struct engine *e, struct sm *sm, uint32_t page);

/* ---- l2.c, network.c, dram.c: one function a station ---- */
void network_leave_sm(
	struct engine *e, uint32_t request, uint64_t cycle, uint32_t late);
void network_gpc(struct engine *e, uint32_t request);
/* To the bridge, on the way to its home and back. */
void network_cross(struct engine *e, uint32_t request, uint64_t cycle);
void network_cross_back(struct engine *e, uint32_t request, uint64_t cycle);
void network_bridge(struct engine *e, uint32_t request, uint32_t crossing);
void network_bridge_back(struct engine *e, uint32_t request, uint32_t crossing);
/* The longest that a request may wait, in cycles, where a turn takes
   `turn_ticks`. */
uint64_t network_latest(
	const struct engine *e, const struct request *r, uint64_t turn_ticks);
void network_reply(struct engine *e, uint32_t request, uint64_t cycle);
void network_gpc_reply(struct engine *e, uint32_t request);
void network_sm_reply(struct engine *e, uint32_t request, uint32_t cycles);
void l2_slice(struct engine *e, uint32_t request);
void l2_home(struct engine *e, uint32_t request);
void l2_atomic(struct engine *e, uint32_t request);
void l2_atomic_done(struct engine *e, uint32_t request);
void l2_fill(struct engine *e, uint32_t request);
void l2_near_fill(struct engine *e, uint32_t request);
void l2_written(struct engine *e, uint32_t request);
/* Which channel and bank: what the stations of DRAM know of a request. */
uint32_t dram_place(const struct engine *e, const struct request *r);
/* The host's caches shall have the bank. */
void dram_prefetch(const struct engine *e, uint32_t place);
void dram_enter(struct engine *e, uint32_t request, uint64_t cycle);
void dram_bank(struct engine *e, uint32_t request, uint32_t place);
void dram_activate(struct engine *e, uint32_t request, uint32_t place);
void dram_bus(struct engine *e, uint32_t request, uint32_t place);

/* ---- request.c: the pool and the tables of fetches ---- */
uint32_t request_take(struct engine *e); /* as it is: the caller fills it */
uint32_t request_new(struct engine *e, enum request_kind kind, uint32_t line);
void request_free(struct engine *e, uint32_t request);

/* The first cache a request looks in, as a place in the table of fetches. */
static inline uint32_t request_cache(const struct request *r)
{
	return (uint32_t)r->texture << 16 | r->sm;
}

/* Empties the tables. */
void fetch_reset(struct engine *e);

/* Who fetches any of these sectors of `line` for `place` (request_cache(),
   the side; 0 for the home), or NONE. */
uint32_t fetch_find(const struct engine *e, unsigned table, uint32_t place,
	uint32_t line, unsigned sectors);
/* The host's caches shall have where a fetch for the request stands. */
void fetch_prefetch(
	const struct engine *e, unsigned table, const struct request *r);
void fetch_add(struct engine *e, unsigned table, uint32_t request);
void fetch_wait(
	struct engine *e, unsigned table, uint32_t owner, uint32_t request);
/* From now on the fetch is not found; those who wait for it go on waiting. */
void fetch_hide(struct engine *e, unsigned table, uint32_t request);
/* Takes those who wait: a list, by wait_next. */
uint32_t fetch_waiters(struct engine *e, unsigned table, uint32_t request);
/* Both. */
uint32_t fetch_end(struct engine *e, unsigned table, uint32_t request);

#endif
