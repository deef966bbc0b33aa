#!/usr/bin/env python3
"""PTX that the headers of a CUDA toolkit write, by ptxas and by the reader.

usage: headers.py PTXAS READER [INCLUDE]

Each `asm` statement of the headers under INCLUDE (else those beside PTXAS)
becomes an entry of its own, whose operands are registers of the types that the
statement's constraints say. Names those that ptxas takes and READER (forms_read)
refuses; what is read and not modelled counts as taken. Nothing of the headers
is kept.
"""
import os
import re
import sys

import forms

TYPES = {"r": "b32", "l": "b64", "f": "f32", "d": "f64", "h": "b16",
         "q": "b128"}
STATEMENT = re.compile(r"\b(?:__asm__|__asm|asm)\s*"
                       r"(?:volatile|__volatile__)?\s*\(")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|::|.', re.S)


def parts_of(text, start):
    """What stands between the colons of a statement that begins at `start`."""
    parts, depth = [""], 1
    for token in TOKEN.finditer(text, start):
        word = token.group()
        depth += word in "([{"
        depth -= word in ")]}"
        if not depth:
            return parts
        if depth == 1 and word in (":", "::"):
            parts += [""] * len(word)
        else:
            parts[-1] += word
    return []


def entry_of(parts):
    """The text of a module, or None where the statement is made by macros."""
    code, operands = parts[0], "".join(parts[1:3])
    if not parts or TEXT.sub("", code).strip():
        return None
    ptx = "".join(TEXT.findall(code)).encode().decode("unicode_escape")
    names, registers = [], ""
    for number, constraint in enumerate(re.findall(r'"([^"]*)"\s*\(',
                                                   operands)):
        kind = constraint.lstrip("=+&")
        if kind == "n":
            names.append("8")
            continue
        if kind not in TYPES:
            return None
        names.append("x%d" % number)
        registers += ".reg .%s x%d;" % (TYPES[kind], number)
    if any(int(n) >= len(names) for n in re.findall(r"%(\d+)", ptx)):
        return None
    ptx = re.sub(r"%(\d+)", lambda m: names[int(m.group(1))],
                 ptx.replace("%%", "\0")).replace("\0", "%").strip()
    end = "" if ptx.endswith((";", "}")) else ";"
    return ".entry k() {\n%s\n%s%s\nret;\n}\n" % (registers, ptx, end)


def modules_of(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            if not name.endswith((".h", ".hpp", ".cuh", ".inl")):
                continue
            text = open(os.path.join(path, name), errors="replace").read()
            for match in STATEMENT.finditer(text):
                parts = parts_of(text, match.end())
                module = parts and entry_of(parts)
                if module:
                    form = forms.as_form("m", "9.0", module)
                    found.setdefault(form, name)
    return found


def main():
    ptxas, reader = sys.argv[1:3]
    if not os.access(ptxas, os.X_OK):
        print("ptx: headers: there is no '%s'" % ptxas, file=sys.stderr)
        return 77
    folder = (sys.argv[3] if len(sys.argv) > 3 else
              os.path.join(os.path.dirname(ptxas), "..", "include"))
    found = modules_of(folder)
    said = forms.ask(ptxas, set(found))
    asked = [(form, said[form]) for form in found]
    lines = forms.read(reader, asked)
    differ = 0
    for (form, taken), line in zip(asked, lines):
        if taken and not line.startswith("+"):
            differ += 1
            print("  %s: %s  (%s)" % (
                found[form], form[2].split(forms.END_OF_LINE, 2)[2], line))
    taken = sum(said.values())
    print("%s ptx: headers: %d statements, of which ptxas takes %d and the "
          "reader refuses %d" % ("not ok" if differ or not taken else "ok",
                                 len(asked), taken, differ))
    return bool(differ or not taken)


if __name__ == "__main__":
    sys.exit(main())
