#!/usr/bin/env python3
"""Writes tests/unit/scipy_cases.inc: seeded inputs and scipy's answers.

Run from the repository root with a Python that has scipy (the committed table
was made with scipy 1.10.1 and numpy 1.24.2):

    /usr/bin/python3 tests/support/scipy_reference.py \
            > tests/unit/scipy_cases.inc

Numbers are written in hexadecimal, so that the table is exact.
"""
import numpy as np
from scipy import optimize, stats

QUANTILES = [0.0, 0.025, 0.05, 0.25, 0.5, 0.61803, 0.95, 0.975, 1.0]


def number(value):
    return float(value).hex()


def array(name, values):
    rows = [f"static const double {name}[] = {{"]
    line = "\t"
    for value in values:
        item = number(value) + ","
        if len(line) + len(item) > 72:
            rows.append(line.rstrip())
            line = "\t"
        line += item + " "
    rows.append(line.rstrip())
    rows.append("};")
    print("\n".join(rows))


def inputs():
    rng = np.random.default_rng(20240607)
    yield "one", np.array([38.0])
    yield "two", np.array([41.5, 38.25])
    yield "three", np.array([300.0, 280.0, 290.0])
    yield "constant", np.full(7, 32.0)
    yield "even", rng.normal(280, 12, 10)
    yield "odd", rng.normal(280, 12, 51)
    yield "cycles", np.round(rng.normal(280, 12, 64))
    yield "far_from_zero", 1e9 + rng.normal(0, 1e-3, 33)
    yield "near_and_far", np.concatenate(
        [rng.uniform(256, 341, 60), rng.uniform(425, 542, 60)])
    yield "heavy_tail", 500 + rng.lognormal(3, 1, 101)
    yield "outliers", np.concatenate(
        [np.round(rng.normal(560, 8, 40)), [900.0, 1060.0, 20.0]])


def outliers(x):
    mad = stats.median_abs_deviation(x, scale="normal")
    return int(np.sum(np.abs(x - np.median(x)) > 5 * mad))


def write_summaries(cases):
    print("static const struct scipy_summary scipy_summaries[] = {")
    for name, x in cases:
        quantiles = stats.mstats.mquantiles(
            x, QUANTILES, alphap=1, betap=1)
        low = high = np.nan
        if len(x) >= 3:
            low, high = stats.bootstrap(
                (x,), np.median, method="percentile", n_resamples=40000,
                vectorized=True, batch=1000,
                random_state=1).confidence_interval
        print(f'\t{{"{name}", values_{name}, {len(x)}, {outliers(x)},')
        print(f"\t\t{number(np.mean(x))},")
        print(f"\t\t{number(stats.median_abs_deviation(x))},")
        print("\t\t{" + ",\n\t\t\t".join(map(number, quantiles)) + "},")
        low, high = ("NAN" if np.isnan(v) else number(v)
                     for v in (low, high))
        print(f"\t\t{low}, {high}}},")
    print("};")


def write_distances(cases):
    print("static const struct scipy_distance scipy_distances[] = {")
    for i, (a, x) in enumerate(cases):
        for b, y in cases[i:]:
            distance = stats.wasserstein_distance(x, y)
            print(f"\t{{{cases_index(cases, a)}, {cases_index(cases, b)}, "
                  f"{number(distance)}}},")
    print("};")


def cases_index(cases, name):
    return [case[0] for case in cases].index(name)


def write_shares():
    print("static const struct scipy_share scipy_shares[] = {")
    for count, total in [(3, 10), (5, 10), (7, 255), (500, 1000),
                         (10, 1000), (4096, 4096)]:
        interval = stats.binomtest(count, total).proportion_ci(
            method="wilson")
        print(f"\t{{{count}, {total}, {number(interval.low)}, "
              f"{number(interval.high)}}},")
    print("};")


def log_likelihood(theta, x):
    weight = 1 / (1 + np.exp(-theta[0]))
    left = weight * stats.norm.pdf(x, theta[1], np.exp(theta[2]))
    right = (1 - weight) * stats.norm.pdf(x, theta[3], np.exp(theta[4]))
    return np.sum(np.log(left + right))


def write_mixtures():
    """The likelihood's maximum by Nelder and Mead, not by EM."""
    rng = np.random.default_rng(7)
    known = [("even", 0.5, 280, 15, 460, 25), ("uneven", 0.8, 280, 12, 430, 30),
             ("overlapping", 0.6, 280, 20, 350, 20)]
    rows = []
    for name, weight, mean_a, sigma_a, mean_b, sigma_b in known:
        size = 240
        left = rng.random(size) < weight
        x = np.where(left, rng.normal(mean_a, sigma_a, size),
                     rng.normal(mean_b, sigma_b, size))
        array(f"mixture_{name}", np.sort(x))
        start = [np.log(weight / (1 - weight)), mean_a, np.log(sigma_a),
                 mean_b, np.log(sigma_b)]
        best = optimize.minimize(
            lambda theta: -log_likelihood(theta, x), start,
            method="Nelder-Mead", options={
                "xatol": 1e-10, "fatol": 1e-12, "maxiter": 100000,
                "maxfev": 100000})
        assert best.success
        t = best.x
        one = np.sum(stats.norm.logpdf(x, *stats.norm.fit(x)))
        rows.append([f'\t{{"{name}", mixture_{name}, {size}'] + [
            number(v) for v in (
                2 * np.log(size) - 2 * one,
                5 * np.log(size) + 2 * best.fun,
                1 / (1 + np.exp(-t[0])), t[1], np.exp(t[2]), t[3],
                np.exp(t[4]))])
    print("static const struct scipy_mixture scipy_mixtures[] = {")
    for row in rows:
        print(",\n\t\t".join(row) + "},")
    print("};")


def main():
    cases = list(inputs())
    print("/* Written by tests/support/scipy_reference.py. */")
    print("#ifdef SCIPY_STATS")
    array("scipy_quantiles", QUANTILES)
    for name, x in cases:
        array(f"values_{name}", x)
    write_summaries(cases)
    write_distances(cases)
    print("#else")
    write_shares()
    write_mixtures()
    print("#endif")


main()
