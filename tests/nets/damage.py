#!/usr/bin/env python3
"""The nets where something is broken: tables that were cut or edited, inputs that
changed since the model ran, runs that were stopped. Prints as check.py does.

usage: damage.py; environment: NEARFAR
"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ablate  # noqa: E402
import gate  # noqa: E402
import model as runs  # noqa: E402
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


@test
def same_tells_a_planted_parameter_of_the_other_chip():
    """One that no run of machine_rows feels."""
    path = shutil.copy("backend_sim/machines/h100-sxm.yaml", SCRATCH)

    def moved():
        row = same.parameters_row(os.environ["NEARFAR"], "h100-sxm", path)
        return said(same.compare, {row[:3]: row[3:]}, same.read_committed(),
                    False)[0]

    assert moved() == 0
    edit(path, "whole_cycles: {value: 1.1", "whole_cycles: {value: 1.2")
    assert moved() == 1


# ---- tables ----

@test
def tables_that_were_cut_or_mixed_up_are_told_in_a_sentence():
    path = os.path.join(SCRATCH, "table.tsv")
    with open(gate.LIMITS) as source:
        lines = source.read().splitlines()
    for text, sentence in (
            (lines[:9] + [lines[9][:40]], "line 10: the row has "),
            (lines + [lines[5].replace("\t0.", "\t9.")], "a row in line 6"),
            (lines[:5] + [lines[5].replace(".", ",")], "to float: '")):
        with open(path, "w") as out:
            out.write("\n".join(text) + "\n")
        with instead(gate, LIMITS=path):
            try:
                gate.read_limits()
                raise AssertionError("it was read")
            except SystemExit as error:
                assert path in str(error) and sentence in str(error), error


@test
def tables_are_written_as_a_whole_or_not_at_all():
    path = os.path.join(SCRATCH, "whole.tsv")
    runs.write_table(path, "# a\tb\n", [("1", "2")])
    try:
        runs.write_table(path, "# a\tb\n", [("3", "4"), ("5", None)])
    except TypeError:
        pass
    assert runs.text_of(path) == "# a\tb\n1\t2\n"


@test
def tables_that_cannot_be_written_are_told_in_a_sentence():
    try:
        runs.write_table(os.path.join(SCRATCH, "none/a.tsv"), "", [])
        raise AssertionError("it was written")
    except SystemExit as error:
        assert "a.tsv': No such file" in str(error)


@test
def nets_want_the_folder_of_the_project():
    for name in ("same", "gate", "model", "ablate"):
        ended = subprocess.run(
            [sys.executable, os.path.abspath(f"tests/nets/{name}.py"), "a",
             "b"], cwd=SCRATCH, capture_output=True, text=True)
        assert ended.returncode == 1 and ended.stderr.count("\n") == 1
        assert "project's folder" in ended.stderr


# ---- what the model said before ----

def model(name):
    return runs.Model(os.environ["NEARFAR"], os.path.join(SCRATCH, name),
                      "h200-sxm", say=False)


def edit(path, before, after):
    with open(path) as source:
        text = source.read()
    assert before in text
    with open(path, "w") as out:
        out.write(text.replace(before, after))


@test
def model_runs_a_program_again_whose_text_changed():
    folder = os.path.join(SCRATCH, "programs")
    os.mkdir(folder)
    path = shutil.copy("results/net/net-chase-04.txt", folder)

    def cycles():
        return model("net").programs("net", folder=folder)["net-chase-04"]

    before = cycles()
    edit(path, "repeat 113 ", "repeat 226 ")
    assert cycles() > before
    edit(path, "repeat 226 ", "repeat 113 ")
    assert cycles() == before


@test
def model_runs_kernels_again_whose_ptx_changed():
    folder = os.path.join(SCRATCH, "kernels")
    shutil.copytree("tests/kernels/stream", folder)

    def buffers():
        with instead(runs, KERNELS=folder):
            made = model("stream")
            made.kernels("triad")
            return runs.text_of(made.path("kernels-digests.tsv"))

    before = buffers()
    edit(os.path.join(folder, "triad.ptx"), "fma.rn", "fma.rz")
    assert buffers() != before


@test
def model_goes_on_with_the_same_work_only():
    """What would run is stopped, leaving a journal, until it is let end."""
    said, ends = [], False

    def run(words, **_):
        said.append(words)
        with open(out if ends else out + ".journal", "w"):
            return subprocess.CompletedProcess(words, 0 if ends else 130,
                                               "", "interrupted")

    made = model("stopped")
    out = made.path("a.json.gz")
    with instead(subprocess, run=run):
        for words in (["a"], ["a"], ["b"], ["b"]):
            try:
                made.once(words, out)
            except SystemExit as error:
                assert "interrupted" in str(error)
        ends = True
        made.once(["b"], out)
        made.once(["b"], out)
    assert [("--resume" in words, words[2]) for words in said] == [
        (False, "a"), (True, "a"), (False, "b"), (True, "b"), (True, "b")]


# ---- ablate ----

@test
def ablate_makes_a_row_again_that_was_cut():
    path = os.path.join(SCRATCH, "ablation.tsv")
    row = ["both", "digest", *["+0.00"] * len(ablate.COLUMNS)]
    with instead(ablate, TABLE=path):
        ablate.write_table({"r": row, "s": row})
        assert ablate.read_table() == {"r": row, "s": row}
        with open(path, "r+") as table:
            table.truncate(os.path.getsize(path) - 20)
        assert ablate.read_table() == {"r": row}


@test
def ablate_runs_alone_in_its_folder():
    folder = os.path.join(SCRATCH, "ablate")
    with ablate.alone(folder):
        try:
            ablate.main(["nearfar", folder, "floor-sm-term"])
            raise AssertionError("it ran")
        except SystemExit as error:
            assert "another one runs" in str(error)
    ablate.alone(folder).close()


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
