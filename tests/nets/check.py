#!/usr/bin/env python3
"""The nets themselves: what they name, and what they let pass. No model runs
here but a program or two. Prints "ok NAME" or "not ok NAME".

usage: check.py; environment: NEARFAR
"""
import argparse
import contextlib
import gzip
import hashlib
import io
import json
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

TESTS = []
KEY = ("h200-sxm", "net", "net-copy")
ALL = ("h200-sxm", "net", "all")


def test(run):
    TESTS.append(run)
    return run


def said(call, *words):
    """(what it returns, what it prints)"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        result = call(*words)
    return result, out.getvalue()


def limit(median, p90, pooled="kind", silicon="s", points=24):
    return (pooled, points, median, p90, "%", silicon)


def options(**given):
    return argparse.Namespace(**{"reason": None, "nearfar": "", "out": "",
                                 **given})


# ---- same ----

@test
def same_names_what_moved_with_its_figures():
    committed = {("model", "net", "a"): ("1", "cycles=10"),
                 ("model", "net", "b"): ("2", "cycles=20"),
                 ("model", "net", "c"): ("3", "cycles=30")}
    rows = {("model", "net", "a"): ("1", "cycles=10"),
            ("model", "net", "b"): ("9", "cycles=21"),
            ("model", "net", "d"): ("4", "cycles=40")}
    moved, text = said(same.compare, rows, committed, True)
    assert moved == 3
    assert "moved: model net b: cycles=20 -> cycles=21" in text
    assert "new: model net d: cycles=40" in text
    assert "gone: model net c" in text
    assert said(same.compare, rows, committed, False)[0] == 2
    assert said(same.compare, committed, committed, True)[0] == 0


@test
def same_sees_a_digit_that_no_figure_shows():
    committed = {("model", "suite", "a"): ("1", "points=3")}
    moved, text = said(same.compare,
                       {("model", "suite", "a"): ("2", "points=3")},
                       committed, True)
    assert moved == 1 and "points=3 as before" in text


@test
def same_leaves_out_where_and_when():
    def series(date, cycles, events):
        return same.digest(same.spoken({
            "bench": "b", "provenance": {"date": date}, "points": [
                {"x": 1, "spans": [{"cycles": cycles}],
                 "counters": {"nearfar__events.sum": events}}]}))

    assert series("today", 5, 7) == series("tomorrow", 5, 8)
    assert series("today", 5, 7) != series("today", 6, 7)


@test
def same_tells_a_planted_parameter():
    """One program of the net, with one parameter changed by a hundredth."""
    with tempfile.TemporaryDirectory() as scratch:
        def cycles(*words):
            made = runs.Model(os.environ["NEARFAR"],
                              os.path.join(scratch, str(len(words))),
                              "h200-sxm", words, say=False)
            made.programs("net", ["net-chase-04"])
            series = runs.read_series(made.path("net.json.gz"))[0]
            return same.digest(same.spoken(series))

        committed = same.read_committed()["model", "net", "net-chase-04"][0]
        assert cycles() == committed
        assert cycles("--set", "l2_near_cycles=271.4") != committed


@test
def same_tells_a_planted_word():
    """Of a program whose help says "latenzy" in one place."""
    with tempfile.TemporaryDirectory() as scratch:
        planted = os.path.join(scratch, "nearfar")
        with open(planted, "w") as out:
            out.write(f'#!/bin/sh\n"{os.path.abspath(os.environ["NEARFAR"])}"'
                      ' "$@" | sed "s/latency of dependent/latenzy of '
                      'dependent/"\n')
        os.chmod(planted, 0o755)
        committed = same.read_committed()
        right = [row for row in same.help_rows(os.environ["NEARFAR"])
                 if committed[row[:3]][0] != row[3]]
        wrong = [row[:3] for row in same.help_rows(planted)
                 if committed[row[:3]][0] != row[3]]
    assert not right, right
    assert ("words", "list", "benches") in wrong, wrong
    assert ("words", "help", "doctor") not in wrong, wrong


@test
def same_tells_a_planted_result():
    """A kernel that adds where it subtracted leaves another buffer."""
    with tempfile.TemporaryDirectory() as scratch:
        def digests(name, operation):
            folder = os.path.join(scratch, name)
            shutil.copytree("tests/kernels/stream", folder)
            for path in os.listdir(folder):
                path = os.path.join(folder, path)
                if path.endswith(".ptx"):
                    with open(path) as source:
                        text = source.read()
                    with open(path, "w") as out:
                        out.write(text.replace("fma.rn.f32", operation))
            made = runs.Model(os.environ["NEARFAR"],
                              os.path.join(scratch, name + "-out"),
                              "h200-sxm", say=False)
            kept, runs.KERNELS = runs.KERNELS, folder
            try:
                rows = {row[:3]: row[3:]
                        for row in same.kernel_rows(made, False)}
            finally:
                runs.KERNELS = kept
            return rows

        committed = same.read_committed()
        moved, text = said(same.compare, digests("one", "fma.rn.f32"),
                           committed, False)
        assert moved == 0, text
        moved, text = said(same.compare, digests("other", "fma.rz.f32"),
                           committed, False)
        assert moved > 0 and "model buffers" in text, text


@test
def same_table_is_whole():
    committed = same.read_committed()
    sets = {key[1] for key in committed if key[0] == "model"}
    assert sets == {*runs.LISTS, *runs.FOLDERS, "kernels", "buffers",
                    "machines", "ptx"}, sets
    for part in runs.LISTS:
        rows = runs.read_rows(os.environ["NEARFAR"], part)
        assert {k[2] for k in committed if k[:2] == ("model", part)} == \
            set(rows), part


# ---- gate ----

@test
def gate_lets_kinds_move_by_their_slack():
    assert not gate.is_beyond(limit(3.5, 12.0), limit(3.0, 10.0))
    assert gate.is_beyond(limit(3.6, 10.0), limit(3.0, 10.0))
    assert gate.is_beyond(limit(3.0, 12.1), limit(3.0, 10.0))


@test
def gate_lets_pooled_figures_move_by_nothing():
    pooled = limit(3.0, 10.0, "pooled")
    assert not gate.is_beyond(pooled, pooled)
    assert gate.is_beyond(limit(3.1, 10.0, "pooled"), pooled)
    assert gate.is_beyond(limit(3.0, 10.1, "pooled"), pooled)


@test
def gate_names_what_is_beyond_and_what_has_no_limit():
    found = {KEY: limit(9.0, 9.0), ALL: limit(1.0, 1.0, "pooled")}
    wrong, text = said(gate.judge, found, {KEY: limit(3.0, 10.0)})
    assert wrong == 2
    assert "beyond: h200-sxm net net-copy" in text
    assert "no limit: h200-sxm net all" in text
    assert said(gate.judge, found, {**found, ("h200-sxm", "net", "x"):
                                    limit(1, 1)})[0] == 1


@test
def gate_wants_all_points_that_a_limit_is_over():
    limits = {KEY: limit(3.0, 10.0), ALL: limit(3.0, 10.0, "pooled")}
    found = {KEY: limit(1.0, 1.0, points=4)}
    wrong, text = said(gate.judge, found, limits)
    assert wrong == 2 and "fewer points: h200-sxm net net-copy" in text
    assert gate.updated(found, limits, options()) == limits
    more = {**limits, KEY: limit(1.0, 1.0, points=25)}
    assert said(gate.judge, more, limits)[0] == 0


@test
def gate_wants_limits_of_its_silicon():
    wrong, text = said(gate.judge, {KEY: limit(1.0, 1.0, silicon="new")},
                       {KEY: limit(3.0, 10.0, silicon="old")})
    assert wrong == 1 and "other silicon" in text


@test
def gate_lowers_and_does_not_raise():
    made = gate.updated({KEY: limit(3.2, 8.0)}, {KEY: limit(3.0, 10.0)},
                        options())
    assert made[KEY][2:4] == (3.0, 8.0)


@test
def gate_raises_with_a_reason_that_is_logged():
    with tempfile.TemporaryDirectory() as scratch:
        kept, gate.LOG = gate.LOG, os.path.join(scratch, "raised.md")
        try:
            made = gate.updated({KEY: limit(5.0, 10.0)},
                                {KEY: limit(3.0, 10.0)},
                                options(reason="NaN is right now"))
            with open(gate.LOG) as log:
                text = log.read()
        finally:
            gate.LOG = kept
    assert made[KEY][2] == 5.0
    assert "NaN is right now" in text and "net-copy" in text


@test
def gate_sets_no_limit_anew_by_a_model_that_moved():
    kept = gate.model_moved
    try:
        gate.model_moved = lambda _: [("model", "net", "net-copy-01")]
        try:
            gate.updated({KEY: limit(1.0, 1.0, silicon="new")},
                         {KEY: limit(3.0, 10.0)}, options())
            raise AssertionError("it was set")
        except SystemExit as error:
            assert "net-copy-01" in str(error)
        gate.model_moved = lambda _: []
        made = gate.updated({KEY: limit(5.0, 5.0, silicon="new")},
                            {KEY: limit(3.0, 10.0)}, options())
        assert made[KEY] == limit(5.0, 5.0, silicon="new")
    finally:
        gate.model_moved = kept


@test
def gate_reads_both_kinds_of_table():
    rows = gate.markdown_rows(
        "| what | points | mean | median | 90th percentile | worst |\n"
        "|---|---|---|---|---|---|\n"
        "| TLB reach | 32 | 1.1 % | 0.7 % | 1.9 % | 4.6 % |\n"
        "| cells that differ | 1 of 9 cells | | | | |\n")
    assert rows == {"TLB reach": (32, 0.7, 1.9, "%"),
                    "cells that differ": (9, 1.0, 1.0, "cells")}
    rows = gate.kernel_rows(
        "never looked at  DRAM read    19      0.0 %      0.2 %      0.4 %\n")
    assert rows == {"never looked at DRAM read": (19, 0.0, 0.2, "%")}
    rows = gate.kernel_rows(
        "last launches    cycles       18      9.4 %     13.8 %     14.9 %\n")
    assert rows == {"last launches cycles": (18, 9.4, 13.8, "%")}


@test
def a_sequence_is_judged_by_its_last_launch():
    with tempfile.TemporaryDirectory() as folder:
        silicon = os.path.join(folder, "s.tsv")
        model = os.path.join(folder, "m.json")
        metrics = [m[1] for m in runs.kernel_errors.SEQUENCE_MEASURES]
        with open(silicon, "w") as out:
            out.write("\t".join(["job", "launch", "caches", *metrics]) + "\n")
            for launch, caches, values in (
                    (0, "sequence", (100, 2000, 50000, 50000)),
                    (1, "sequence", (200, 2000, 39999, 50000)),
                    (1, "cold", (900, 9000, 90000, 90000))):
                out.write("\t".join(map(str, ["read_twice_8m-warm", launch,
                                              caches, *values])) + "\n")
        points = [{"x": x, "counters": dict(zip(metrics[1:], (2000, 9, 55000))),
                   "metrics": {"elapsed_cycles": {"median": 210}}}
                  for x in (0, 1)]
        with open(model, "w") as out:
            json.dump({"series": [{"bench": "read_twice_8m-warm",
                                   "points": points}]}, out)
        _, text = said(runs.kernel_errors.main, [
            "none", runs.KERNELS, silicon, "--size", "warm", "--caches",
            "sequence", "--model", model])
    rows = gate.kernel_rows(text)
    assert rows == {"last launches cycles": (1, 5.0, 5.0, "%"),
                    "last launches L2 read": (1, 0.0, 0.0, "%"),
                    "last launches DRAM write": (1, 10.0, 10.0, "%")}, rows


@test
def gate_limits_are_of_the_committed_silicon():
    limits = gate.read_limits()
    for chip in gate.CHIPS:
        for part in gate.SILICON:
            digest = gate.silicon_digest(gate.silicon_files(
                os.environ["NEARFAR"], part, chip))
            found = {row[5] for key, row in limits.items()
                     if key[:2] == (chip, part)}
            assert found == {digest}, (chip, part, found, digest)


# ---- blind ----

def blind(folder, *words):
    return subprocess.run(
        ["tests/nets/blind.sh", "step", os.path.abspath(
            os.environ["NEARFAR"]), *words], cwd=folder, text=True,
        capture_output=True)


def blind_folder(scratch):
    for name in ("tests", "backend_sim"):
        os.symlink(os.path.abspath(name), os.path.join(scratch, name))
    return os.path.join(scratch, "results/log/blind/7")


def keep_one(path, name):
    """Leaves one program of a draw, so that comparing takes no time."""
    head = "nearfar-program 1\n"
    with gzip.open(path, "rt") as source:
        programs = source.read().split(head)
    with gzip.open(path, "wt") as out:
        one = head + [p for p in programs
                      if p.startswith(f"name {name}\n")][0]
        out.write(one)
    return hashlib.sha256(one.encode()).hexdigest()


@test
def blind_draws_first_and_compares_once():
    with tempfile.TemporaryDirectory() as scratch:
        place = blind_folder(scratch)
        assert "drawn" in blind(scratch, "7").stdout
        assert "waits for silicon" in blind(scratch, "7").stdout
        with open(os.path.join(place, "h200-sxm.tsv"), "w") as silicon:
            silicon.write("# device.name\tNVIDIA H200\nnet-chase-01\t1000\n")
        kept = keep_one(os.path.join(place, "programs.txt.gz"),
                        "net-chase-01")
        refused = blind(scratch, "7")
        assert refused.returncode and "not what was drawn" in refused.stderr
        assert not os.path.exists(os.path.join(place, "compared.md"))
        with open(os.path.join(place, "drawn.tsv"), "w") as drawn:
            drawn.write(f"sha256\t{kept}\n")
        first = blind(scratch, "7")
        assert "net-chase" in first.stdout, first.stderr
        assert os.path.exists(os.path.join(place, "compared.md"))
        again = blind(scratch, "7").stdout
        assert "this draw is spent" in again
        assert first.stdout in again


@test
def blind_wants_a_number():
    for seed in ("x", "07"):
        ended = blind(".", seed)
        assert ended.returncode == 2 and "no seed" in ended.stderr


# ---- ablate ----

@test
def ablate_counts_what_is_worse_without_as_gained():
    base = {column: 5.0 for column in ablate.COLUMNS}
    without = {ablate.COLUMNS[0]: 6.25, ablate.COLUMNS[1]: 4.5}
    assert ablate.gains(base, without)[:3] == ["+1.25", "-0.50", "-"]


@test
def ablate_makes_a_row_again_when_its_words_change():
    rules = {"r": ("--set a=0", "both")}
    rows = {"r": ["both", same.digest(["d", "--set a=0"])]}
    digests = {"both": "d", "kernels": "e"}
    assert not ablate.is_due("r", rules, rows, digests)
    assert ablate.is_due("r", rules, rows, {"both": "e"})
    assert ablate.is_due("r", {"r": ("--set a=0", "kernels")}, rows, digests)
    assert ablate.is_due("r", {"r": ("--set a=1", "both")}, rows, digests)
    assert ablate.is_due("s", {**rules, "s": rules["r"]}, rows, digests)


@test
def ablate_judges_by_the_model_and_the_silicon_of_a_rules_kind():
    every = {kind: ablate.judges_digest(os.environ["NEARFAR"], kind)
             for kind in ablate.SERVED}
    assert len(set(every.values())) == 3
    assert all(part in gate.SILICON for part in ablate.SETS["both"])


def run_all(tests):
    failed = 0
    for run in tests:
        name = "nets: " + run.__name__.replace("_", " ")
        try:
            run()
            print(f"ok {name}")
        except (Exception, SystemExit) as error:  # each is told
            failed += 1
            print(f"not ok {name}\n  {type(error).__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run_all(TESTS))
