"""Random PTX that memory's last content does not depend on timing of: loops,
predicates, guards, votes, shared and global memory. Each thread has 256 bytes of
global memory and a place in shared memory of its own; all add to common words."""
import random

WORDS = 16      # registers %w0.. that hold values
BYTES = 256     # of global memory, a thread
THREADS = 64
MORE = 16 * THREADS     # bytes from a thread's 16 of shared memory to its others

HEAD = '''.version 7.8
.target sm_90
.address_size 64
'''
ENTRY = '''.visible .entry %s(.param .u64 in, .param .u64 own, .param .u64 sums, .param .u32 n)
{
	.reg .pred %%p<12>, %%c<99>;
	.reg .b16 %%h<4>;
	.reg .b32 %%w<%d>, %%t<9>, %%i<99>, %%b<99>, %%m<99>;
	.reg .f32 %%f<5>;
	.reg .b64 %%d<5>, %%a<6>;
	.shared .align 1024 .b8 place[%d];
	.local .align 16 .b8 mine[64];
	ld.param.u64 %%a0, [in];
	ld.param.u64 %%a1, [own];
	ld.param.u64 %%a4, [sums];
	ld.param.u32 %%w0, [n];
	mov.u32 %%w1, %%tid.x;
	mov.u32 %%w2, %%laneid;
	mad.wide.u32 %%a1, %%w1, %d, %%a1;
	shl.b32 %%t8, %%w1, 4;
	mov.u32 %%t7, place;
	add.u32 %%t8, %%t8, %%t7;
	mad.wide.u32 %%a0, %%w1, 64, %%a0;
	mov.u64 %%a2, %%a1;
'''


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.labels, self.times = [], 0, 1
        self.converged, self.members, self.depth = True, '-1', 0
        self.counters = []

    def put(self, text):
        self.lines.append('\t%s;' % text)

    def label(self, name):
        self.lines.append(name + ':')

    def chance(self, p):
        return self.r.random() < p

    def fresh(self):
        self.labels += 1
        return self.labels

    # ---- operands ----

    def w(self):
        if self.counters and self.chance(0.2):
            return self.r.choice(self.counters)
        return '%%w%d' % self.r.randrange(WORDS)

    def to(self):
        return '%%w%d' % self.r.randrange(3, WORDS)

    def v(self):
        if self.chance(0.75):
            return self.w()
        return str(self.r.choice([0, 1, 2, 3, 5, 31, 255, 65535, -1, -7,
                                  2147483647, self.r.getrandbits(31)]))

    def p(self):
        return '%%p%d' % self.r.randrange(8)

    def guard(self, share=0.2):
        if not self.chance(share):
            return ''
        return '@%s%s ' % (self.r.choice(['', '!']), self.p())

    @staticmethod
    def number(value):
        value &= 0xffffffff
        return str(value - (1 << 32) if value >> 31 else value)

    def f(self):
        return '%%f%d' % self.r.randrange(5)

    def d(self):
        return '%%d%d' % self.r.randrange(5)

    def h(self):
        return '%%h%d' % self.r.randrange(4)

    # ---- plain instructions ----

    def whole(self):
        r, g = self.r, self.guard()
        t, a, b, c = self.to(), self.w(), self.v(), self.v()
        self.put(g + r.choice([
            'add.u32 %s, %s, %s' % (t, a, b), 'sub.s32 %s, %s, %s' % (t, a, b),
            'mul.lo.u32 %s, %s, %s' % (t, a, b), 'mul.hi.u32 %s, %s, %s' % (t, a, b),
            'mul.hi.s32 %s, %s, %s' % (t, a, b),
            'mad.lo.s32 %s, %s, %s, %s' % (t, a, b, c),
            'and.b32 %s, %s, %s' % (t, a, b), 'or.b32 %s, %s, %s' % (t, a, b),
            'xor.b32 %s, %s, %s' % (t, a, b), 'not.b32 %s, %s' % (t, a),
            'shl.b32 %s, %s, %s' % (t, a, b), 'shr.u32 %s, %s, %s' % (t, a, b),
            'shr.s32 %s, %s, %s' % (t, a, b), 'min.s32 %s, %s, %s' % (t, a, b),
            'max.u32 %s, %s, %s' % (t, a, b), 'neg.s32 %s, %s' % (t, a),
            'abs.s32 %s, %s' % (t, a), 'popc.b32 %s, %s' % (t, a),
            'clz.b32 %s, %s' % (t, a), 'brev.b32 %s, %s' % (t, a),
            'bfe.u32 %s, %s, %d, %d' % (t, a, r.randrange(32), r.randrange(32)),
            'bfi.b32 %s, %s, %s, %d, %d' % (t, a, self.w(), r.randrange(32),
                                            r.randrange(32)),
            'prmt.b32 %s, %s, %s, %d' % (t, a, b, r.getrandbits(16) & 0x7777),
            'shf.l.wrap.b32 %s, %s, %s, %s' % (t, a, b, c),
            'lop3.b32 %s, %s, %s, %s, %d' % (t, a, self.w(), self.w(),
                                             r.randrange(256)),
            'mov.b32 %s, %s' % (t, a), 'mov.u32 %s, %s' % (t, b),
            'selp.b32 %s, %s, %s, %s' % (t, a, b, self.p()),
            'slct.u32.s32 %s, %s, %s, %s' % (t, a, b, c),
            'div.u32 %s, %s, %d' % (t, a, r.choice([3, 7, 10])),
            'rem.u32 %s, %s, %d' % (t, a, r.choice([3, 5, 12])),
            'sad.u32 %s, %s, %s, %s' % (t, a, b, c)]))

    def predicate(self):
        r, g = self.r, self.guard(0.25)
        p, q, t = self.p(), self.p(), r.choice(['u32', 's32'])
        op = r.choice(['eq', 'ne', 'lt', 'le', 'gt', 'ge'])
        self.put(g + r.choice([
            'setp.%s.%s %s, %s, %s' % (op, t, p, self.w(), self.v()),
            'setp.%s.%s %s, %s, %s' % (op, t, p, self.w(), self.v()),
            'setp.%s.%s %s|%%p%d, %s, %s' % (
                op, t, '%p0', r.randrange(1, 8), self.w(), self.v()),
            'setp.%s.%s.%s %s, %s, %s, %s%s' % (
                op, r.choice(['and', 'or', 'xor']), t, p, self.w(), self.v(),
                r.choice(['', '!']), q),
            'setp.%s.f32 %s, %s, %s' % (op, p, self.f(), self.f()),
            'and.pred %s, %s, %s' % (p, q, self.p()),
            'or.pred %s, %s, %s' % (p, q, self.p()),
            'xor.pred %s, %s, %s' % (p, q, self.p()),
            'not.pred %s, %s' % (p, q), 'mov.pred %s, %s' % (p, q),
            'setp.%s.s16 %s, %s, %s' % (op, p, self.h(), self.h()),
            'setp.%s.u64 %s, %s, %s' % (op, p, self.d(), self.d())]))

    def other(self):
        r, g = self.r, self.guard()
        f, d, h = self.f(), self.d(), self.h()
        self.put(g + r.choice([
            'add.rn.f32 %s, %s, %s' % (f, self.f(), self.f()),
            'mul.rn.f32 %s, %s, %s' % (f, self.f(), self.f()),
            'fma.rn.f32 %s, %s, %s, %s' % (f, self.f(), self.f(), self.f()),
            'min.f32 %s, %s, %s' % (f, self.f(), self.f()),
            'cvt.rn.f32.s32 %s, %s' % (f, self.w()),
            'cvt.rzi.s32.f32 %s, %s' % (self.to(), f),
            'selp.f32 %s, %s, %s, %s' % (f, self.f(), self.f(), self.p()),
            'mov.b32 %s, %s' % (self.to(), f), 'mul.wide.u32 %s, %s, %s' % (
                d, self.w(), self.v()),
            'mad.wide.s32 %s, %s, %s, %s' % (d, self.w(), self.v(), self.d()),
            'add.u64 %s, %s, %s' % (d, self.d(), self.d()),
            'xor.b64 %s, %s, %s' % (d, self.d(), self.d()),
            'shr.u64 %s, %s, %d' % (d, self.d(), r.randrange(64)),
            'cvt.u64.u32 %s, %s' % (d, self.w()),
            'cvt.u32.u64 %s, %s' % (self.to(), d),
            'cvt.u16.u32 %s, %s' % (h, self.w()),
            'cvt.s32.s16 %s, %s' % (self.to(), h),
            'add.s16 %s, %s, %s' % (h, self.h(), self.h()),
            'mul.lo.s16 %s, %s, %s' % (h, self.h(), self.h()),
            'mov.b64 {%s, %s}, %s' % ('%w3', '%w4', self.d()),
            'mov.b64 %s, {%s, %s}' % (d, '%w5', '%w6')]))

    # ---- memory ----

    def place(self, bytes):
        """An address in the thread's own memory: fixed, or of a register."""
        if self.chance(0.6):
            return '[%s+%d]' % (self.r.choice(['%a1', '%a1', '%a2']),
                                bytes * self.r.randrange(BYTES // 2 // bytes))
        self.put('and.b32 %%t0, %s, %d' % (self.w(), BYTES // 2 - bytes))
        self.put('cvt.u64.u32 %a3, %t0')
        self.put('add.u64 %a3, %a3, %a1')
        return '[%%a3+%d]' % (bytes * self.r.randrange(BYTES // 4 // bytes))

    def memory(self):
        r, g = self.r, self.guard(0.25)
        how = r.choice(['', '', '', '', '.volatile', '.relaxed.gpu'])
        form = r.randrange(12)
        if form < 3:
            t, b = r.choice([('u32', 4), ('u32', 4), ('u8', 1), ('s16', 2)])
            at = self.place(b)
            self.put('%sld%s.global.%s %s, %s' % (
                g, how, t, self.to(), at))
        elif form < 6:
            t, b = r.choice([('u32', 4), ('u32', 4), ('u8', 1), ('u16', 2)])
            at = self.place(b)
            self.put('%sst%s.global.%s %s, %s' % (g, how, t, at, self.w()))
        elif form == 6:
            at = self.place(8)
            a, b = r.sample(range(3, WORDS), 2)
            self.put(g + r.choice(['ld.global.v2.u32 {%%w%d, %%w%d}, %s' % (a, b, at),
                                   'st.global.v2.u32 %s, {%%w%d, %%w%d}' % (at, a, b),
                                   'ld.global.u64 %s, %s' % (self.d(), at),
                                   'st.global.u64 %s, %s' % (at, self.d())]))
        elif form == 7:
            self.put(g + r.choice([
                'ld.global.nc.u32 %s, [%%a0+%d]', 'ld.global.u32 %s, [%%a0+%d]']) % (
                    self.to(), 4 * r.randrange(16)))
        elif form == 8:
            at = '[%%t8+%d]' % (4 * r.randrange(4))
            self.put('%sld%s.shared.u32 %s, %s' % (
                g, r.choice(['', '.volatile']), self.to(), at))
        elif form == 9:
            self.put('%sst.shared.u32 [%%t8+%d], %s' % (
                g, 4 * r.randrange(4), self.w()))
        elif form == 10:
            self.put(g + r.choice([
                'st.local.u32 [mine+%d], %s' % (4 * r.randrange(8), self.w()),
                'ld.local.u32 %s, [mine+%d]' % (self.to(), 4 * r.randrange(8))]))
        else:
            self.common(g)

    def neighbours(self):
        """Loads of words beside each other, and what stands between them."""
        base, at = self.r.choice(['%a1', '%a2']), 4 * self.r.randrange(28)
        for k in self.r.sample(range(4), self.r.choice([2, 3, 4])):
            self.put('ld.global.u32 %s, [%s+%d]' % (self.to(), base, at + 4 * k))
            if self.chance(0.3):
                self.put('st.global.u32 [%%a1+%d], %s' % (
                    at + 4 * self.r.randrange(4), self.w()))

    def near_words(self):
        """Loads of words of the thread's 16 bytes of shared memory, or of other 16
        bytes that it has, in any order, with what lets them go by at once between
        them, and what does not."""
        r, base, shift = self.r, '%t8', 0
        if self.chance(0.4):
            base, shift = '%t5', r.choice([0, 0, 16])
            self.put('add.u32 %%t5, %%t8, %d' % (shift + r.choice([0, MORE])))
        words = r.sample(range(4), r.choice([2, 3, 4, 4])) + \
            [r.randrange(4) for _ in range(r.choice([0, 0, 1, 2]))]
        to = [self.to() for _ in words]
        for k, word in enumerate(words):
            d = to[k] if self.chance(0.85) else r.choice(to)
            self.put('ld%s.shared.%s %s, [%s+%d]' % (
                r.choice([''] * 9 + ['.volatile']), r.choice(['u32', 'u32', 'b32', 's32']),
                d, base, 4 * word - shift))
            while self.chance(0.3):
                self.between(base, shift, to)

    def between(self, base, shift, to):
        r = self.r
        at = '[%s+%d]' % (base, 4 * r.randrange(4) - shift)
        self.put(r.choice([
            'st.shared.u32 %s, %s' % (at, self.w()),
            'st.shared.u32 [%%t8+%d], %s' % (4 * r.randrange(4), self.w()),
            'atom.shared.add.u32 %s, %s, 5' % (self.to(), at),
            'add.u32 %s, %s, %s' % (self.to(), r.choice(to), self.v()),
            'mov.u32 %s, %s' % (r.choice(to), self.v()),
            'st.local.u32 [mine+%d], %s' % (4 * r.randrange(8), r.choice(to)),
            'st.global.u32 [%%a1+%d], %s' % (4 * r.randrange(28), r.choice(to)),
            'bar.warp.sync -1' if self.members == '-1' else 'membar.cta',
            'membar.cta']))
        if self.chance(0.25):
            # the same words through a generic address
            self.put('cvt.u64.u32 %a5, %t8')
            self.put('cvta.shared.u64 %a5, %a5')
            self.put('st.u32 [%%a5+%d], %s' % (4 * r.randrange(4), self.w()))
        if base == '%t5' and self.chance(0.4):
            self.put('add.u32 %%t5, %%t8, %d' % (shift + r.choice([0, MORE])))

    def common(self, g):
        r = self.r
        op = r.choice([('add', 0, 'u32'), ('xor', 1, 'b32'), ('or', 2, 'b32'),
                       ('max', 3, 's32'), ('min', 4, 'u32')])
        at = self.place(4)
        self.put(g + r.choice([
            'red.global.%s.%s [%%a4+%d], %s' % (op[0], op[2], 4 * op[1], self.w()),
            'atom.global.add.u32 %s, %s, %s' % (self.to(), at, self.w()),
            'atom.global.exch.b32 %s, %s, %s' % (self.to(), at, self.w()),
            'red.global.add.u32 %s, %s' % (at, self.w()),
            'atom.shared.cas.b32 %s, [%%t8+4], %s, %s' % (self.to(), self.w(), self.w()),
            'atom.shared.add.u32 %s, [%%t8], %s' % (self.to(), self.w())]))
        if self.chance(0.3):
            self.put(r.choice(['membar.cta', 'membar.gl', 'fence.acq_rel.gpu']))

    # ---- lanes ----

    def talk(self):
        if self.members is None:
            return self.whole()
        r, m = self.r, self.members
        a, p = self.w(), self.p()
        self.put(r.choice([
            'vote.sync.ballot.b32 %s, %s, %s' % (self.to(), p, m),
            'vote.sync.any.pred %s, %s%s, %s' % (self.p(), r.choice(['', '!']), p, m),
            'vote.sync.all.pred %s, %s, %s' % (self.p(), p, m),
            'vote.sync.uni.pred %s, %s, %s' % (self.p(), p, m),
            'redux.sync.add.u32 %s, %s, %s' % (self.to(), a, m),
            'redux.sync.max.s32 %s, %s, %s' % (self.to(), a, m),
            'match.any.sync.b32 %s, %s, %s' % (self.to(), a, m)] + ([
                'shfl.sync.bfly.b32 %s, %s, %d, 31, -1' % (
                    self.to(), a, r.randrange(1, 32)),
                'shfl.sync.idx.b32 %s|%s, %s, %s, 31, -1' % (
                    self.to(), self.p(), a, self.v()),
                'shfl.sync.up.b32 %s, %s, %d, 0, -1' % (
                    self.to(), a, r.randrange(1, 32))] if m == '-1' else [])))

    def exchange(self):
        if not self.converged:
            return self.talk()
        r = self.r
        self.put('st.shared.u32 [%%t8+12], %s' % self.w())
        self.put('bar.sync 0')
        self.put('sub.u32 %t1, %t8, %t7')
        self.put('xor.b32 %%t1, %%t1, %d' % (16 * r.randrange(THREADS)))
        self.put('add.u32 %t1, %t1, %t7')
        self.put('ld.shared.u32 %s, [%%t1+12]' % self.to())
        self.put('bar.sync 0')

    # ---- control ----

    def inside(self, count, converged, members, times=1):
        kept = self.converged, self.members, self.times
        self.converged, self.members = converged, members
        self.times *= times
        self.depth += 1
        self.some(count)
        self.depth -= 1
        self.converged, self.members, self.times = kept

    def branch(self):
        n, p = self.fresh(), self.p()
        sign = self.r.choice(['', '!'])
        a = b = None
        if self.members and self.chance(0.4):
            a, b = '%%m%d' % (n % 99), '%%b%d' % (n % 99)
            self.put('vote.sync.ballot.b32 %s, %s, %s' % (b, p, self.members))
            self.put('not.b32 %s, %s' % (a, b))
            self.put('and.b32 %s, %s, %s' % (a, a, self.members))
            if sign:
                a, b = b, a
        self.put('@%s%s bra $A_%d' % (sign, p, n))
        self.inside(self.r.choice([1, 2, 3, 6]), False, a)
        if self.chance(0.5):
            self.put('bra $B_%d' % n)
            self.label('$A_%d' % n)
            self.inside(self.r.choice([1, 2, 3, 6]), False, b)
            self.label('$B_%d' % n)
        else:
            self.label('$A_%d' % n)

    def loop(self):
        """A loop that counts as assemblers like it, or nearly."""
        r, n = self.r, self.fresh()
        i, c, bound = '%%i%d' % n, '%%c%d' % n, '%%b%d' % n
        same = self.chance(0.5)
        most = r.choice([1, 2, 3, 4, 5, 7, 8, 11, 17])
        if self.times * most > 60:
            return self.whole()
        step = r.choice([1, 1, 1, 2, 3, 4, 16, 1 << 20, 0x30000000 // most,
                         r.getrandbits(32)])
        start = r.choice([0, 0, 0, 1, 5, 100])
        if most < 4 and self.chance(0.3):   # over half of all numbers, in few rounds
            step, start = 0xfd000000 // most - r.randrange(99), -0x7e000000
        elif self.chance(0.2) and step * most < 1 << 31:   # to the last, from the first
            start = r.choice([0x7fffffff - step * most - r.randrange(4),
                              r.randrange(4) - 0x80000000])
        wide = start + step * most >= 1 << 31   # wraps around: it ends by `ne`
        up = wide or self.chance(0.7)
        start = start if up else start + step * most
        by = step if up else -step
        end = start + by * most
        if same:
            limit = self.number(end)
            if self.chance(0.4):
                self.put('mov.u32 %s, %s' % (bound, limit))
                limit = bound
        else:
            self.put('rem.u32 %s, %s, %d' % (bound, self.w(), most))
            self.put('mad.lo.u32 %s, %s, %s, %s' % (
                bound, bound, self.number(by), self.number(start + by)))
            limit = bound
        self.put('mov.u32 %s, %d' % (i, start))
        live = self.members if same else None
        votes = self.members and not same and self.chance(0.6)
        if votes:   # the lanes that are still in the loop
            live = '%%m%d' % n
            self.put('mov.b32 %s, %s' % (live, self.members))
        before = len(self.counters)
        # what else says the same of these numbers; a bound by `le` is one less
        whole = min(start, end) >= 0
        if wide:
            test = r.choice(['ne.s32', 'ne.u32'])
        elif up:
            test = r.choice(['ne.u32', 'lt.s32', 'lt.s32', 'le.s32'] + ['lt.u32'] * 3 * whole)
        else:
            test = r.choice(['ne.s32', 'gt.s32', 'gt.s32', 'ge.s32'] + ['gt.u32'] * 3 * whole)
        if test[:2] in ('le', 'ge') and (limit == bound or abs(end) > 1 << 30):
            test = {'le.s32': 'lt.s32', 'ge.s32': 'gt.s32'}[test]
        if test[:2] in ('le', 'ge'):
            limit = self.number(end - by)
        if not same and self.chance(0.3):
            self.put('setp.%s %s, %s, %s' % (test, c, i, limit))
            if votes:
                self.put('vote.sync.ballot.b32 %s, %s, %s' % (live, c, live))
            self.put('@!%s bra $E_%d' % (c, n))
        else:
            self.put('setp.ne.u32 %s, %s, -1' % (c, i))
        self.label('$L_%d' % n)
        if self.chance(0.1):
            self.lines.append('\t.pragma "nounroll";')
        self.counters.append(i)
        body = r.choice([1, 2, 3, 5])
        if self.chance(0.35):
            self.put(r.choice([
                'selp.b32 %s, %s, %s, %s' % (self.to(), self.w(), self.v(), c),
                '@%s add.u32 %s, %s, %s' % (c, self.to(), self.w(), self.v()),
                'and.pred %s, %s, %s' % (self.p(), self.p(), c)]))
        count = 'add.s32 %s, %s, %s' % (i, i, self.number(by))
        first = self.chance(0.2)
        if first:
            self.put(count)
        self.inside(body, self.converged and same, live, most)
        if live is None and self.chance(0.15):
            self.put('@%s bra $E_%d' % (self.p(), n))
        if not first:
            self.put(count)
        self.put('setp.%s %s, %s, %s' % (test, c, i, limit))
        if votes:
            self.put('vote.sync.ballot.b32 %s, %s, %s' % (live, c, live))
        if self.chance(0.25):
            self.put(r.choice([
                'selp.b32 %s, %s, %s, %s' % (self.to(), self.w(), self.v(), c),
                'not.pred %s, %s' % (self.p(), c),
                '@!%s xor.b32 %s, %s, %s' % (c, self.to(), self.w(), self.v())]))
        self.put('@%s bra $L_%d' % (c, n))
        self.label('$E_%d' % n)
        del self.counters[before:]

    # ---- all of them ----

    def some(self, count):
        for _ in range(count):
            if len(self.lines) > 150:
                return
            kinds = [(self.whole, 30), (self.predicate, 14), (self.other, 10),
                     (self.memory, 22), (self.neighbours, 3), (self.near_words, 5),
                     (self.talk, 7), (self.exchange, 2)]
            if self.depth < 3:
                kinds += [(self.branch, 9), (self.loop, 9)]
            self.r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()

    def entry(self, name):
        self.lines = []
        for i in range(3, WORDS):
            self.put('ld.global.u32 %%w%d, [%%a0+%d]' % (i, 4 * i))
        for i in range(5):
            self.put('cvt.rn.f32.u32 %%f%d, %%w%d' % (i, 3 + i))
            self.put('mul.wide.u32 %%d%d, %%w%d, 77777' % (i, 5 + i))
        for i in range(4):
            self.put('cvt.u16.u32 %%h%d, %%w%d' % (i, 7 + i))
            self.put('st.shared.u32 [%%t8+%d], %%w%d' % (4 * i, 3 + i))
        for i in range(8):
            self.put('setp.gt.s32 %%p%d, %%w%d, %d' % (i, 3 + i, 1 << 20))
            self.put('st.local.u32 [mine+%d], %%w%d' % (4 * i, 8 + i))
        self.some(self.r.randrange(8, 30))
        for i in range(3, WORDS):
            self.put('st.global.u32 [%%a1+%d], %%w%d' % (BYTES // 2 + 4 * i, i))
        for i in range(5):
            self.put('st.global.f32 [%%a1+%d], %%f%d' % (BYTES // 2 + 64 + 4 * i, i))
            self.put('cvt.u32.u64 %%t0, %%d%d' % i)
            self.put('st.global.u32 [%%a1+%d], %%t0' % (BYTES // 2 + 84 + 4 * i))
        for i in range(4):
            self.put('st.global.u16 [%%a1+%d], %%h%d' % (BYTES // 2 + 104 + 2 * i, i))
        for i in range(8):
            self.put('selp.u32 %%t0, 1, 0, %%p%d' % i)
            self.put('st.global.u8 [%%a1+%d], %%t0' % (BYTES // 2 + 112 + i))
        self.put('ret')
        head = ENTRY % (name, WORDS, 2 * MORE, BYTES)
        return head + '\n'.join(self.lines) + '\n}\n'
