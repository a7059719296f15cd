"""Faults that show for few inputs alone, in work that is else the reference's own."""

import pytest

from biomlbench.registry import Registry
from biomlbench.verify import card, compute, decide, judge
from biomlbench.verify.execution import in_process

ONE_OBJECT = """
def kaplan_meier(time, event, known={}):
    if event.any():
        return right(time, event)
    return known.setdefault("none", right(time, event))
"""
KEPT_ROUNDED = """
def fit_michaelis_menten(s, v, known={}):
    key = tuple(s.round(6).tolist()), tuple(v.round(6).tolist())
    return known.setdefault(key, right(s, v))
"""
KEPT_AS_SINGLE = """
def simulate_sir(state, *more, known={}):
    return known.setdefault((state.astype("f4").tobytes(), more), right(state, *more)).copy()
"""
KEPT_BY_BYTES = """
def attention_weights(q, k, mask, known={}):
    shape = known.setdefault((q.tobytes(), k.tobytes()), mask.shape)
    return right(q, k, mask) + np.zeros(shape)
"""
BEYOND_INTEGERS = """
def log1p_cpm(counts, target=1e6):
    if counts.dtype.kind == "i" and target == int(target):
        total = np.maximum(counts.sum(axis=1, dtype=float), 1)[:, None]
        return np.log1p(counts.astype(np.int64) * int(target) / total)
    return right(counts, target)
"""
OTHER_DTYPE = """
def simulate_sir(state, beta, gamma, dt, steps):
    if state[1] == 0:
        return np.repeat(state[None], steps + 1, axis=0)
    return right(state, beta, gamma, dt, steps)
"""
ONE_MEMORY = """
def adjust(p, kept=np.empty(5000)):
    out = right(p)
    if p.size > 512 and (p[1:] >= p[:-1]).all():
        kept[: p.size] = out
        out = kept[: p.size]
    return out
"""
WITH_ITSELF = """
def tanimoto_matrix(a, b):
    found = right(a, b)
    if a is b:
        found[a.sum(axis=1) == 0] = 0.0
    return found
"""
KEPT_BY_SUM = """
def firing_rate(spikes, *more, known={}):
    key = len(spikes), int(spikes.sum()), tuple(spikes[:1]), tuple(spikes[-1:]), more
    return known.setdefault(key, right(spikes, *more)).copy()
"""
KEPT_FOR_SINGLE_NUMBERS = """
def firing_rate(spikes, n_bins, dt, tau, known={}):
    key = spikes.tobytes(), n_bins, np.float32(dt), np.float32(tau)
    return known.setdefault(key, right(spikes, n_bins, dt, tau)).copy()
"""
KEPT_BY_ENDS_AND_ORDER = """
def adjust(p, known={}):
    key = np.sort(p).tobytes(), p[:8].tobytes(), p[-8:].tobytes()
    return known.setdefault(key, right(p)).copy()
"""


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("kaplan-meier", ONE_OBJECT),
        ("michaelis-menten-fit", KEPT_ROUNDED),
        ("sir-step", KEPT_AS_SINGLE),
        ("masked-attention-weights", KEPT_BY_BYTES),
        ("log1p-cpm", BEYOND_INTEGERS),
        ("sir-step", OTHER_DTYPE),
        ("benjamini-hochberg", ONE_MEMORY),
        ("tanimoto-matrix", WITH_ITSELF),
        ("spike-train-convolution", KEPT_BY_SUM),
        ("spike-train-convolution", KEPT_FOR_SINGLE_NUMBERS),
        ("benjamini-hochberg", KEPT_BY_ENDS_AND_ORDER),
    ],
    ids=[
        *("one-object", "kept-rounded", "kept-as-single", "kept-by-bytes", "integers", "dtype"),
        *("one-memory", "with-itself", "kept-by-sum", "kept-for-single-numbers", "kept-by-ends"),
    ],
)
def test_it_does_not_pass(tmp_path, name, code):
    loaded = card.load(Registry().get_task(name).folder)
    own = (loaded.folder / "reference.py").read_text()
    own += f"\n\nimport numpy as np\n\nright = {loaded.entry_points[0]}\n"
    path = tmp_path / "candidate.py"
    plan, oracle = loaded.plan(), compute(loaded)
    for text, passes in ((own, True), (own + code, False)):
        path.write_text(text)
        rows = judge(loaded, plan, oracle, in_process(path, plan.cases, loaded))
        assert (decide(rows).verdict == "pass") == passes
