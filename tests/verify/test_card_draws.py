"""Calls that are drawn for a problem card are of every kind that its statement allows."""

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import biomlbench.tasks
from biomlbench.verify import card
from biomlbench.verify.many_draws import drawn

KERNELS = Path(biomlbench.tasks.__file__).parent / "kernels"
FEW = 1500


@cache
def calls(name, function):
    """Arguments by name of the first calls that are drawn for an entry point."""
    loaded = card.load(KERNELS / name)
    loaded.config["draws"] = FEW
    return [
        loaded.bind(function, case.args, case.kwargs)
        for case in drawn(loaded)
        if case.function == function
    ]


def _records(call):
    return [line[:6].rstrip() for line in call["pdb"].replace("\r\n", "\n").split("\n")]


def _hundredth_more(call):
    """Whether two lines of one atom differ in their occupancy by a hundredth, or in nothing."""
    lines = [line for line in call["pdb"].split("\n") if line.startswith("ATOM")]
    return any(
        one[:16] + one[17:30] == two[:16] + two[17:30]
        and round(float(two[54:60]) - float(one[54:60]), 2) == 0.01
        for one, two in itertools.pairwise(lines)
    )


def _small_cutoff_in_a_large_chain(call):
    return call["cutoff"] < 0.1 and call["pdb"].count("ATOM") > 3


CHAIN = [
    ("read_chain", _hundredth_more),
    *(("sequence", lambda call, r=r: _records(call)[0] == r) for r in ("ENDMDL", "MODEL", "TER")),
    *(("sequence", lambda call, r=r: _records(call)[-1] == r) for r in ("ENDMDL", "TER", "ATOM")),
    ("interface", _small_cutoff_in_a_large_chain),
]


def _alike_for_a_thousand_letters(call):
    rows = [line.upper().split("\t") for line in call["text"].split("\n") if "\t" in line]
    return any(len(row) > 4 and len(row[3]) > 1000 < len(row[4]) for row in rows)


def _is(word):
    """Tell whether the reference's word for a change is this one."""
    effect = card.load(KERNELS / "variant-consequences").reference["consequence"]
    return lambda call: effect(**call) == word


def _stop_across_a_deletion(call):
    # what is gone is no whole codon, so that letters of two make the new one
    return not call["alt"] and len(call["ref"]) % 3 == 0 and _is("stop_gained")(call)


WORDS = ("start_lost", "stop_lost", "stop_gained", "inframe", "synonymous", "missense")
VARIANTS = [
    ("read_vcf", _alike_for_a_thousand_letters),
    ("consequence", _stop_across_a_deletion),
    *(("consequence", _is(word)) for word in WORDS),
]


def _constant_far_from_all_concentrations(call):
    s = call["s"][call["s"] > 0]
    _, km = card.load(KERNELS / "michaelis-menten-fit").reference["fit_michaelis_menten"](**call)
    return not s.min() / 30 < km < 30 * s.max()


def _four_decades_of_concentrations(call):
    return call["s"].max() > 1e4 * call["s"][call["s"] > 0].min()


FITS = [
    ("fit_michaelis_menten", _constant_far_from_all_concentrations),
    ("fit_michaelis_menten", _four_decades_of_concentrations),
]


def _center_next_to_an_edge(call):
    to_old = np.linalg.inv(call["affine"]) @ call["new_affine"]
    index = np.indices(call["new_shape"]).reshape(3, -1)
    places = to_old[:3, :3] @ index + to_old[:3, 3:]
    sizes = np.array(call["labels"].shape)[:, None]
    beside = np.minimum(np.abs(places + 0.5), np.abs(places - sizes + 0.5))
    return beside.min(initial=1) < 1e-5


def _nearly_parallel_next_to_an_edge(call):
    step = np.linalg.inv(call["affine"][:3, :3]) @ call["new_affine"][:3, :3]
    apart = np.abs(step - np.diag(np.diag(step))).max()
    return 0 < apart < 1e-3 and _center_next_to_an_edge(call)


def _last_code_before_the_next_number(call):
    lines = [line for line in call["pdb"].split("\n") if line.startswith("ATOM")]
    labels = {(line[21], int(line[22:26]), line[26]) for line in lines}
    return any((chain, n + 1, " ") in labels for chain, n, code in labels if code == "Z")


def _highest_number(call):
    return any(
        line.startswith("ATOM") and line[22:26] == "9999" for line in call["pdb"].split("\n")
    )


def _first_component_orthogonal_to_ones(call):
    x = call["x"] - call["x"].mean(axis=0)
    _, strength, axes = np.linalg.svd(x)
    return x.shape[1] > 1 and strength[0] > 0 and abs(axes[0].sum()) < 1e-12


KINDS = [
    ("pca-scores", "pca_scores", _first_component_orthogonal_to_ones),
    ("lesion-statistics", "resample_labels", _nearly_parallel_next_to_an_edge),
    ("chain-contacts", "read_chain", _last_code_before_the_next_number),
    ("chain-contacts", "sequence", _highest_number),
    *(("chain-contacts", *kind) for kind in CHAIN),
    *(("variant-consequences", *kind) for kind in VARIANTS),
    *(("michaelis-menten-fit", *kind) for kind in FITS),
    ("lesion-statistics", "resample_labels", _center_next_to_an_edge),
]


@pytest.mark.parametrize(("name", "function", "is_one"), KINDS)
def test_each_kind_is_among_the_draws(name, function, is_one):
    assert any(is_one(call) for call in calls(name, function))
