"""Invented data with public files for tasks of the suites: as their preparers leave them."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from biomlbench.suites.published import main_metric
from biomlbench.suites.suite import find_suite
from biomlbench.task.prepare import prepare_task

from .shapes import _BY_NAME, ROWS, invent

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from biomlbench.task.task import Task

FOLDS = ("fold_random_5", "fold_modulo_5", "fold_contiguous_5")
#: Of MLE-bench: column of the id, predicted columns (or where the task's code lists them), kind.
COMPETITIONS: dict[str, tuple[str, Any, str]] = {
    "aerial-cactus-identification": ("id", ["has_cactus"], "binary"),
    "aptos2019-blindness-detection": ("id_code", ["diagnosis"], "grades"),
    "denoising-dirty-documents": ("id", ["value"], "positive"),
    "detecting-insults-in-social-commentary": ("Comment", ["Insult"], "binary"),
    "dog-breed-identification": ("id", ("dogs.py", "DOGS_LIST"), "one of"),
    "dogs-vs-cats-redux-kernels-edition": ("id", ["label"], "binary"),
    "histopathologic-cancer-detection": ("id", ["label"], "binary"),
    "jigsaw-toxic-comment-classification-challenge": ("id", ("classes.py", "CLASSES"), "binary"),
    "leaf-classification": ("id", ("classes.py", "CLASSES"), "one of"),
    "mlsp-2013-birds": ("Id", ["Probability"], "binary"),
    "new-york-city-taxi-fare-prediction": ("key", ["fare_amount"], "positive"),
    "nomad2018-predict-transparent-conductors": (
        *("id", ["formation_energy_ev_natom", "bandgap_energy_ev"], "positive"),
    ),
    "plant-pathology-2020-fgvc7": (
        *("image_id", ["healthy", "multiple_diseases", "rust", "scab"], "one of"),
    ),
    "random-acts-of-pizza": ("request_id", ["requester_received_pizza"], "binary"),
    "ranzcr-clip-catheter-line-classification": (
        *("StudyInstanceUID", ("classes.py", "CLASSES"), "binary"),
    ),
    "siim-isic-melanoma-classification": ("image_name", ["target"], "binary"),
    "spooky-author-identification": ("id", ("classes.py", "CLASSES"), "one of"),
    "tabular-playground-series-dec-2021": ("Id", ["Cover_Type"], "grades"),
    "tabular-playground-series-may-2022": ("id", ["target"], "binary"),
    "text-normalization-challenge-english-language": ("id", ["after"], "words"),
    "text-normalization-challenge-russian-language": ("id", ["after"], "words"),
    "the-icml-2013-whale-challenge-right-whale-redux": ("clip", ["probability"], "binary"),
}


def invent_task(task: Task, data_dir: Path, rows: int = ROWS) -> bool:
    """Write the data of a task of a suite; return whether its shape is known here."""
    name = task.folder.name
    rng = np.random.default_rng([1, *task.id.encode()])
    if task.domain == "proteingym-dms":
        _protein_gym(task, data_dir, rng, rows)
    elif task.domain.startswith("polarishub"):
        _polaris(task, data_dir, rng, rows)
    elif task.domain == find_suite("mle-bench").name:
        if name not in COMPETITIONS:
            return False
        _competition(task, rng, rows)
    elif name in _BY_NAME:
        invent(task.id, data_dir, 0, main_metric(task.config))
    else:
        return False
    return True


def _protein_gym(task: Task, data_dir: Path, rng: np.random.Generator, rows: int) -> None:
    """Write raw files, and let the suite's own code prepare them."""
    name, indels = task.folder.name, "indels" in task.folder.name
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    wild = "".join(rng.choice(letters, 80))
    frame = pd.DataFrame({
        "mutated_sequence": ["".join(rng.choice(letters, 80)) for _ in range(rows)],
        "DMS_score": rng.normal(size=rows).round(4),
    }).assign(**{fold: rng.integers(0, 5, rows) for fold in FOLDS})  # fmt: skip
    raw = task.home / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    frame.to_csv(raw / f"{name}.csv", index=False)
    about = pd.DataFrame({"DMS_id": [name], "target_seq": [wild]})
    which = "indels" if indels else "substitutions"
    about.to_csv(data_dir / task.domain / f"DMS_{which}.csv", index=False)
    prepare_task(task)


def _polaris(task: Task, data_dir: Path, rng: np.random.Generator, rows: int) -> None:
    """Write the files that the suite's preparer makes of what its hub gives."""
    prepared = invent(task.id, data_dir, 0, main_metric(task.config), rows)
    answers = pd.read_csv(prepared / "private" / "answers.csv")
    size = 4 * rows
    molecules = ["".join(rng.choice(list("CNOFSc1=()"), 24)) for _ in range(size + rows)]
    train = pd.DataFrame({"smiles": molecules[:size], "Y": rng.choice(answers["Y"], size)})
    train.to_csv(prepared / "public" / "train.csv", index=False)
    test = pd.DataFrame({"id": answers["id"], "smiles": molecules[size:]})
    test.to_csv(prepared / "public" / "test_features.csv", index=False)


def _competition(task: Task, rng: np.random.Generator, rows: int) -> None:
    """Write sample submission and answers; images, texts and tables are left out."""
    key, columns, kind = COMPETITIONS[task.folder.name]
    if isinstance(columns, tuple):
        file, variable = columns
        columns = runpy.run_path(str(task.folder / file))[variable]
    names = [f"{number:07x}.x" for number in rng.permutation(16**6)[:rows]]
    ids = pd.DataFrame({key: names})
    shape = (rows, len(columns))
    if kind == "binary":
        truth: Any = (rng.random(shape) < 0.4).astype(int)
        blank: Any = 0.5
    elif kind == "one of":
        truth = np.eye(shape[1], dtype=int)[rng.integers(0, shape[1], rows)]
        blank = 1 / shape[1]
    elif kind == "grades":
        truth, blank = rng.integers(1, 5, shape), 1
    elif kind == "positive":
        truth, blank = rng.random(shape).round(4), 0.0
    else:
        truth, blank = rng.choice([f"word {n}" for n in range(9)], shape), "word"
    tables = {
        task.answers: pd.concat([ids, pd.DataFrame(truth, columns=columns)], axis=1),
        task.sample_submission: ids.assign(**dict.fromkeys(columns, blank)),
    }
    for path, frame in tables.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(path, index=False)
