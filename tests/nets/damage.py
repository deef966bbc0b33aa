#!/usr/bin/env python3
"""The nets where something is broken: tables that were cut or edited, inputs that
changed since the model ran, runs that were stopped. Prints as check.py does.

usage: damage.py; environment: NEARFAR
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gate  # noqa: E402
import same  # noqa: E402
from check import KEY, limit, options, run_all, said  # noqa: E402

TESTS = []
SCRATCH = None  # a folder, of main


def test(run):
    TESTS.append(run)
    return run


class instead:
    """Other values of a module's names, for a while."""

    def __init__(self, module, **values):
        self.module, self.values = module, values

    def swap(self, *_):
        for name, value in self.values.items():
            self.values[name] = getattr(self.module, name)
            setattr(self.module, name, value)

    __enter__ = __exit__ = swap


# ---- what ends with 1 ----

@test
def gate_ends_with_1_where_a_figure_is_beyond():
    with instead(gate, read_limits=lambda: {KEY: limit(3.0, 10.0)}):
        for median, code in ((3.0, 0), (9.0, 1)):
            with instead(gate, measure=lambda _: {KEY: limit(median, 1.0)}):
                assert said(gate.main, ["nearfar", "out"])[0] == code


@test
def same_ends_with_1_where_a_row_moved():
    """Its digest, or its figure: a transcript that is gone leaves no other."""
    key, row = next(iter(same.read_committed().items()))
    for now, code in ((row, 0), (("1", row[1]), 1), ((row[0], "x=1"), 1)):
        with instead(same, all_rows=lambda *_: [(*key, *now)]):
            words = ["nearfar", "out", "--quick"]
            assert said(same.main, words)[0] == code


# ---- gate ----

@test
def gate_lets_no_table_say_what_is_pooled_or_no_number():
    none = float("nan")
    assert gate.is_beyond(limit(3.1, 10.0, "pooled"), limit(3.0, 10.0))
    assert gate.is_beyond(limit(none, 1.0), limit(3.0, 10.0))
    assert gate.is_beyond(limit(1.0, 1.0), limit(3.0, none))


@test
def gate_sees_a_model_that_moved_in_any_set():
    committed = {("model", part, "a"): ("1", "f") for part in
                 ("suite", "net", "kernels", "machines")}
    named = dict(zip(("list_rows", "program_rows", "kernel_rows",
                      "machine_rows"), committed))

    def rows(moved):
        return {name: lambda *_, k=key: [(*k, "2" if k == moved else "1", "")]
                for name, key in named.items()}

    words = options(nearfar=os.environ["NEARFAR"], out=SCRATCH)
    with instead(same, read_committed=lambda: committed):
        for key in (None, *committed):
            with instead(same, **rows(key)):
                moved = [row[:3] for row in gate.model_moved(words)]
                assert moved == ([key] if key else []), (key, moved)


def main():
    global SCRATCH
    with tempfile.TemporaryDirectory() as SCRATCH:
        return run_all(TESTS)


if __name__ == "__main__":
    sys.exit(main())
