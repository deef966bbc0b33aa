"""A second model of the memory system: servers, caches and the ways between
them, written from the descriptions of parameters (machine/parameters.def) and
of the parts (memory/*.h). It shares no code and no constant with the engine.

A request goes through stations; each books its server when the request comes
there, first come, first served, in ticks of which a cycle has 256. What happens
in the same cycle happens in the order in which it was brought about."""
import heapq

TICKS = 256
FINE = TICKS * TICKS
SECTOR = 32
BLOCK_LINES = 1024  # of the hash: 128 KiB
HASH_BITS = 6


def ticks_of(cycles):
    return int(cycles * TICKS + 0.5)


def mix(x):
    """permute_mix() of harness/program/permute.h."""
    x ^= x >> 16
    x = x * 0x7feb352d & 0xffffffff
    x ^= x >> 15
    x = x * 0x846ca68b & 0xffffffff
    return x ^ x >> 16


def parity(bits):
    return bin(bits).count("1") & 1


class Server:
    """Work that follows one another."""

    def __init__(self):
        self.over = 0

    def serve(self, now, ticks):
        """The cycle in which it is over."""
        self.over = max(self.over, now * TICKS) + ticks
        return -(-self.over // TICKS)


class Servers(dict):
    """One by name, made when it is first asked for."""

    def __missing__(self, name):
        self[name] = Server()
        return self[name]


class Machine:
    """A machine's numbers as times."""

    def __init__(self, numbers):
        self.number = numbers
        self.positions = {}
        self.partitions = numbers["l2_partitions"]
        self.slices = numbers["l2_slices_used"] // self.partitions

    def size(self, stem):
        """Bytes, of a file without a suffix."""
        return int(self.number[stem + "_bytes"])

    def cycles(self, stem):
        return int(self.number[stem + "_cycles"] + 0.5)

    def ticks(self, stem):
        return ticks_of(self.number[stem + "_cycles"])

    def sector(self, stem):
        return ticks_of(SECTOR / self.number[stem + "_bytes_per_cycle"])

    def atom(self):
        """64 bytes on the bus of a channel."""
        channels = (self.slices * self.partitions *
                    self.number["dram_channels_per_slice"])
        rate = self.number["dram_bytes_per_s"] / self.number["clock_hz"]
        return ticks_of(2 * SECTOR * channels / rate)

    def cpc(self, sm):
        """A third of its GPC's TPCs."""
        tpc = sm // self.number["sms_per_tpc"]
        return self.gpc(sm), tpc // self.number["gpc_count"] % 3

    def gpc(self, sm):
        return sm // self.number["sms_per_tpc"] % self.number["gpc_count"]

    def side(self, sm):
        if self.partitions == 1:
            return 0
        return self.number["gpc_side_mask"] >> self.gpc(sm) & 1

    def home(self, line):
        if self.partitions == 1:
            return 0
        return parity(line * 128 & self.number["home_hash_mask"])

    def hash(self, line):
        bits = 0
        for i in range(HASH_BITS):
            mask = self.number["slice_hash_mask_%d" % i]
            bits |= parity(line * 128 & mask) << i
        return bits

    def place(self, line):
        """Among all slices of a home in their rounds."""
        return line // BLOCK_LINES * 2 ** HASH_BITS + self.hash(line)

    def slice(self, line):
        return self.place(line) % self.slices

    def position(self, line):
        """In its slice: lines of a block that are alike follow each other."""
        block = line // BLOCK_LINES * BLOCK_LINES
        before = self.positions.get(block)
        if before is None:
            before, counts = {}, {}
            for other in range(block, block + BLOCK_LINES):
                like = self.home(other), self.hash(other)
                before[other] = counts.get(like, 0)
                counts[like] = before[other] + 1
            self.positions[block] = before
            self.alike = max(counts.values())
        return self.place(line) // self.slices * self.alike + before[line]

    def row(self, line):
        """Its channel of the slice, its bank, and the row."""
        row = (self.position(line) * 128 // self.size("dram_row"))
        channel = row + mix(row // 2)
        return (channel % 2 ** 32 % self.number["dram_channels_per_slice"],
                mix(row + 0x51ed27) % self.number["dram_banks"], row)

    def refreshes(self, side, line, cycle):
        """That the line's bank has begun until then, and the cycle in which the
        last one is over."""
        every = self.cycles("dram_refresh_interval")
        if not every:
            return 0, 0
        channel, bank, _ = self.row(line)
        chip_slice = side * self.slices + self.slice(line)
        channel += chip_slice * self.number["dram_channels_per_slice"]
        at = (cycle + channel * self.cycles("dram_stagger") +
              bank * every // self.number["dram_banks"])
        return at // every, cycle - at % every + self.cycles("dram_refresh")


class Request:
    def __init__(self, index, asked):
        self.index = index
        self.op, self.cycle, self.sm, self.line = asked[:4]
        self.sectors, self.words, self.lanes = asked[4:]

    @property
    def is_store(self):
        return self.op.startswith("st.")

    @property
    def is_atomic(self):
        return self.op.startswith(("atom.", "red."))

    @property
    def keeps(self):
        """In L1."""
        return self.op in ("ld.global.b32", "ld.global.ca.b32")

    @property
    def count(self):
        return bin(self.sectors).count("1")

    @property
    def data_down(self):
        """Sectors that travel to the SM."""
        return 0 if self.op.startswith(("st.", "red.")) else self.count


class Chip:
    """One case: a machine, and what comes to its SMs."""

    def __init__(self, numbers):
        self.m = Machine(numbers)
        self.servers = Servers()
        self.events = []
        self.pushed = 0
        self.answers = {}
        self.l1 = {}    # (sm, line): sectors
        self.rows = {}  # bank: the open row, its refreshes, and when it is usable
        self.l2 = {}    # (side, line): sectors
        self.way = {}   # side: when the way to the slices is free, in FINE
        self.waiting = {}  # side: CPC: who waits for a turn there
        self.turns = {}    # GPC or CPC: its last one
        self.turn_count = 0
        self.held = {}  # unit: lines that it holds, the last used first

    def at(self, cycle, station, *what):
        heapq.heappush(self.events, (cycle, self.pushed, station, what))
        self.pushed += 1

    def run(self, asked):
        for index, a in enumerate(asked):
            r = Request(index, a)
            self.at(r.cycle, self.issue, r)
        while self.events:
            self.now, _, station, what = heapq.heappop(self.events)
            station(*what)
        return [self.answers[i] for i in range(len(asked))]

    def serve(self, name, ticks, now=None):
        return self.servers[name].serve(self.now if now is None else now,
                                        ticks)

    # ---- the SM ----

    def issue(self, r):
        m = self.m
        ticks = m.ticks("l1_line")
        if r.is_atomic:
            ticks = min(ticks, m.ticks("sm_request"))
        cycle = self.serve(("l1", r.sm), ticks)
        there = self.l1.get((r.sm, r.line), 0)
        if r.is_store or r.is_atomic:
            self.store_l1(r)
        elif r.keeps:
            if not r.sectors & ~there:
                self.at(cycle + m.cycles("l1_hit"), self.done, r)
                return
            r.sectors &= ~there
        else:
            self.l1.pop((r.sm, r.line), None)
        ticks = m.ticks("sm_request")
        if r.is_store:
            ticks = max(ticks, r.count * m.sector("sm_request"))
        cycle = self.serve(("port", r.sm), ticks, cycle + m.cycles("l1_miss"))
        self.at(cycle, self.gpc_station, r)

    def store_l1(self, r):
        """A line that is there gets the bytes."""
        key = r.sm, r.line
        if self.m.number["l1_store_evicts"] or r.is_atomic:
            self.l1.pop(key, None)
        elif key in self.l1 or self.m.number["l1_store_allocates"]:
            self.l1[key] = self.l1.get(key, 0) | r.sectors

    # ---- the crossbar's way to the slices ----

    def gpc_station(self, r):
        """Who has data and finds the way taken waits for a turn."""
        side = self.m.side(r.sm)
        waiting = self.waiting.setdefault(side, {})
        taken = self.way.get(side, 0) >= (self.now + 1) * FINE
        has_data = r.is_store or r.is_atomic
        if has_data and (waiting or taken):
            if not waiting:
                self.at(self.way[side] // FINE, self.turn, side)
            waiting.setdefault(self.m.cpc(r.sm), []).append(r)
            return
        if has_data:
            self.take_way(r, side)
        self.gpc_port(r)

    def take_way(self, r, side):
        sector = int(SECTOR / self.m.number["side_store_bytes_per_cycle"] *
                     FINE + 0.5)
        self.way[side] = (max(self.way.get(side, 0), self.now * FINE) +
                          r.count * sector)

    def turn(self, side):
        """Of the GPCs whose turn was the longest ago, and of its CPCs."""
        waiting = self.waiting[side]
        gpc = min({g for g, _ in waiting},
                  key=lambda g: (self.turns.get(g, 0), g))
        cpc = min((c for c in waiting if c[0] == gpc),
                  key=lambda c: (self.turns.get(c, 0), c))
        self.turn_count += 1
        self.turns[gpc] = self.turns[cpc] = self.turn_count
        r = waiting[cpc].pop(0)
        if not waiting[cpc]:
            del waiting[cpc]
        self.take_way(r, side)
        if waiting:
            self.at(self.way[side] // FINE, self.turn, side)
        self.gpc_port(r)

    def gpc_port(self, r):
        m = self.m
        cycle = self.serve(("gpc", m.gpc(r.sm)), m.ticks("gpc_request"))
        if r.is_store or r.is_atomic:
            cycle = self.serve(("cpc", m.cpc(r.sm)),
                               r.count * m.sector("cpc_request"), cycle)
        way = m.cycles("l2_near")
        self.at(cycle + way // 2, self.near, r)

    # ---- L2 ----

    def slice_of(self, side, r):
        return side, self.m.slice(r.line)

    def near(self, r):
        m = self.m
        side = m.side(r.sm)
        cycle = self.serve(("lookup", self.slice_of(side, r)),
                           m.ticks("slice_request"))
        if r.is_store:
            self.store_near(r, side, cycle)
            return
        if r.is_atomic:
            self.atomic_near(r, side, cycle)
            return
        there = self.l2.get((side, r.line), 0)
        missing = r.sectors & ~there
        if not missing:
            self.reply(r, side, cycle)
            return
        r.bring = self.widen(missing)
        if m.home(r.line) == side:
            self.fetch(r, side, r.bring & ~there, cycle)
            return
        self.at(cycle, self.cross, r, side)

    def store_near(self, r, side, cycle):
        """The copy there is written, or whole sectors become one."""
        if self.m.home(r.line) == side:
            self.write(r, side, cycle)
            return
        self.l2[side, r.line] = self.l2.get((side, r.line), 0) | r.sectors
        self.at(cycle, self.cross, r, side)

    def write(self, r, home, cycle):
        """A store is at its home: it is answered when the slice has taken it."""
        m = self.m
        self.l2[home, r.line] = self.l2.get((home, r.line), 0) | r.sectors
        if m.side(r.sm) == home:
            self.l2.pop((1 - home, r.line), None)
        self.serve(("data", self.slice_of(home, r)),
                   2 * r.count * m.sector("slice"), cycle)
        cycle = self.serve(("write", self.slice_of(home, r)),
                           r.count * m.sector("slice_write"), cycle)
        if m.side(r.sm) == home:
            self.answer_store(r, cycle)
        else:
            self.at(cycle, self.cross_back, r, home)

    def answer_store(self, r, cycle):
        """It has no data, and stands in line with what has."""
        way = self.m.cycles("l2_near")
        self.at(cycle + way - way // 2, self.gpc_reply, r)

    # ---- atomics: of one operand, and none meets another at its unit ----

    def atomic_near(self, r, side, cycle):
        """Every atomic goes home."""
        if self.m.home(r.line) == side:
            self.atomic_home(r, side, cycle)
        else:
            self.at(cycle, self.cross, r, side)

    def atomic_home(self, r, home, cycle):
        there = self.l2.get((home, r.line), 0)
        missing = r.sectors & ~there
        if not missing:
            if home != self.m.side(r.sm):  # its operand comes behind it
                cycle += self.m.cycles("bridge_data")
            self.at(cycle, self.unit, r, home)
            return
        if home == self.m.side(r.sm):
            missing = self.widen(missing) & ~there
        self.fetch(r, home, missing, cycle)

    def unit(self, r, home):
        m = self.m
        copied = self.l2.pop((1 - home, r.line), 0)
        name = "unit", self.slice_of(home, r)
        held = self.held.setdefault(name, [])
        ticks = m.ticks("atomic_sector")
        if r.line in held:
            held.remove(r.line)
            ticks = m.ticks("atomic_kept")
        elif r.data_down:
            ticks += m.ticks("atomic_return") + m.ticks("atomic_return_value")
        held.insert(0, r.line)
        del held[m.number["atomic_kept_lines"]:]
        self.serve(name, ticks)
        done = self.servers[name].over // TICKS + m.cycles("atomic_extra")
        if copied and home == m.side(r.sm):  # the copy is taken back first
            done = max(done, self.now + 2 * m.cycles("bridge"))
        self.at(done, self.atomic_done, r, home)

    def atomic_done(self, r, home):
        m = self.m
        cycle = self.now
        if r.data_down:
            cycle = self.serve(("data", self.slice_of(home, r)),
                               r.count * m.sector("slice"))
        if m.side(r.sm) == home:
            self.answer_store(r, cycle)
        else:
            self.at(cycle, self.cross_back, r, home)

    def cross(self, r, side):
        m = self.m
        ticks = m.ticks("bridge_request")
        late = m.cycles("bridge")
        if r.is_store or r.is_atomic:
            ticks += r.count * m.sector("bridge")
            late += m.cycles("bridge_data") if r.is_store else 0
        cycle = self.serve(("bridge", side), ticks)
        self.at(cycle + late, self.home_slice, r)

    def widen(self, sectors):
        """A miss fetches aligned blocks."""
        block = self.m.number["l2_fetch_bytes"] // SECTOR
        wide = 0
        for first in range(0, 4, block):
            part = (2 ** block - 1) << first
            if sectors & part:
                wide |= part
        return wide

    def home_slice(self, r):
        m = self.m
        home = m.home(r.line)
        cycle = self.serve(("lookup", self.slice_of(home, r)),
                           m.ticks("slice_request"))
        if r.is_store:
            self.write(r, home, cycle)
            return
        if r.is_atomic:
            self.atomic_home(r, home, cycle)
            return
        there = self.l2.get((home, r.line), 0)
        missing = r.bring & ~there
        if missing:
            self.fetch(r, home, self.widen(missing) & ~there, cycle)
        else:
            self.at(cycle, self.cross_back, r, home)

    # ---- DRAM ----

    def fetch(self, r, home, sectors, cycle):
        """It brings sectors to the home slice."""
        r.fetch = sectors
        self.at(cycle, self.bank, r, home)

    def channel_of(self, home, r):
        return self.slice_of(home, r), self.m.row(r.line)[0]

    def bank(self, r, home):
        m = self.m
        _, bank, row = m.row(r.line)
        key = self.channel_of(home, r), bank
        begun, over = m.refreshes(home, r.line, self.now)
        if over > self.now:
            self.at(over, self.bank, r, home)
            return
        open_row, since, usable = self.rows.get(key, (None, 0, 0))
        if open_row == row and since == begun:
            self.at(max(self.now, usable), self.bus, r, home)
            return
        begin = max(self.now, self.servers["bank", key].over // TICKS)
        self.serve(("bank", key), m.cycles("dram_row_busy") * TICKS, begin)
        self.rows[key] = row, begun, begin + m.cycles("dram_row")
        self.at(begin, self.activate, r, home)

    def activate(self, r, home):
        m = self.m
        cycle = self.serve(("activate", self.channel_of(home, r)),
                           m.ticks("dram_activate"))
        self.at(cycle + m.cycles("dram_row"), self.bus, r, home)

    def bus(self, r, home):
        m = self.m
        atoms = sum(1 for first in (0, 2) if r.fetch >> first & 3)
        cycle = self.serve(("bus", self.channel_of(home, r)),
                           atoms * m.atom())
        cycle += m.cycles("dram_near")
        if home != m.side(r.sm) and not r.is_atomic:
            cycle += m.cycles("dram_far")
        self.at(cycle, self.fill, r, home)

    def fill(self, r, home):
        """The slice takes what has come; nobody waits for that."""
        key = home, r.line
        self.serve(("write", self.slice_of(home, r)),
                   bin(r.fetch).count("1") * self.m.sector("slice_write"))
        self.l2[key] = self.l2.get(key, 0) | r.fetch
        if r.is_atomic:
            self.at(self.now, self.unit, r, home)
            return
        if home == self.m.side(r.sm):
            self.reply(r, home, self.now)
        else:
            self.at(self.now, self.cross_back, r, home)

    def cross_back(self, r, home):
        m = self.m
        if r.is_store or r.is_atomic:
            count = r.data_down
        else:
            count = bin(r.bring).count("1")
        cycle = self.serve(("bridge", home), m.ticks("bridge_request") +
                           count * m.sector("bridge"))
        self.at(cycle + m.cycles("bridge"), self.near_fill, r)

    def near_fill(self, r):
        side = self.m.side(r.sm)
        if r.is_store or r.is_atomic:
            self.answer_store(r, self.now)
            return
        self.l2[side, r.line] = self.l2.get((side, r.line), 0) | r.bring
        self.reply(r, side, self.now)

    def reply(self, r, side, cycle):
        """From a slice of the SM's side."""
        m = self.m
        cycle = self.serve(("data", self.slice_of(side, r)),
                           r.count * m.sector("slice"), cycle)
        way = m.cycles("l2_near")
        self.at(cycle + way - way // 2, self.gpc_reply, r)

    # ---- the way back ----

    def gpc_reply(self, r):
        m = self.m
        head = m.number["reply_header_bytes"] / SECTOR
        cycle = self.serve(("gpc in", m.gpc(r.sm)),
                           int((r.data_down + head) * m.sector("gpc_reply")))
        self.at(cycle, self.sm_reply, r)

    def sm_reply(self, r):
        m = self.m
        head = m.number["reply_header_bytes"] / SECTOR
        count = 0 if r.is_atomic else r.data_down
        cycle = self.serve(("in", r.sm),
                           int((count + head) * m.sector("sm_reply")))
        self.at(cycle, self.done, r)

    def done(self, r):
        if r.keeps:
            self.l1[r.sm, r.line] = self.l1.get((r.sm, r.line), 0) | r.sectors
        self.answers[r.index] = self.now
