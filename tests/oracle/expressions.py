"""Random C expressions whose value the language determines."""
import random

WIDTH = {'i8': 8, 'u8': 8, 'i16': 16, 'u16': 16, 'i32': 32, 'u32': 32,
         'i64': 64, 'u64': 64}
WHOLE = list(WIDTH)
FLOAT = ['f32', 'f64']
TYPES = WHOLE + FLOAT


def signed(t):
    return t[0] == 'i'


def unsigned_of(t):
    """The type in which sums of t are made."""
    return 'u64' if WIDTH[t] == 64 else 'u32'


def wrap(t, value):
    value &= (1 << WIDTH[t]) - 1
    if signed(t) and value >> (WIDTH[t] - 1):
        value -= 1 << WIDTH[t]
    return value


def literal(t, value):
    value &= (1 << WIDTH[t]) - 1
    suffix = 'ull' if WIDTH[t] == 64 else 'u'
    return '(%s)%#x%s' % (t, value, suffix)


class Scope:
    """What a place of the code may use."""

    def __init__(self, **given):
        self.variables = []    # (name, type), assignable
        self.counters = []     # (name, type), only read
        self.arrays = []       # (name, type, elements), a thread's own
        self.shared = []       # (name, type, elements), only read here
        self.functions = []
        self.depth = 0
        self.times = 1         # how often this place may be reached
        self.loop = None       # what break leaves: 'loop', 'switch'
        self.continues = False
        self.returns = None    # what a return gives: 'void', a type, or none
        self.mask = None       # the lanes that are here, in the GPU's kernels
        self.__dict__.update(given)

    def inner(self, **given):
        s = Scope(**self.__dict__)
        for name in ('variables', 'counters', 'arrays'):
            setattr(s, name, list(getattr(self, name)))
        s.depth += 1
        s.__dict__.update(given)
        return s


class Expressions:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.cost = 0
        self.names = 0

    def name(self, stem):
        self.names += 1
        return '%s_%d' % (stem, self.names)

    def chance(self, p):
        return self.r.random() < p

    # ---- leaves ----

    def number(self, t):
        r = self.r
        if t in FLOAT:
            value = r.choice(['0.5', '1.25', '-7.75', '3.0', '1e10', '-1e-30',
                              '0.1', '1e30', '-0.0', '%d.0' % r.randrange(-999, 999)])
            return '(%s)%s%s' % (t, value, 'f' if t == 'f32' else '')
        w = WIDTH[t]
        value = r.choice([0, 1, 2, 3, 5, 7, 10, 100, -1, -2, -3, (1 << (w - 1)),
                          (1 << (w - 1)) - 1, 1 << r.randrange(w),
                          (1 << r.randrange(1, w)) - 1, r.getrandbits(w),
                          r.getrandbits(8)])
        return literal(t, value)

    def convert(self, text, source, t):
        if source == t:
            return text
        if source in FLOAT and t in WHOLE:
            way = t if WIDTH[t] >= 32 else 'i32'
            return '(%s)%s_of_%s(%s)' % (t, way, source, text)
        return '(%s)(%s)' % (t, text)

    def index(self, scope, elements, depth=1):
        """An index of an array whose elements are a power of two."""
        return '(%s) & %d' % (self.expression(scope, 'u32', depth), elements - 1)

    def leaf(self, scope, t):
        r = self.r
        kind = r.random()
        known = scope.variables + scope.counters
        same = [n for n, s in known if s == t]
        if same and kind < 0.55:
            return r.choice(same)
        if known and kind < 0.75:
            n, s = r.choice(known)
            return self.convert(n, s, t)
        if scope.arrays and kind < 0.83:
            a = r.choice(scope.arrays)
            return self.convert('%s[%s]' % (a[0], self.index(scope, a[2], 0)),
                                a[1], t)
        if scope.shared and kind < 0.90:
            a = r.choice(scope.shared)
            return self.convert('%s[%s]' % (a[0], self.index(scope, a[2], 0)),
                                a[1], t)
        if kind < 0.93 and getattr(scope, 'reads', None):
            return self.convert('%s[%s]' % (scope.reads, self.index(scope, 256, 0)),
                                'u32', t)
        return self.number(t)

    # ---- inner nodes ----

    def condition(self, scope, depth):
        r = self.r
        kind = r.random()
        if depth > 0 and kind < 0.15:
            return '(%s %s %s)' % (self.condition(scope, depth - 1),
                                   r.choice(['&&', '||', '!=']),
                                   self.condition(scope, depth - 1))
        if kind < 0.2:
            return '!(%s)' % self.expression(scope, r.choice(WHOLE), depth)
        if kind < 0.35:
            return '((%s) >> %d & 1)' % (self.expression(scope, 'u32', depth),
                                         r.randrange(6))
        t = r.choice(TYPES)
        return '(%s %s %s)' % (self.expression(scope, t, depth - 1),
                               r.choice(['<', '<=', '>', '>=', '==', '!=', '<']),
                               self.expression(scope, t, depth - 1))

    def expression(self, scope, t, depth):
        self.cost += scope.times
        if depth <= 0:
            return self.leaf(scope, t)
        if t in FLOAT:
            return self.of_float(scope, t, depth)
        return self.of_whole(scope, t, depth)

    def of_float(self, scope, t, depth):
        r = self.r
        a = self.expression(scope, t, depth - 1)
        kind = r.random()
        if kind < 0.6:
            return '(%s %s %s)' % (a, r.choice('+-*'),
                                   self.expression(scope, t, depth - 1))
        if kind < 0.66:
            return '(%s / %s)' % (a, self.expression(scope, t, depth - 1))
        if kind < 0.74:
            return 'fused_%s(%s, %s, %s)' % (t, a, self.leaf(scope, t),
                                             self.leaf(scope, t))
        if kind < 0.78:
            return 'root_%s(%s)' % (t, a)
        if kind < 0.86:
            s = r.choice(['i32', 'u32', 'i64', 'u64', 'i8'])
            return '(%s)%s' % (t, self.expression(scope, s, depth - 1))
        if kind < 0.93:
            return '(%s ? %s : %s)' % (self.condition(scope, 1), a,
                                       self.leaf(scope, t))
        other = 'f32' if t == 'f64' else 'f64'
        return '(%s)%s' % (t, self.expression(scope, other, depth - 1))

    def of_whole(self, scope, t, depth):
        r = self.r
        c = unsigned_of(t)
        sub = lambda s=t: self.expression(scope, s, depth - 1)
        kind = r.random()
        if kind < 0.36:
            return '(%s)((%s)%s %s (%s)%s)' % (t, c, sub(), r.choice('+-*+-'),
                                               c, sub())
        if kind < 0.48:
            return '(%s)(%s %s %s)' % (t, sub(), r.choice('&|^'), sub())
        if kind < 0.58:
            n = r.choice(['%d' % r.randrange(WIDTH[t]), '(%s & %d)' % (
                self.expression(scope, 'u32', 0), WIDTH[t] - 1)])
            if self.chance(0.5):
                return '(%s)((%s)%s << %s)' % (t, c, sub(), n)
            return '(%s)(%s >> %s)' % (t, sub(), n)
        if kind < 0.64:
            return '%s_%s(%s, %s)' % (r.choice(['quotient', 'remainder']), t,
                                      sub(), sub())
        if kind < 0.68:
            d = r.choice([3, 5, 7, 10, 12, 100, 127])
            return '(%s)(%s %s %d)' % (t, sub(), r.choice('/%'), d)
        if kind < 0.74:
            return '%s_%s(%s, %s)' % (r.choice(['smaller', 'larger']), t, sub(),
                                      sub())
        if kind < 0.80:
            return '(%s ? %s : %s)' % (self.condition(scope, 1), sub(), sub())
        if kind < 0.84:
            return '(%s)(%s%s)' % (t, r.choice(['~', '0u - ']), sub())
        if kind < 0.88:
            return '(%s)%s' % (t, self.condition(scope, depth - 1))
        if kind < 0.93:
            return self.intrinsic(scope, t, depth)
        if kind < 0.97 and scope.functions:
            return self.call(scope, t, depth)
        return self.converted(scope, t, depth)

    def converted(self, scope, t, depth):
        s = self.r.choice(TYPES)
        return self.convert(self.expression(scope, s, depth - 1), s, t)

    def intrinsic(self, scope, t, depth):
        r = self.r
        e = lambda s: self.expression(scope, s, depth - 1)
        text = r.choice([
            lambda: 'ones(%s)' % e('u32'), lambda: 'ones_64(%s)' % e('u64'),
            lambda: 'zeros_before(%s)' % e('u32'),
            lambda: 'zeros_before_64(%s)' % e('u64'),
            lambda: 'first_one(%s)' % e('u32'),
            lambda: 'high(%s, %s)' % (e('u32'), e('u32')),
            lambda: 'high_signed(%s, %s)' % (e('i32'), e('i32')),
            lambda: 'high_64(%s, %s)' % (e('u64'), e('u64')),
            lambda: 'backwards(%s)' % e('u32'),
            lambda: 'bytes_of(%s, %s, %s)' % (e('u32'), e('u32'), e('u32')),
            lambda: 'funnel(%s, %s, %s)' % (e('u32'), e('u32'), e('u32')),
            lambda: 'apart(%s, %s, %s)' % (e('i32'), e('i32'), e('u32')),
            lambda: 'bits_f32(%s)' % e('f32'), lambda: 'bits_f64(%s)' % e('f64'),
        ])()
        return '(%s)%s' % (t, text)

    def call(self, scope, t, depth):
        f = self.r.choice(scope.functions)
        self.cost += scope.times * f['cost']
        text = '%s(%s)' % (f['name'], ', '.join(
            self.expression(scope, p, depth - 1) for p in f['parameters']))
        return self.convert(text, f['type'], t)
