"""Random statements of lanes that talk to each other. A place of the code knows
its lanes by a variable that has their mask; every `.sync` names exactly those
lanes, wherever a branch or a loop has left the others."""
from statements import BUDGET, Statements

HEADER = '''
/* ---- lanes ---- */

DEVICE u32 lane_of(u32 m, u32 k)
{
	for (k %= ones(m); k; k--)
		m &= m - 1;
	return first_one(m) - 1;
}
#define MOVES(T)                                                               \\
	DEVICE T take_##T(u32 m, u32 lane, T x, u32 k)                         \\
	{                                                                      \\
		return __shfl_sync(m, x, (int)lane_of(m, k));                  \\
	}                                                                      \\
	DEVICE T at_##T(u32 m, u32 lane, T x, u32 from, int w)                 \\
	{                                                                      \\
		const T y = __shfl_sync(m, x, (int)from, w);                   \\
		const u32 s = (lane & ~(w - 1u)) | (from & (w - 1u));          \\
		return m >> s & 1 ? y : x;                                     \\
	}                                                                      \\
	DEVICE T up_##T(u32 m, u32 lane, T x, u32 d, int w)                    \\
	{                                                                      \\
		const T y = __shfl_up_sync(m, x, d, w);                        \\
		const u32 s = (lane & (w - 1u)) >= d ? lane - d : lane;        \\
		return m >> s & 1 ? y : x;                                     \\
	}                                                                      \\
	DEVICE T down_##T(u32 m, u32 lane, T x, u32 d, int w)                  \\
	{                                                                      \\
		const T y = __shfl_down_sync(m, x, d, w);                      \\
		const u32 s = (lane & (w - 1u)) + d < (u32)w ? lane + d : lane; \\
		return m >> s & 1 ? y : x;                                     \\
	}                                                                      \\
	DEVICE T across_##T(u32 m, u32 lane, T x, u32 d, int w)                \\
	{                                                                      \\
		const T y = __shfl_xor_sync(m, x, (int)(d & (w - 1u)), w);     \\
		const u32 s = lane ^ (d & (w - 1u));                           \\
		return m >> s & 1 ? y : x;                                     \\
	}
MOVES(i32)
MOVES(u32)
MOVES(i64)
MOVES(u64)
MOVES(f32)
MOVES(f64)
'''
MOVED = ['i32', 'u32', 'i64', 'u64', 'f32', 'f64']


class Warps(Statements):
    across = False   # lanes of both sides of a branch meet

    def test(self, scope, depth=2):
        """A condition that divides warps: often of the lane."""
        r = self.r
        kind = r.random()
        if kind < 0.25:
            return '(lane & %d)' % r.choice([1, 2, 3, 4, 16, 21])
        if kind < 0.45:
            return '(lane %s %d)' % (r.choice(['<', '>', '==', '!=']),
                                     r.randrange(32))
        if kind < 0.6:
            return '((%s) >> %d & 1)' % (self.expression(scope, 'u32', 1),
                                         r.randrange(5))
        return self.condition(scope, depth)

    # ---- what lanes say to each other ----

    def say(self, scope):
        m, r = scope.mask, self.r
        n, t = r.choice(scope.variables)
        e = lambda s, d=1: self.expression(scope, s, d)
        moved = r.choice(MOVED)
        width = r.choice([32, 32, 32, 16, 8, 4, 2])
        text, kind = r.choice([
            lambda: ('__ballot_sync(%s, %s)' % (m, self.test(scope)), 'u32'),
            lambda: ('(u32)__any_sync(%s, %s)' % (m, self.test(scope)), 'u32'),
            lambda: ('(u32)__all_sync(%s, %s)' % (m, self.test(scope)), 'u32'),
            lambda: ('take_%s(%s, lane, %s, (%s) & 31)' % (
                moved, m, e(moved), e('u32')), moved),
            lambda: ('at_%s(%s, lane, %s, (%s) & 31, %d)' % (
                moved, m, e(moved), e('u32'), width), moved),
            lambda: ('%s_%s(%s, lane, %s, %d, %d)' % (
                r.choice(['up', 'down', 'across']), moved, m, e(moved),
                r.randrange(1, width), width), moved),
            lambda: ('%s_%s(%s, lane, %s, %d, 32)' % (
                r.choice(['up', 'down', 'across']), moved, m, e(moved),
                r.choice([1, 2, 4, 8, 16])), moved),
            lambda: ('__match_any_sync(%s, (%s) & %d)' % (
                m, e('u32'), r.choice([1, 3, 7])), 'u32'),
            lambda: ('__match_any_sync(%s, (u64)(%s) & 3)' % (m, e('u64')), 'u32'),
            lambda: ('__reduce_%s_sync(%s, %s)' % (
                r.choice(['add', 'min', 'max', 'and', 'or', 'xor']), m,
                e('u32')), 'u32'),
            lambda: ('(i32)__reduce_%s_sync(%s, %s)' % (
                r.choice(['add', 'min', 'max']), m, e('i32')), 'i32'),
        ])()
        return ['%s = %s;' % (n, self.convert(text, kind, t))]

    def agree(self, scope):
        n, t = self.r.choice(scope.variables)
        p, x = self.name('p'), self.name('x')
        return ['int %s;' % p, 'const u32 %s = __match_all_sync(%s, (%s) & 1, &%s);'
                % (x, scope.mask, self.expression(scope, 'u32', 1), p),
                '%s = %s;' % (n, self.convert('%s * 2 + %s' % (x, p), 'u32', t))]

    def exchange(self, scope):
        """Words of a warp's own in shared memory, behind __syncwarp."""
        n, t = self.r.choice(scope.variables)
        m = scope.mask
        s = self.name('s')
        return ['s->warp[tid] = %s;' % self.expression(scope, 'u32', 2),
                '__syncwarp(%s);' % m,
                'const u32 %s = s->warp[(tid & ~31u) + lane_of(%s, (%s) & 31)];' % (
                    s, m, self.expression(scope, 'u32', 1)),
                '__syncwarp(%s);' % m,
                '%s = %s;' % (n, self.convert(s, 'u32', t))]

    def tree(self, scope):
        """A sum, a scan or a maximum in rounds."""
        t = self.r.choice(['u32', 'i32', 'u64'])
        x, d = self.name('x'), self.name('d')
        move = self.r.choice(['up', 'down', 'across'])
        joined = self.r.choice([
            '%s = (%s)((u64)%s + (u64)y);', '%s = (%s)(%s > y ? %s : y);'.replace(
                '%s : y', '@ : y'), '%s = (%s)(%s ^ y * 3);'])
        joined = joined.replace('@', x) % (x, t, x)
        head = self.r.choice(['for (u32 %s = 1; %s < 32; %s <<= 1) {',
                              'for (u32 %s = 16; %s > 0; %s >>= 1) {'])
        n, s = self.r.choice(scope.variables)
        return ['%s %s = %s;' % (t, x, self.expression(scope, t, 2)),
                head % (d, d, d),
                'const %s y = %s_%s(%s, lane, %s, %s, 32);' % (
                    t, move, t, scope.mask, x, d), joined, '}',
                '%s = %s;' % (n, self.convert(x, t, s))]

    # ---- where lanes part ----

    def divide(self, scope):
        m, a, b, p = scope.mask, self.name('m'), self.name('m'), self.name('p')
        lines = ['const bool %s = %s;' % (p, self.test(scope)),
                 'const u32 %s = __ballot_sync(%s, %s);' % (a, m, p)]
        lines += ['if (%s) {' % p]
        lines += self.block(scope.inner(mask=a), self.r.randrange(1, 4))
        if self.chance(0.6):
            lines += ['} else {', 'const u32 %s = %s & ~%s;' % (b, m, a)]
            lines += self.block(scope.inner(mask=b), self.r.randrange(1, 4))
        lines += ['}']
        if self.chance(0.3):
            lines += ['__syncwarp(%s);' % m]
        return lines

    def rounds(self, scope):
        """A loop whose rounds are the lane's own: a vote says who is in it."""
        most = self.r.choice([3, 5, 9])
        if most > BUDGET // scope.times:
            return self.say(scope)
        i, n, live = self.name('i'), self.name('n'), self.name('m')
        inner = scope.inner(mask=live, times=scope.times * most)
        inner.counters.append((i, 'u32'))
        lines = ['const u32 %s = (%s) %% %d;' % (
            n, self.expression(scope, 'u32', 2), most + 1)]
        if self.chance(0.5):
            lines += ['for (u32 %s = 0, %s = __ballot_sync(%s, %s > 0); %s < %s; '
                      '%s = __ballot_sync(%s, ++%s < %s)) {' % (
                          i, live, scope.mask, n, i, n, live, live, i, n)]
            return lines + self.block(inner, self.r.randrange(1, 4)) + ['}']
        lines += ['u32 %s = %s;' % (live, scope.mask),
                  'for (u32 %s = 0;; %s++) {' % (i, i),
                  '%s = __ballot_sync(%s, %s < %s);' % (live, live, i, n),
                  'if (%s >= %s)' % (i, n), 'break;']
        return lines + self.block(inner, self.r.randrange(1, 4)) + ['}']

    def classes(self, scope):
        """Lanes of one value go one way together: a switch under __match_any."""
        k, m = self.name('k'), self.name('m')
        count = self.r.choice([2, 3, 4])
        lines = ['const u32 %s = (%s) & %d;' % (
            k, self.expression(scope, 'u32', 2), self.r.choice([1, 3, 7])),
            'const u32 %s = __match_any_sync(%s, %s);' % (m, scope.mask, k),
            'switch (%s) {' % k]
        for v in range(count):
            lines += ['case %d: {' % v]
            lines += self.block(scope.inner(mask=m, loop=None, continues=False),
                                self.r.randrange(1, 3)) + ['}', 'break;']
        lines += ['default: {']
        lines += self.block(scope.inner(mask=m, loop=None, continues=False), 1)
        return lines + ['}', '}']

    def meeting(self, scope):
        """The same operation and mask on both sides of a branch: all lanes of
        the mask meet."""
        n, t = self.r.choice(scope.variables)
        m = scope.mask
        e = lambda: self.expression(scope, 'u32', 1)
        form = self.r.choice([
            lambda: '__ballot_sync(%s, %s)' % (m, self.test(scope, 1)),
            lambda: '(u32)__any_sync(%s, %s)' % (m, self.test(scope, 1)),
            lambda: '__shfl_sync(%s, %s, first_one(%s) - 1)' % (m, e(), m),
            lambda: '__reduce_add_sync(%s, %s)' % (m, e()),
            lambda: '__match_any_sync(%s, (%s) & 3)' % (m, e())])
        lines = ['if (%s) {' % self.test(scope)]
        lines += ['%s = %s;' % (n, self.convert(form(), 'u32', t)), '} else {']
        return lines + ['%s = %s;' % (n, self.convert(form(), 'u32', t)), '}']

    def together(self, scope):
        """A function of lanes that talk, called wherever they are."""
        if not scope.__dict__.get('talks'):
            return self.say(scope)
        f = self.r.choice(scope.talks)
        self.cost += scope.times * f['cost']
        n, t = self.r.choice(scope.variables)
        return ['%s = %s;' % (n, self.convert('%s(%s, lane, tid, s, %s, %s)' % (
            f['name'], scope.mask, self.expression(scope, 'u32', 1),
            self.expression(scope, 'i32', 1)), f['type'], t))]

    def kinds(self, scope):
        kinds = Statements.kinds(self, scope)
        if scope.mask is None:
            return kinds
        kinds = [(k, w // 2) for k, w in kinds if k != self.leave]
        kinds += [(self.say, 30), (self.agree, 3), (self.exchange, 5),
                  (self.together, 6)]
        if scope.times < 30:
            kinds += [(self.tree, 5)]
        if scope.depth < 4:
            kinds += [(self.divide, 24), (self.rounds, 12), (self.classes, 6)]
        if self.across:
            kinds += [(self.meeting, 12)]
        return kinds
