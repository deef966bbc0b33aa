"""Random C statements: loops of every shape, branches, arrays, switches."""
from expressions import (FLOAT, Expressions, TYPES, WHOLE, WIDTH, literal, signed,
                         unsigned_of, wrap)

BUDGET = 500     # how often the innermost statement may be reached


def trips(t, start, step, op, bound, compare, limit=24):
    """The rounds of a counted loop, or none where it overflows or goes on."""
    count, value = 0, wrap(t, start)
    tests = {'<': lambda a, b: a < b, '<=': lambda a, b: a <= b,
             '>': lambda a, b: a > b, '>=': lambda a, b: a >= b,
             '!=': lambda a, b: a != b}
    while tests[compare](value, bound):
        count += 1
        if count > limit:
            return None
        new = value >> step if op == '>>' else {
            '+': value + step, '-': value - step, '*': value * step}[op]
        if signed(t) and new != wrap(t, new):
            return None
        value = wrap(t, new)
    return count


class Statements(Expressions):
    size = 0         # statements of this function so far
    most = 14
    limit = 0        # of cost

    # ---- loops ----

    def counted(self, scope):
        """A loop of constants, or of eight starts by lane; its rounds."""
        r = self.r
        while True:
            t = r.choice(WHOLE + ['i32', 'u32', 'i32'])
            top = (1 << WIDTH[t]) - 1
            op = r.choice(['+', '+', '+', '-', '-', '*', '>>'])
            step = r.choice([1, 1, 1, 2, 3, 4, 5, 7, 16, r.getrandbits(WIDTH[t]),
                             top // 3, (1 << (WIDTH[t] - 1)) - 1])
            if op == '*':
                step = r.choice([2, 3, 5, 10, r.getrandbits(8)])
            if op == '>>':
                step = r.choice([1, 2, 3])
            start = r.choice([0, 0, 1, 2, 5, 10, 100, top, top >> 1,
                              r.getrandbits(WIDTH[t])])
            near = start + r.randrange(-30, 40) * (step if self.chance(0.6) else 1)
            bound = wrap(t, r.choice([near, near, near, 0, 1, 20, top,
                                      r.getrandbits(WIDTH[t])]))
            compare = r.choice(['<', '<=', '>', '>=', '!=', '<', '!='])
            by = r.choice([1, 2, 3, step]) if self.chance(0.35) else 0
            counts = [trips(t, start + k * by, wrap(t, step) if op in '+-' else step,
                            op, bound, compare) for k in range(8 if by else 1)]
            if None in counts or (max(counts) == 0 and not self.chance(0.03)):
                continue
            if op == '>>' and signed(t) and step >= WIDTH[t]:
                continue
            break
        i = self.name('i')
        begin = literal(t, start)
        if by:
            c = unsigned_of(t)
            begin = '(%s)((%s)%s + (%s)(%s & 7) * (%s)%#x)' % (
                t, c, begin, c, self.expression(scope, 'u32', 1), c, by)
        step = literal(t, step) if op in '+-' else '%d' % step
        if op in '+-' and signed(t) and WIDTH[t] < 32:
            advance = '%s = (%s)((u32)%s %s (u32)%s)' % (i, t, i, op, step)
        else:
            advance = '%s %s= %s' % (i, op, step)
        if op in '+-' and step == literal(t, 1) and self.chance(0.5):
            advance = i + op + op
        head = 'for (%s %s = %s; %s %s %s; %s)' % (
            t, i, begin, i, compare, literal(t, bound), advance)
        return head, i, t, max(counts), by == 0, ''

    def by_lane(self, scope):
        """A loop whose rounds are a number of the thread's."""
        r = self.r
        i, t = self.name('i'), r.choice(WHOLE)
        most = r.choice([3, 7, 15])
        n = '(%s)((%s) & %d)' % (t, self.expression(scope, 'u32', 2), most)
        forms = [
            ('for (%s %s = 0, n%s = %s; %s < n%s; %s++)' % (t, i, i, n, i, i, i), ''),
            ('for (%s %s = %s; %s > 0; %s--)' % (t, i, n, i, i), ''),
            ('for (%s %s = %s; %s != 0; --%s)' % (t, i, n, i, i), ''),
            ('for (%s %s = %s; %s-- > 0;)' % (t, i, n, i), ''),
            ('for (%s %s = 0, n%s = %s; %s <= n%s; %s += 2)' % (
                t, i, i, n, i, i, i), ''),
            ('for (%s %s = 1, n%s = %s; %s < n%s; %s *= 2)' % (
                t, i, i, n, i, i, i), ''),
            ('for (%s %s = %s; %s; %s >>= 1)' % (t, i, n, i, i), ''),
            ('for (%s %s = %s; %s; %s &= (%s)(%s - 1))' % (t, i, n, i, i, t, i), ''),
            ('for (%s %s = 0, n%s = %s; %s < n%s; %s++, n%s--)' % (
                t, i, i, n, i, i, i, i), ''),
        ]
        head, first = r.choice(forms)
        return head, i, t, most + 1, False, first

    def guarded(self, scope):
        """A loop until something happens, or a number of rounds are done."""
        i = self.name('i')
        most = self.r.choice([4, 9, 16])
        test = self.condition(scope, 2)
        return ('for (u32 %s = 0; %s < %d && %s; %s++)' % (i, i, most, test, i),
                i, 'u32', most, False, '')

    def loop(self, scope):
        r = self.r
        most = BUDGET // scope.times
        kinds = [self.counted, self.counted, self.by_lane, self.guarded]
        if scope.mask:
            kinds = [self.counted]
        for _ in range(20):
            cost, names = self.cost, self.names
            head, i, t, count, even, first = r.choice(kinds)(scope)
            if count <= most and (even or not scope.mask):
                break
            self.cost, self.names = cost, names
        else:
            return self.assign(scope)
        inner = scope.inner(times=scope.times * max(count, 1), loop='loop',
                            continues=True)
        if scope.mask:
            inner.loop, inner.continues = None, False
        inner.counters.append((i, t))
        body = self.block(inner, r.randrange(1, 4))
        if self.chance(0.2):
            body.append('if (%s) acc ^= (u32)%s;' % (
                self.condition(inner, 1), i))
        pragma = []
        if self.chance(0.1):
            pragma = [r.choice(['#pragma unroll 1', '#pragma unroll',
                                '#pragma unroll 3'])]
        return pragma + [head + ' {'] + body + ['}']

    def turned(self, scope):
        """while and do-while, which count before their body does anything."""
        r = self.r
        if scope.mask:
            return self.assign(scope)
        most = r.choice([3, 6, 12])
        if most > BUDGET // scope.times:
            return self.assign(scope)
        w, t = self.name('w'), r.choice(['u32', 'i32', 'u16', 'i64'])
        start = '%s %s = (%s)(1 + (%s) %% %d);' % (
            t, w, t, self.expression(scope, 'u32', 2), most)
        inner = scope.inner(times=scope.times * most, loop='loop', continues=True)
        inner.counters.append((w, t))
        body = self.block(inner, r.randrange(1, 4))
        if self.chance(0.5):
            return [start, 'while (%s > 0) {' % w, '%s--;' % w] + body + ['}']
        return [start, 'do {', '%s -= 1;' % w] + body + ['} while (%s > 0);' % w]

    # ---- branches ----

    def branch(self, scope):
        r = self.r
        inner = lambda: scope.inner(mask=None)
        lines = ['if (%s) {' % self.condition(scope, 2)]
        lines += self.block(inner(), r.randrange(1, 4))
        while self.chance(0.25):
            lines += ['} else if (%s) {' % self.condition(scope, 1)]
            lines += self.block(inner(), r.randrange(1, 3))
        if self.chance(0.5):
            lines += ['} else {'] + self.block(inner(), r.randrange(1, 4))
        return lines + ['}']

    def switch(self, scope):
        r = self.r
        t = r.choice(['u32', 'i32', 'u8', 'u64'])
        cases = r.randrange(2, 9)
        values = list(range(cases)) if self.chance(0.7) else \
            sorted(r.sample(range(64), cases))
        lines = ['switch ((%s)(%s %% %d)) {' % (
            t, self.expression(scope, 'u32', 2), values[-1] + 2)]
        for v in values:
            inner = scope.inner(loop='switch', mask=None)
            lines += ['case %d: {' % v] + self.block(inner, r.randrange(1, 3)) + ['}']
            if self.chance(0.75):
                lines += ['break;']
        if self.chance(0.7):
            inner = scope.inner(loop='switch', mask=None)
            lines += ['default: {'] + self.block(inner, 1) + ['}']
        return lines + ['}']

    def leave(self, scope):
        kinds = []
        if scope.loop:
            kinds.append('break;')
        if scope.continues:
            kinds.append('continue;')
        if scope.returns and self.chance(0.3):
            kinds = ['return;'] if scope.returns == 'void' else \
                ['return %s;' % self.expression(scope, scope.returns, 1)]
        if not kinds:
            return self.assign(scope)
        return ['if (%s)' % self.condition(scope, 2), self.r.choice(kinds)]

    # ---- assignments ----

    def assign(self, scope):
        n, t = self.r.choice(scope.variables)
        r = self.r
        if self.chance(0.25):
            if t in FLOAT:
                return ['%s %s= %s;' % (n, r.choice('+-*'),
                                        self.expression(scope, t, 2))]
            if not signed(t):
                return ['%s %s= %s;' % (n, r.choice('+-*&|^'),
                                        self.expression(scope, t, 2))]
        return ['%s = %s;' % (n, self.expression(scope, t, r.choice([1, 2, 2, 3])))]

    def array(self, scope):
        if not scope.arrays:
            return self.assign(scope)
        n, t, k = self.r.choice(scope.arrays)
        return ['%s[%s] = %s;' % (n, self.index(scope, k), self.expression(
            scope, t, 2))]

    def declare(self, scope):
        """A variable or an array of the block's own."""
        t = self.r.choice(TYPES)
        n = self.name('x')
        if self.chance(0.8) or scope.times > 20:
            line = '%s %s = %s;' % (t, n, self.expression(scope, t, 2))
            scope.variables.append((n, t))
            return [line]
        k, j = self.r.choice([2, 4, 8]), self.name('j')
        inner = scope.inner(times=scope.times * k, mask=None)
        inner.counters.append((j, 'u32'))
        lines = ['%s %s[%d];' % (t, n, k),
                 'for (u32 %s = 0; %s < %d; %s++)' % (j, j, k, j),
                 '%s[%s] = %s;' % (n, j, self.expression(inner, t, 1))]
        scope.arrays.append((n, t, k))
        return lines

    def memory(self, scope):
        """Words of the thread's own, its place in shared memory, or what all
        threads change together."""
        kinds = scope.__dict__.get('stores', [])
        if not kinds:
            return self.assign(scope)
        kind = self.r.choice(kinds)
        if kind == 'own':
            view, k = self.r.choice([('u32', 8), ('u16', 16), ('i8', 32), ('u64', 4),
                                     ('f32', 8)])
            if view == 'f32':
                return ['g[%s] = bits_f32(%s);' % (self.index(scope, 8),
                                                   self.expression(scope, 'f32', 2))]
            return ['((%s *)g)[%s] = %s;' % (view, self.index(scope, k),
                                             self.expression(scope, view, 2))]
        if kind == 'read':
            n, t = self.r.choice(scope.variables)
            return ['%s = %s;' % (n, self.convert(
                'g[%s]' % self.index(scope, 8), 'u32', t))]
        if ':' in kind:
            name, t = kind.split(':')
            return ['%s[tid] = %s;' % (name, self.expression(scope, t, 2))]
        op, at = self.r.choice([('add', 0), ('add', 1), ('or', 2), ('and', 3),
                                ('xor', 4), ('min', 5), ('max', 6)])
        return ['all_%s(&%s[%d], (u32)%s);' % (
            op, kind, at, self.expression(scope, 'u32', 2))]

    def procedure(self, scope):
        """A call that writes through pointers."""
        kinds = scope.__dict__.get('procedures', [])
        if not kinds:
            return self.assign(scope)
        p = self.r.choice(kinds)
        arguments = []
        for t in p['pointers']:
            same = [n for n, s in scope.variables if s == t and '[' not in n]
            if not same:
                return self.assign(scope)
            arguments.append('&' + self.r.choice(same))
        if len(set(arguments)) < len(arguments):
            return self.assign(scope)
        arguments += [self.expression(scope, t, 1) for t in p['parameters']]
        self.cost += scope.times * p['cost']
        return ['%s(%s);' % (p['name'], ', '.join(arguments))]

    # ---- all of them ----

    def kinds(self, scope):
        few = scope.depth >= 4 or scope.times >= BUDGET // 2
        kinds = [(self.assign, 30), (self.array, 10), (self.declare, 8),
                 (self.memory, 10), (self.procedure, 6), (self.leave, 6)]
        if not few:
            kinds += [(self.loop, 16), (self.turned, 4), (self.branch, 12),
                      (self.switch, 4)]
        return kinds

    def statement(self, scope):
        kinds = self.kinds(scope)
        pick = self.r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        return pick(scope)

    def block(self, scope, count):
        lines = []
        for _ in range(count):
            if self.cost > self.limit or self.size > self.most:
                break
            lines += self.statement(scope)
            self.size += 1
        return lines or self.assign(scope)
