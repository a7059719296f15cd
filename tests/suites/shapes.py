"""Data of the right shape, invented, for the tasks of `bioml-bench-v0.1a`; and submissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 60
PROTEINGYM = [f"fitness_score_fold_{kind}_5" for kind in ("random", "modulo", "contiguous")]


def invent(
    task_id: str,
    data_dir: Path,
    seed: int = 0,
    main_metric: str | None = None,
    rows: int = ROWS,
) -> Path:
    """Write public and private files of a task's shape; return its prepared folder."""
    rng = np.random.default_rng([seed, *task_id.encode()])
    sample, answers = _tables(task_id, rng, main_metric, rows)
    prepared = data_dir / task_id / "prepared"
    for name, frame in (("public/sample_submission", sample), ("private/answers", answers)):
        path = prepared / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
    return prepared


def _tables(
    task_id: str, rng: np.random.Generator, main_metric: str | None, n: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    domain, _, name = task_id.partition("/")
    ids = pd.DataFrame({"id": range(n)})
    if domain == "proteingym-dms":
        truth = np.round(rng.normal(size=n), 2)
        columns = ["fitness_score"] if "indels" in name else PROTEINGYM
        return ids.assign(**dict.fromkeys(columns, 0.0)), ids.assign(fitness_score=truth)
    if domain.startswith("polarishub"):
        binary = main_metric in ("pr_auc", "roc_auc", "f1", "balanced_accuracy")
        truth = rng.integers(0, 2, n) if binary else np.round(rng.normal(size=n), 2)
        return ids.assign(Y=0.0), ids.assign(Y=truth)
    return _BY_NAME[name](rng)


def _modality(rng):
    cells = pd.DataFrame({"cell_id": [f"cell-{i}" for i in range(ROWS)]})
    names = [f"CD{i}" for i in range(5)]
    sample = cells.assign(**dict.fromkeys(names, 0.5))
    return sample, cells.assign(**{name: rng.normal(size=ROWS) for name in names})


def _perturbations(rng):
    genes = [f"G{i}" for i in range(8)]
    truth = pd.DataFrame(rng.normal(scale=3, size=(ROWS, 8)), columns=genes)
    answers = truth.assign(id=range(ROWS), cell_type="T", sm_name=[f"s{i}" for i in range(ROWS)])
    return pd.DataFrame({"id": range(ROWS), **dict.fromkeys(genes, 0.0)}), answers


def _communication(rng):
    pairs = pd.DataFrame(
        {
            "ligand": [f"L{i // 6}" for i in range(ROWS)],
            "target": [f"T{i % 6}" for i in range(ROWS)],
        }
    )
    answers = pairs.assign(response=rng.integers(0, 2, ROWS), interaction_id=range(ROWS))
    return pairs.assign(score=rng.random(ROWS)), answers


def _spatial(rng):
    genes = pd.DataFrame({"gene_id": [f"gene_{i}" for i in range(ROWS)]})
    truth = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], ROWS)
    return genes.assign(spatial_score=0.5), genes.assign(true_spatial_var_score=truth)


def _labels(rng):
    cells = pd.DataFrame({"cell_id": [f"AAAC-{i}" for i in range(ROWS)]})
    return cells.assign(label="B cell"), cells.assign(
        label=rng.choice(["B cell", "T cell", "podocyte"], ROWS)
    )


def _fibrosis(rng):
    rows = [(f"P{p}", week) for p in range(4) for week in range(-2, 13)]
    frame = pd.DataFrame(rows, columns=["Patient", "Weeks"])
    frame["FVC"] = np.where(rng.random(len(rows)) < 0.6, rng.normal(2500, 300, len(rows)), np.nan)
    frame["Patient_Week"] = frame["Patient"] + "_" + frame["Weeks"].astype(str)
    frame["Confidence"] = 100
    sample = frame[["Patient_Week"]].assign(FVC=2000, Confidence=100)
    return sample, frame


def _histology(rng):
    ids = pd.DataFrame({"id": [f"{i:040x}" for i in range(ROWS)]})
    return ids.assign(label=0), ids.assign(label=rng.integers(0, 2, ROWS))


def _radiogenomic(rng):
    ids = pd.DataFrame({"BraTS21ID": [f"{i:05d}" for i in range(ROWS)]})
    return ids.assign(MGMT_value=0.5), ids.assign(MGMT_value=rng.integers(0, 2, ROWS))


def _mask(rng: np.random.Generator) -> str:
    if rng.random() < 0.4:
        return ""
    start = int(rng.integers(1, 50))
    return f"{start} {int(rng.integers(2, 9))} {start + 12} {int(rng.integers(1, 5))}"


def _tract(rng):
    rows = [
        (f"case{c}_day{d}_slice_{s:04d}", organ)
        for c in (1, 2)
        for d in (0, 3)
        for s in (1, 2)
        for organ in ("large_bowel", "small_bowel", "stomach")
    ]
    frame = pd.DataFrame(rows, columns=["id", "class"])
    answers = frame.assign(predicted=[_mask(rng) for _ in rows], image_width=10.0, image_height=9.0)
    return frame.assign(predicted="1 1 5 2"), answers


_BY_NAME = {
    "open-problems-predict-modality": _modality,
    "open-problems-single-cell-perturbations": _perturbations,
    "open-problems-cell-cell-communication-ligand-target": _communication,
    "open-problems-spatially-variable-genes": _spatial,
    "open-problems-label-projection": _labels,
    "osic-pulmonary-fibrosis-progression": _fibrosis,
    "histopathologic-cancer-detection": _histology,
    "rsna-miccai-brain-tumor-radiogenomic-classification": _radiogenomic,
    "uw-madison-gi-tract-image-segmentation": _tract,
}


def submission(prepared: Path, seed: int, *, tied: bool = False) -> pd.DataFrame:
    """Return random predictions of the sample submission's shape, in its order."""
    rng = np.random.default_rng(seed)
    frame = pd.read_csv(prepared / "public" / "sample_submission.csv", dtype={"BraTS21ID": str})
    answers = pd.read_csv(prepared / "private" / "answers.csv")
    keys = ("id", "cell_id", "gene_id", "ligand", "target", "class", "BraTS21ID", "Patient_Week")
    for name in frame.columns:
        if name in keys:
            continue
        n = len(frame)
        if name == "predicted":
            frame[name] = [_mask(rng) for _ in range(n)]
        elif name == "label" and frame[name].dtype.kind not in "if":
            frame[name] = rng.choice(answers["label"].unique(), n)
        elif name in ("FVC", "Confidence"):
            frame[name] = rng.normal(2500 if name == "FVC" else 200, 90, n)
        else:
            values = rng.random(n)
            frame[name] = np.round(values, 1) if tied else values
    return frame
