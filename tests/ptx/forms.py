#!/usr/bin/env python3
"""Forms of PTX, drawn from a grammar, and what ptxas says of each.

usage: forms.py check READER     the reader agrees with the verdicts that are kept
       forms.py show READER      the forms on which it does not
       forms.py make PTXAS       asks ptxas, and keeps its verdicts
       forms.py list             the forms with their verdicts
       forms.py other PTXAS READER SEED
                                 asks both about other forms, and keeps nothing

Forms are drawn from forms.insns, a row each way to write an operation, and from
forms.modules, a row each of what stands in a module. Half of them are accepted
ones with one token changed: left out, repeated, put in or exchanged. Verdicts
stand in forms.txt, a line a row: for each form + or -, where ptxas took it
followed by the verdict on its mutant. READER is forms_read. A form whose kind
not_asked.txt lists is not asked.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERDICTS = os.path.join(HERE, "forms.txt")
HEAD = os.path.join(HERE, "forms.head")
FORMS_A_ROW = 14
VERSIONS = ["8.0", "8.0", "8.0", "9.0", "9.0", "7.8"]
TARGET = "sm_90"
END_OF_LINE = "\x01"  # in a form

SIZES = {"8": "h", "16": "h", "32": "w", "64": "d"}
NUMBERS = ["0", "1", "3", "7", "17", "31", "32", "64", "255", "256", "-1",
           "-2", "0x80000000", "0xffffffff", "100000"]
WIDE = ["0x100000000", "0x123456789abcdef", "-5000000000"]
FLOATS = ["0f3F800000", "0f00000000", "1.5", "0d3FF0000000000000", "-2.0"]
OTHERS = ["p1", "!p2", "L1", "%tid.x", "%clock64", "[bd1]", "[gv]", "[sv+4]",
          "{bw1, bw2}", "gv", "_", "%tid", "T1", "C1", "(bw1)", "[lv]",
          "[cv]", "[pv]", "[16]", "[gv+bw0]", "[bw0+-4]", "gv[1]",
          "{1, bw2}", "{bw1, _}", "{bh0, bh1}", "{bw0, bw1, bw2, bw3}",
          "-bw1", "!bw1", "~5", "5U", "WARP_SZ", "1.0 + 2.0", "1 << 4",
          "pa", "bd0.x", "%laneid", "bw0.b1", "[fw0]", "[bd1+4+4]", "[bd1-4]"]


class Draw:
    """Numbers that are the same everywhere."""

    def __init__(self, text):
        self.state = 14695981039346656037
        for byte in text.encode():
            self.state = (self.state ^ byte) * 1099511628211 % 2**64

    def below(self, n):
        self.state = (self.state * 6364136223846793005 +
                      1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def of(self, items):
        return items[self.below(len(items))]


def of_type(d, name):
    """A register's name for a type of instructions."""
    m = re.fullmatch(r"([busf]|bf)(\d+)(x2)?", name)
    if not m:
        return "bw"
    kind, bits, pair = m.groups()
    if pair:
        return d.of(["bw", "bw", "fv"]) if kind == "f" else "bw"
    size = SIZES.get(bits, "w")
    own = {"b": "b", "u": "u", "s": "i", "f": "f", "bf": "b"}[kind]
    draw = d.below(20)
    if draw < 12:
        return own + size
    if draw < 19:
        return "b" + size
    return d.of("buif") + size


def number(d, name):
    if name.startswith(("f", "bf")):
        return d.of(FLOATS)
    if name.endswith("64") and not d.below(3):
        return d.of(WIDE)
    return d.of(NUMBERS[:9] if name == "u32" else NUMBERS)


def address(d, space):
    names = {"global": ["gv"], "shared": ["sv"], "local": ["lv"],
             "const": ["cv"], "param": ["pv"]}.get(space, ["gv", "sv"])
    if space == "param":
        return d.of(["[pv]", "[pw]", "[pv+4]"])
    if space == "shared" and d.below(3):
        return "[%s%d%s]" % (d.of(["uw", "bw", "bd"]), d.below(4),
                             d.of(["", "+8", "+-16"]))
    if d.below(4):
        return "[%s%d%s]" % (d.of(["bd", "ud", "bd"]), d.below(4),
                             d.of(["", "+8", "+-16"]))
    return "[%s%s]" % (d.of(names), d.of(["", "+16"]))


def operand(d, code, spelling):
    types = [w for w in spelling if re.fullmatch(
        r"([busf]|bf)(8|16|32|64)(x2)?|pred", w)]
    if "|" in code and not code.startswith(("V", "%", "{")) and ":" in code:
        return "|".join(operand(d, c, spelling) for c in code.split("|"))
    letter, _, name = code.partition(":")
    of = {"": types[-1] if types else "b32",
          "F": types[0] if types else "b32"}.get(name, name)
    if letter == "A" or re.fullmatch(r"A[a-z]+", letter):
        space = letter[1:] or next((w for w in spelling if w in (
            "global", "shared", "local", "const", "param")), "")
        return address(d, space)
    if letter == "B":
        return "bq%d" % d.below(4)
    if letter == "N":
        return number(d, of)
    if of == "b16n":
        return str(d.below(16)) if d.below(2) else "bw%d" % d.below(4)
    if letter == "I":
        return name if name.isdigit() else str(d.below(256))
    if letter in ("P", "Q"):
        return "%sp%d" % ("!" if letter == "P" and not d.below(4) else "",
                          d.below(4))
    if letter == "L":
        return "L1"
    if re.fullmatch(r"V\d", letter):
        reg = of_type(d, of)
        return "{%s}" % ", ".join("%s%d" % (reg, i % 4)
                                  for i in range(int(letter[1])))
    if letter == "S" and not d.below(3):
        return number(d, of)
    if letter in ("D", "S", "R"):
        return "%s%d" % (of_type(d, of), d.below(4))
    return code


def choose(d, text):
    """A choice for each {a|b|}."""
    while True:
        m = re.search(r"\{([^{}]*\|[^{}]*|[^{}]*)\}", text)
        if not m:
            return text
        text = text[:m.start()] + d.of(m.group(1).split("|")) + text[m.end():]


def draw_form(d, row):
    """Spelling words and operands."""
    spelling, _, operands = row.partition(" ")
    words = re.split(r"\.(?!\d)", choose(d, spelling))
    if operands == "-":
        return words, []
    codes = [c for c in choose(d, operands).split(",") if c]
    return words, [operand(d, c, words) for c in codes]


def rows_of(name):
    lines = open(os.path.join(HERE, name)).read().split("\n")
    return [line for line in lines if line and line[0] != "#"]


INSNS = rows_of("forms.insns")
MODULES = rows_of("forms.modules")


def pool():
    words = set()
    for row in INSNS:
        words.update(re.findall(r"\.([\w:]+)", row.partition(" ")[0]))
    # ptxas takes a type .pred and words of testp too many; .async makes other
    # operations.
    return sorted(words - {"pred", "async", "finite", "infinite", "number",
                           "notanumber", "normal", "subnormal"})


POOL = pool()


def mutant(d, words, operands, row):
    words, operands = list(words), list(operands)
    own = re.findall(r"\.([\w:]+)", row.partition(" ")[0]) or POOL
    own = [w for w in own if w in POOL] or POOL
    what = d.below(10)
    at = 1 + d.below(len(words) - 1) if len(words) > 1 else 0
    new = d.of(own if d.below(2) else POOL)
    # ptxas takes a vector of one that it has as bf16x2.
    others = [o for o in OTHERS if "bf16" not in row or o[0] != "{"]
    any_operand = d.of(
        ["%s%s%d" % (d.of("buif"), d.of("hwd"), d.below(4))] * 3 +
        [d.of(NUMBERS), d.of(FLOATS), d.of(others), d.of(others)])
    if what < 2 and at:
        del words[at]
    elif what < 5 and at:
        words[at] = new
    elif what < 7 or not operands:
        words.insert(1 + d.below(len(words)), new)
    elif what < 9:
        operands[d.below(len(operands))] = any_operand
    elif d.below(2):
        del operands[d.below(len(operands))]
    else:
        operands.insert(d.below(len(operands) + 1), any_operand)
    return words, operands


def text_of(form, row):
    words, operands = form
    text = (".".join(words) + " " + ", ".join(operands)).strip() + ";"
    if "128" in row:
        text = "{ .reg .b128 bq<4>; " + text + " }"
    return text


# ---- modules ----

TOKEN = re.compile(r"""\s+|"[^"\n]*"|//[^\n]*|/\*.*?\*/|\.?[\w$%]+(?:::\w+)?|.""")


def draw_module(d, row):
    """Tokens, white space among them."""
    while True:
        m = re.search(r"\{\{((?:(?!\{\{|\}\}(?!\})).)*)\}\}", row)
        if not m:
            return TOKEN.findall(row.replace("\\n", "\n"))
        row = row[:m.start()] + d.of(m.group(1).split("|")) + row[m.end():]


MODULE_WORDS = [".b32", ".u64", ".f32", ".pred", ".b128", ".global", ".shared",
                ".local", ".param", ".reg", ".align", ".v2", ".extern",
                ".visible", ".weak", ".entry", ".func", ".maxntid", ".noreturn",
                ".pragma", ".ptr", "0", "1", "8", "-1", "1.5", "0xffffffff", ";",
                ",", "(", ")", "{", "}", "[", "]", "=", "+", ":", "x", "f", "k",
                "_", "%a", "$b", "WARP_SZ", "\"s\"", "ret", "#", "@", "!", "."]


def module_mutant(d, tokens):
    at = [i for i, t in enumerate(tokens) if not t.isspace()]
    i = d.of(at)
    new = tokens[d.of(at)] if d.below(2) else d.of(MODULE_WORDS)
    what = d.below(8)
    changed = list(tokens)
    if what < 2:
        del changed[i]
    elif what < 3:
        changed.insert(i, tokens[i] + " ")
    elif what < 6:
        changed[i] = new
    elif what < 7:
        changed.insert(i, " " + new + " ")
    else:
        k = d.of(at)
        changed[i], changed[k] = changed[k], changed[i]
    return changed


# ---- forms ----

def as_form(kind, version, text):
    return kind, version, text.replace("\n", END_OF_LINE)


def forms_of(row, verdict, seed=""):
    """Of a row: (kind, version, text) of each form; `verdict` says which ones
    are accepted, one after the other: those have a mutant."""
    d = Draw(row + seed)
    is_module = row in MODULES
    for _ in range(FORMS_A_ROW):
        form = draw_module(d, row) if is_module else draw_form(d, row)
        version = d.of(VERSIONS)
        if "128" in row:
            version = "9.0"
        guard = "" if is_module or d.below(8) else d.of(["@p1 ", "@!p2 "])
        changed = form
        while changed == form:
            changed = (module_mutant(d, form) if is_module else
                       mutant(d, *form, row))
        if is_module:
            texts = "".join(form), "".join(changed)
        else:
            texts = [guard + text_of(f, row) if "128" not in row else
                     text_of(f, row) for f in (form, changed)]
        kind = "m" if is_module else "i"
        if verdict(as_form(kind, version, texts[0])):
            verdict(as_form(kind, version, texts[1]))


def rows():
    return INSNS + MODULES


# ---- ptxas ----

def module_of(kind, version, text):
    text = text.replace(END_OF_LINE, "\n") + "\n"
    if kind == "i":
        return ".version %s\n%s%sL2: ret;\n}\n" % (
            version, open(HEAD).read(), text)
    return ".version %s\n.target %s\n.address_size 64\n%s" % (
        version, TARGET, text)


def ask_one(ptxas, form):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(module_of(*form))
        f.flush()
        return not subprocess.run(
            [ptxas, "-O0", "-arch=" + TARGET, "-o", "/dev/null", f.name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def ask(ptxas, wanted):
    """form -> accepted"""
    forms = sorted(wanted)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool_of:
        said = pool_of.map(lambda form: ask_one(ptxas, form), forms)
        return dict(zip(forms, said))


def make(ptxas):
    said = {}
    for accepted in (False, True):  # all forms; then what is left of mutants
        wanted = set()

        def collect(form):
            if form not in said:
                wanted.add(form)
            return said.get(form, accepted)
        for row in rows():
            forms_of(row, collect)
        said.update(ask(ptxas, wanted))
    with open(VERDICTS, "w") as f:
        f.write("# What ptxas 13.0 says of the forms of forms.py: made by "
                "`forms.py make PTXAS`\n")
        for row in rows():
            bits = []

            def keep(form):
                bits.append(said[form])
                return bits[-1]
            forms_of(row, keep)
            f.write("".join("-+"[b] for b in bits) + "\t" + row + "\n")


# ---- the reader ----

def listed():
    """Kinds of forms on which the reader and ptxas differ, with a reason."""
    lines = open(os.path.join(HERE, "not_asked.txt")).read().split("\n")
    return [re.compile(line.split(" ")[1]) for line in lines
            if line.startswith(("takes ", "refuses "))]


def is_listed(form, kinds):
    return any(kind.search(form[2]) for kind in kinds)


def kept():
    """Of all forms: the form, accepted."""
    verdicts = {}
    for line in open(VERDICTS):
        if not line.startswith("#"):
            bits, _, row = line.rstrip("\n").partition("\t")
            verdicts[row] = bits
    forms = []
    for row in rows():
        bits = iter(verdicts.get(row, ""))

        def keep(form):
            bit = next(bits, None)
            if bit is None:
                raise SystemExit("not ok ptx: forms: no verdicts on '%s'" % row)
            forms.append((form, bit == "+"))
            return bit == "+"
        forms_of(row, keep)
    return forms


def read(reader, forms):
    lines = "".join("%s %s %s\n" % form for form, _ in forms)
    run = subprocess.run([reader, HEAD], input=lines, capture_output=True,
                         text=True, check=True)
    return run.stdout.split("\n")


def others(ptxas, seed):
    """As kept(), of another seed."""
    wanted = []
    for row in rows():
        forms_of(row, lambda form: wanted.append(form) or True, seed)
    said = ask(ptxas, set(wanted))
    return [(form, said[form]) for form in wanted]


def differences(reader, forms):
    kinds = listed()
    forms = [f for f in forms if not is_listed(f[0], kinds)]
    said = read(reader, forms)
    if len(said) < len(forms):
        raise SystemExit("not ok ptx: forms: the reader has read %d of %d" %
                         (len(said), len(forms)))
    return forms, [(form, good, word) for (form, good), word in
                   zip(forms, said) if good != word.startswith("+")]


def main():
    if sys.argv[1:2] == ["make"]:
        make(sys.argv[2])
    elif sys.argv[1:2] == ["list"]:
        for form, good in kept():
            print("-+"[good], *form)
    elif sys.argv[1:2] in (["check"], ["show"], ["other"]):
        other = sys.argv[1] == "other"
        forms = others(sys.argv[2], sys.argv[4]) if other else kept()
        forms, differ = differences(sys.argv[3 if other else 2], forms)
        if not differ:
            print("ok ptx: forms: %d, of which ptxas takes %d" %
                  (len(forms), sum(g for _, g in forms)))
        else:
            print("not ok ptx: forms: %d of %d differ" %
                  (len(differ), len(forms)))
        most = 10 if sys.argv[1] == "check" else len(differ)
        for form, good, word in differ[:most]:
            print("  ptxas %s, PTX %s: %s  (%s)" % (
                "takes" if good else "refuses", form[1], form[2], word))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
