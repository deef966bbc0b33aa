"""Functions of kinds that compilers make special code of: recursion, calls through
pointers, structs by value, unions, tables of constants, long switches, jumps."""
from expressions import Scope, TYPES, WHOLE


class Shapes:
    """What a module of kernels for the host has besides."""

    def shapes(self):
        for form in (self.structs, self.union, self.constants, self.jumps,
                     self.long_switch, self.wide, self.buffers,
                     self.through_pointers, self.recursion):
            if self.draw.chance(0.6):
                form()

    def some(self, parameters, t='u32', depth=2):
        """An expression of parameters."""
        scope = Scope(variables=parameters, functions=self.functions[-1:])
        return self.draw.expression(scope, t, depth)

    def add(self, name, t, parameters, cost, lines):
        self.text += lines + ['']
        self.functions.append({'name': name, 'type': t, 'parameters': parameters,
                               'cost': cost})

    def structs(self):
        d, r = self.draw, self.r
        s, f, g = d.name('s'), d.name('f'), d.name('f')
        kinds = [r.choice(TYPES) for _ in range(r.choice([2, 3, 5]))]
        members = [('m%d' % i, t) for i, t in enumerate(kinds)]
        given = [('a', 'u32'), ('b', 'i64')]
        inside = [('x.' + m, t) for m, t in members] + [('a', 'u32')]
        self.text += ['struct %s { %s };' % (s, ' '.join(
            '%s %s;' % (t, m) for m, t in members))]
        self.text += ['%s struct %s %s(struct %s x, u32 a)' % (
            self.attribute(), s, f, s), '{', 'struct %s y = x;' % s]
        for m, t in members:
            self.text += ['y.%s = %s;' % (m, self.some(inside, t))]
        self.text += ['if (%s)' % d.condition(Scope(variables=inside), 1), 'return x;',
                      'return y;', '}', '']
        body = ['struct %s q[2], x;' % s]
        for m, t in members:
            body += ['x.%s = %s;' % (m, self.some(given, t, 1))]
        body += ['q[0] = %s(x, a);' % f, 'q[1] = %s(q[0], a + 1);' % f,
                 'x = q[a >> 3 & 1];']
        self.add(g, 'u64', ['u32', 'i64'], 20, [
            '%s u64 %s(u32 a, i64 b)' % (self.attribute(), g), '{', *body,
            'return %s;' % self.some(inside, 'u64'), '}'])

    def union(self):
        d, r = self.draw, self.r
        f, u = d.name('f'), d.name('u')
        self.add(f, 'u32', ['u32', 'u64'], 12, [
            'union %s { u64 all; u32 half[2]; u16 part[4]; i8 byte[8];' % u,
            'struct { u32 a : %d; i32 b : %d; u32 c : %d; } bits; };' % (
                r.randrange(1, 12), r.randrange(2, 12), r.randrange(1, 8)),
            '%s u32 %s(u32 a, u64 b)' % (self.attribute(), f), '{',
            'union %s x; x.all = b;' % u,
            'x.byte[a & 7] = (i8)%s;' % self.some([('a', 'u32')], 'u32', 1),
            'x.part[a >> 3 & 3] ^= (u16)%s;' % self.some([('a', 'u32')], 'u32', 1),
            'x.bits.%s += a & 1;' % r.choice('ac'),
            'return (u32)x.bits.a + (u32)x.bits.b * 3 + x.half[a & 1] + '
            '(u32)x.byte[a >> 5 & 7];', '}'])

    def constants(self):
        d, r = self.draw, self.r
        f, c, t = d.name('f'), d.name('c'), r.choice(WHOLE)
        values = ', '.join('(%s)%d' % (t, r.getrandbits(7)) for _ in range(16))
        other = d.name('c')
        self.add(f, 'u64', ['u32', 'u32'], 4, [
            'TABLE %s %s[16] = {%s};' % (t, c, values),
            'TABLE %s %s[4] = {%s};' % (t, other, ', '.join(values.split(', ')[:4])),
            '%s u64 %s(u32 a, u32 b)' % (self.attribute(), f), '{',
            'const %s *p = (b & 3) ? &%s[a & 7] : %s;' % (t, c, other),
            'return (u64)(p[b & 3] + %s[(a ^ b) & 15] * 3);' % c, '}'])

    def jumps(self):
        """Loops of jumps, one of them entered in its middle."""
        f = self.draw.name('f')
        given = [('a', 'u32'), ('b', 'u32'), ('i', 'u32')]
        self.add(f, 'u32', ['u32', 'u32'], 40, [
            '%s u32 %s(u32 a, u32 b)' % (self.attribute(), f), '{',
            'u32 i = 0;', 'if (%s) goto middle;' % self.draw.condition(
                Scope(variables=given), 1),
            'top:', 'a = %s;' % self.some(given), 'if (a %% %d == 1) goto out;' %
            self.r.choice([3, 5, 8]), 'middle:', 'b = %s;' % self.some(given),
            'if (++i < %d) goto top;' % self.r.choice([2, 5, 9]),
            'out:', 'return a * 31 + b;', '}'])

    def long_switch(self):
        f = self.draw.name('f')
        given = [('a', 'u32'), ('b', 'u32')]
        cases = []
        for k in range(self.r.choice([9, 17, 30])):
            cases += ['case %d: x %s= %s;' % (
                k, self.r.choice('+^|'), self.some(given, 'u32', 1)),
                self.r.choice(['break;', 'break;', ''])]
        self.add(f, 'u32', ['u32', 'u32'], 10, [
            '%s u32 %s(u32 a, u32 b)' % (self.attribute(), f), '{',
            'u32 x = a;', 'switch (a & 31) {', *cases, 'break; default: x -= b; }',
            'return x;', '}'])

    def wide(self):
        f = self.draw.name('f')
        self.add(f, 'u64', ['u64', 'i64'], 12, [
            '%s u64 %s(u64 a, i64 b)' % (self.attribute(), f), '{',
            'unsigned __int128 x = (unsigned __int128)a * (u64)b;',
            'x += (unsigned __int128)a << %d;' % self.r.randrange(128),
            '__int128 y = (__int128)b * %d;' % self.r.randrange(-999, 999),
            'x ^= (unsigned __int128)(y >> %d);' % self.r.randrange(128),
            'return (u64)(x >> 64) * 3 + (u64)x + (y < (__int128)a);', '}'])

    def buffers(self):
        """Bytes of a local array, copied and looked at in other widths."""
        f, n = self.draw.name('f'), self.r.choice([16, 24, 40])
        self.add(f, 'u32', ['u32', 'u64'], n, [
            '%s u32 %s(u32 a, u64 b)' % (self.attribute(), f), '{',
            'u8 x[%d], y[%d];' % (n, n),
            'for (u32 i = 0; i < %d; i++)' % n, 'x[i] = (u8)(a + i * (u32)b);',
            '__builtin_memcpy(y, x + (a & 7), %d);' % (n - 8),
            '__builtin_memcpy(y + %d, &b, 8);' % (n - 8),
            'u32 h = 0, w;', 'for (u32 i = 0; i + 4 <= %d; i += %d) {' % (
                n, self.r.choice([1, 3, 4])),
            '__builtin_memcpy(&w, y + i, 4);', 'h = h * 5 + w; }', 'return h;', '}'])

    def through_pointers(self):
        d, r = self.draw, self.r
        f, t = d.name('f'), d.name('t')
        names = [d.name('o') for _ in range(4)]
        lines = []
        for n in names:
            lines += ['NOINLINE u32 %s(u32 a, u32 b) { return %s; }' % (
                n, self.some([('a', 'u32'), ('b', 'u32')]))]
        self.add(f, 'u32', ['u32', 'u32', 'u32'], 10, lines + [
            'POINTERS u32 (*const %s[4])(u32, u32) = {%s};' % (t, ', '.join(names)),
            '%s u32 %s(u32 k, u32 a, u32 b)' % (self.attribute(), f), '{',
            'return %s[k & 3](a, b);' % t, '}'])

    def recursion(self):
        d, r = self.draw, self.r
        f, g, t = d.name('f'), d.name('r'), r.choice(['u32', 'i64', 'u16', 'f32'])
        inside = [('n', 'u32'), ('a', t)]
        self.add(f, t, ['u32', t], 40, [
            'NOINLINE %s %s(u32 n, %s a)' % (t, g, t), '{',
            'if (n == 0)', 'return %s;' % self.some(inside, t, 1),
            'const %s b = %s(n - 1, %s);' % (t, g, self.some(inside, t, 1)),
            'return %s;' % self.some(inside + [('b', t)], t, 2), '}',
            '%s %s %s(u32 n, %s a) { return %s(n & 7, a); }' % (
                self.attribute(), t, f, t, g)])
