"""Random kernels: a module of them for a GPU's compiler and for the host's."""
from expressions import FLOAT, Scope, TYPES, WHOLE, signed
from shapes import Shapes
from statements import Statements
from warps import HEADER, MOVED, Warps

BLOCKS = [(32, 1), (64, 1), (64, 1), (96, 1), (128, 1), (33, 1), (50, 1), (7, 1),
          (100, 1), (8, 8), (16, 3), (5, 9)]
SEEDS = {'i8': '(i8)(n * 7 + tid)', 'u8': '(u8)(tid + n)', 'i16': '(i16)(tid * n)',
         'u16': '(u16)(tid ^ n)', 'i32': '(i32)(tid * 3 - n)',
         'u32': 'in[(tid + n) & 255]',
         'i64': '(i64)in[(tid * 5 + n) & 255] - (i64)2147483648',
         'u64': '(u64)in[(tid + 9 * n) & 255] * 0x9E3779B97F4A7C15ull',
         'f32': '(f32)(i32)(tid * 11 - n) * 0.25f',
         'f64': '(f64)(i32)(in[(tid + n) & 255]) / 1024.0'}


class Module(Shapes):
    """Draws a module of kernels by a seed."""

    def __init__(self, seed, count, lanes, across=False, limit=900):
        self.draw = (Warps if lanes else Statements)(seed)
        self.draw.across = across
        self.r, self.lanes, self.limit = self.draw.r, lanes, limit
        self.functions, self.procedures, self.talks = [], [], []
        self.text, self.kernels = [], []
        for _ in range(self.r.randrange(4, 9)):
            self.function()
        if not lanes:
            self.shapes()
        for _ in range(self.r.randrange(2, 5)):
            self.procedure()
        if lanes:
            for _ in range(4):
                self.talk()
        self.ends = []
        for k in range(count):
            self.kernel('k%d' % k)
            self.ends.append(len(self.text))

    # ---- functions ----

    def body(self, scope, count, limit):
        before, self.draw.cost, self.draw.limit = self.draw.cost, 0, limit
        self.draw.size = 0
        lines = self.draw.block(scope, count)
        cost, self.draw.cost = self.draw.cost, before
        return lines, cost

    def attribute(self):
        return self.r.choice(['DEVICE', 'NOINLINE'])

    def function(self):
        r, d = self.r, self.draw
        name, t = d.name('f'), r.choice(TYPES)
        parameters = [r.choice(TYPES) for _ in range(r.randrange(1, 5))]
        names = ['a%d' % i for i in range(len(parameters))]
        scope = Scope(variables=list(zip(names, parameters)) + [('acc', 'u32')],
                      functions=self.functions[-2:], returns=t)
        before = scope.inner()
        lines, cost = self.body(scope, r.randrange(1, 4), 40)
        self.text += ['%s %s %s(%s)' % (self.attribute(), t, name, ', '.join(
            '%s %s' % p for p in zip(parameters, names))), '{', 'u32 acc = 3;']
        if self.draw.chance(0.12):
            self.text += ['if (a0 == a0 && (u32)%s %% 5 != 0)' % (
                d.convert('a0', parameters[0], 'u32'))]
            self.text += ['return %s;' % d.expression(before, t, 1)]
        self.text += lines
        self.text += ['return (%s)(%s);' % (t, d.expression(scope, t, 2)), '}', '']
        self.functions.append({'name': name, 'type': t, 'parameters': parameters,
                               'cost': cost + 3})

    def procedure(self):
        r, d = self.r, self.draw
        name = d.name('p')
        pointers = [r.choice(['i32', 'u32', 'i64', 'f32', 'u8'])
                    for _ in range(r.randrange(1, 3))]
        parameters = [r.choice(TYPES) for _ in range(r.randrange(0, 3))]
        variables = [('*p%d' % i, t) for i, t in enumerate(pointers)]
        variables += [('a%d' % i, t) for i, t in enumerate(parameters)]
        scope = Scope(variables=[('(%s)' % n if n[0] == '*' else n, t)
                                 for n, t in variables] + [('acc', 'u32')],
                      functions=self.functions[-2:], returns='void')
        lines, cost = self.body(scope, r.randrange(1, 4), 40)
        arguments = ['%s *p%d' % (t, i) for i, t in enumerate(pointers)]
        arguments += ['%s a%d' % (t, i) for i, t in enumerate(parameters)]
        self.text += ['%s void %s(%s)' % (self.attribute(), name,
                                          ', '.join(arguments)),
                      '{', 'u32 acc = 5;', *lines, '}', '']
        self.procedures.append({'name': name, 'pointers': pointers,
                                'parameters': parameters, 'cost': cost + 3})

    def talk(self):
        """A function whose lanes, those of the mask m, talk to each other."""
        r, d = self.r, self.draw
        name, t = d.name('t'), r.choice(MOVED)
        scope = Scope(variables=[('a', 'u32'), ('b', 'i32'), ('acc', 'u32')],
                      functions=self.functions[-2:], mask='m', depth=2)
        lines, cost = self.body(scope, r.randrange(2, 4), 60)
        self.text += ['%s %s %s(u32 m, u32 lane, u32 tid, struct lanes *s, u32 a, '
                      'i32 b)' % (self.attribute(), t, name), '{', 'u32 acc = 9;',
                      *lines, 'return (%s)(%s);' % (t, d.expression(scope, t, 2)),
                      '}', '']
        self.talks.append({'name': name, 'type': t, 'cost': cost + 3})

    # ---- kernels ----

    def kernel(self, name):
        r = self.r
        block = r.choice(BLOCKS)
        threads, grid = block[0] * block[1], r.choice([1, 1, 2, 3])
        padded = 1 << (threads - 1).bit_length()
        fields = [('v%d' % i, r.choice(TYPES)) for i in range(r.randrange(4, 9))]
        arrays = [('a%d' % i, r.choice(TYPES), r.choice([2, 4, 8, 16]))
                  for i in range(r.randrange(0, 3))]
        shared = [('w%d' % i, r.choice(TYPES)) for i in range(2)]
        parameters = [('q%d' % i, r.choice(WHOLE)) for i in range(r.randrange(0, 3))]
        self.frame(name, padded, fields, arrays, shared, parameters)
        phases = r.choice([1, 1, 2, 2, 3])
        for p in range(phases):
            self.phase(name, p, fields, arrays, shared, parameters, padded)
        self.last(name, fields, arrays)
        exits = not self.lanes and r.random() < 0.25
        if exits:
            self.text += ['DEVICE u32 %s_exit%s' % (name, self.signature(name)), '{',
                          'return tid %s %d;' % (r.choice(['>=', '<', '!=']),
                                                 r.randrange(threads)), '}', '']
        self.text += ['KERNEL(%s%s)' % (name, ''.join(
            ', u32 n' if i == 0 else ', %s %s' % (t, q)
            for i, (q, t) in enumerate([('n', 'u32')] + parameters))), '{',
            'BEGIN(%s)' % name, 'SET(n)']
        self.text += ['SET(%s)' % q for q, _ in parameters]
        self.text += ['PHASE(%s_first)' % name]
        if exits:
            self.text += ['EXIT_IF(%s_exit)' % name]
        calls = ['PHASE(%s_%d)' % (name, p) for p in range(phases)]
        if phases > 1 and r.random() < 0.3:
            calls = ['for (u32 round = 0; round < %d; round++) {' % r.choice(
                [2, 3])] + calls[:2] + ['}'] + calls[2:]
        self.text += calls + ['PHASE(%s_last)' % name, 'END', '}', '']
        self.kernels.append({
            'name': name, 'grid': grid, 'block': block,
            'bytes': grid * threads * (32 + 32) + 64,
            'arguments': [('u32', r.randrange(100))] + [
                (t, r.choice([0, 1, 5, -9 if signed(t) else 9, r.getrandbits(7)]))
                for _, t in parameters]})

    def signature(self, name):
        return ('(struct %s_v *v, struct %s_s *s, const u32 *in, u64 *out, u32 *g, '
                'u32 *ga, u32 tid, u32 bid, u32 nt)' % (name, name))

    def frame(self, name, padded, fields, arrays, shared, parameters):
        """A thread's variables, a block's shared memory, and the first phase."""
        t = ['struct %s_v {' % name, 'u32 n;']
        t += ['%s %s;' % (k, q) for q, k in parameters + fields]
        t += ['%s %s[%d];' % (k, n, e) for n, k, e in arrays] + ['};']
        t += ['struct %s_s%s {' % (name, ' : lanes' if self.lanes else '')]
        t += ['%s %s[%d];' % (k, n, padded) for n, k in shared]
        t += ['u32 all[2][8];', '};', '']
        t += ['DEVICE void %s_first%s' % (name, self.signature(name)), '{',
              'const u32 n = v->n;', 'for (u32 i = tid; i < %d; i += nt) {' % padded]
        t += ['s->%s[i] = (%s)(i * 3);' % (n, k) for n, k in shared]
        t += ['}', 'for (u32 i = tid; i < 16; i += nt)',
              's->all[i >> 3][i & 7] = i * 77;',
              'for (u32 i = 0; i < 8; i++)', 'g[i] = tid + i;']
        t += ['v->%s = %s;' % (n, SEEDS[k]) for n, k in fields]
        for n, k, e in arrays:
            t += ['for (u32 i = 0; i < %d; i++)' % e,
                  'v->%s[i] = (%s)(i32)(in[(i + tid) & 255] >> 16);' % (n, k)]
        self.text += t + ['}', '']

    def phase(self, name, p, fields, arrays, shared, parameters, padded):
        r, d = self.r, self.draw
        local = [f for f in fields if r.random() < 0.7]
        variables = [(n if (n, t) in local else 'v->' + n, t) for n, t in fields]
        here, there = p % 2, 1 - p % 2
        scope = Scope(
            variables=variables + [('acc', 'u32')],
            counters=[('v->' + q, t) for q, t in parameters] + [
                ('tid', 'u32'), ('bid', 'u32'), ('v->n', 'u32')],
            arrays=[('v->' + n, t, e) for n, t, e in arrays],
            shared=[('s->' + shared[there][0], shared[there][1], padded),
                    ('s->all[%d]' % there, 'u32', 8)],
            functions=self.functions, returns=None if self.lanes else 'void')
        scope.reads, scope.procedures = 'in', self.procedures
        scope.stores = ['own', 'read', 's->%s:%s' % shared[here],
                        's->all[%d]' % here, 'ga']
        head = ['const u32 lane = tid & 31;',
                'const u32 m = __ballot_sync(%s, 1);' % r.choice(
                    ['0xffffffffu', 'nt - (tid & ~31u) >= 32 ? 0xffffffffu : '
                     '(1u << (nt & 31)) - 1'])] if self.lanes else []
        if self.lanes:
            scope.mask, scope.talks = 'm', self.talks
            scope.counters.append(('lane', 'u32'))
        lines, _ = self.body(scope, r.randrange(2, 6), self.limit)
        self.text += ['%s void %s_%d%s' % (self.attribute(), name, p,
                                           self.signature(name)), '{',
                      'u32 acc = tid;', *head]
        self.text += ['%s %s = v->%s;' % (t, n, n) for n, t in local] + lines
        self.text += ['v->%s = %s;' % (n, n) for n, _ in local]
        self.text += ['g[7] += acc;', '}', '']

    def last(self, name, fields, arrays):
        """Puts all that a thread has into four words."""
        t = ['DEVICE void %s_last%s' % (name, self.signature(name)), '{',
             'u64 h[4] = {1, 2, 3, 4};']
        bits = lambda n, k: 'bits_%s(%s)' % (k, n) if k in FLOAT else n
        for i, (n, k) in enumerate(fields):
            t += ['h[%d] = h[%d] * 0x9E3779B97F4A7C15ull + (u64)%s;' % (
                i & 3, i & 3, bits('v->' + n, k))]
        for i, (n, k, e) in enumerate(arrays):
            t += ['for (u32 i = 0; i < %d; i++)' % e,
                  'h[%d] = h[%d] * 0xD6E8FEB86659FD93ull + (u64)%s;' % (
                      i & 3, i & 3, bits('v->%s[i]' % n, k))]
        t += ['for (u32 i = 0; i < 4; i++)',
              'out[(bid * nt + tid) * 4 + i] = h[i] + s->all[0][i] + '
              '((u64)s->all[1][i] << 32);', '}', '']
        self.text += t

    def source(self, count=None):
        """All of it, or what the first `count` kernels need."""
        head = ['#include "both_sides.cuh"', '']
        if self.lanes:
            head += [HEADER, 'struct lanes {', 'u32 warp[128];', '};', '']
        end = self.ends[count - 1] if count else len(self.text)
        return '\n'.join(head + self.text[:end])
