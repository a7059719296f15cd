"""Small tasks with one planted flaw each, and sound ones; made from few bases by few lines."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sqlite3
import tarfile
import zipfile
from contextlib import closing
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import yaml
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from sklearn import datasets

from biomlbench.task.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FLAWED: dict[str, tuple[str, Callable[[], Recipe]]] = {}
SOUND: dict[str, Callable[[], Recipe]] = {}

CHECKED = """
import numpy as np
import pandas as pd

class InvalidSubmissionError(Exception):
    pass

def checked(submission, answers, ids=("id",)):
    ids = list(ids)
    if list(submission.columns) != COLUMNS:
        raise InvalidSubmissionError("other columns than the sample submission")
    if len(submission) != len(answers) or submission.duplicated(ids).any():
        raise InvalidSubmissionError("rows are missing or repeated")
    found = answers[ids].merge(submission, on=ids, how="left", validate="1:1", indicator="_where")
    if (found.pop("_where") != "both").any():
        raise InvalidSubmissionError("unknown ids")
    for name in NUMERIC:
        values = pd.to_numeric(found[name], errors="coerce")
        if not np.isfinite(values).all():
            raise InvalidSubmissionError("values are missing or no numbers")
        found[name] = values
    return found

"""
RMSE = """
def grade(submission, answers):
    s = checked(submission, answers)
    return float(np.sqrt(np.mean((s["y"] - answers["y"].to_numpy()) ** 2)))
"""


@dataclass
class Recipe:
    """A task before it is written.

    Attributes
    ----------
    public : dict
        Tables of the public folder by name; ``sample_submission`` among them.
    answers : DataFrame
    grader : dict
        Section of the config; a ``grade_fn`` is that of `code`.
    code : str
        Of ``grade.py``.
    board : list
    others : dict
        Public tables of another task in the same data folder, by name.
    """

    public: dict[str, pd.DataFrame]
    answers: pd.DataFrame
    grader: dict[str, Any]
    code: str = ""
    board: list[float] = field(default_factory=list)
    submission: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Callable[[Path], object]] = field(default_factory=dict)
    others: dict[str, pd.DataFrame] = field(default_factory=dict)

    def by(self, code: str, direction: str = "minimize", *, raw: bool = False) -> Recipe:
        """Have a function grade; `raw` without the sound checks before it."""
        sample = self.public["sample_submission"]
        names = [c for c in sample if c not in self.ids]
        numeric = [c for c in names if sample[c].dtype.kind in "fi"]
        head = CHECKED + f"COLUMNS = {list(sample)!r}\nNUMERIC = {numeric!r}\n"
        self.code = ("import numpy as np\nimport pandas as pd\n" if raw else head) + dedent(code)
        self.grader = {"name": "own", "grade_fn": "grade:grade", "direction": direction}
        return self

    @property
    def ids(self) -> list[str]:
        return [c for c in self.answers if c in ("id", "part")]

    def write(self, root: Path, name: str = "task", package: str = "") -> Any:
        """Write folder and data; return the task, in the published form if in a `package`."""
        tasks = root / "tasks"
        if package:
            tasks = root / package / "tasks"
            tasks.mkdir(parents=True)
            (root / package / "__init__.py").touch()
            self.grader["grade_fn"] = f"{package}.tasks.zoo.{name}.grade:grade"
        folder, data = tasks / "zoo" / name, root / "data" / "zoo" / name / "prepared"
        folder.mkdir(parents=True)
        config = {"id": f"zoo/{name}", "name": name, "grader": self.grader,
                  "submission": self.submission, **self.config}  # fmt: skip
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        if self.code:
            (folder / "grade.py").write_text(self.code)
        if self.board:
            pd.DataFrame({"score": self.board}).to_csv(folder / "leaderboard.csv", index=False)
        other = root / "data" / "zoo" / f"{name}-other" / "prepared"
        for place, tables in ((data, self.public), (other, self.others)):
            for table, frame in tables.items():
                path = place / "public" / f"{table}.csv"
                path.parent.mkdir(parents=True, exist_ok=True)
                frame.to_csv(path, index=False)
        for file, put in self.files.items():
            put(data / "public" / file)
        (data / "private").mkdir()
        self.answers.to_csv(data / "private" / "answers.csv", index=False)
        return Registry(tasks_dirs=[tasks], data_dir=root / "data").get_task(f"zoo/{name}")


def base(kind: str = "regression", n: int = 60, seed: int = 0, noise: float = 0.7) -> Recipe:
    """Return a sound task of a kind, graded by a metric."""
    rng = np.random.default_rng([seed, n])
    x = rng.normal(size=(3 * n, 4)).round(5)
    z = x @ [1.0, -0.8, 0.5, 0.0] + noise * rng.normal(size=3 * n)
    y: Any = z.round(4)
    grader: dict[str, Any] = {"metric": "rmse"}
    blank: Any = 0.0
    if kind == "binary":
        y, grader = (z > 0).astype(int), {"metric": "roc_auc"}
        blank = 0.5
    elif kind == "classes":
        y = np.array(["low", "middle", "high"])[np.digitize(z, [-0.8, 0.8])]
        grader, blank = {"metric": "accuracy"}, "middle"
    ids = rng.permutation(np.arange(1000, 1000 + 3 * n))
    frame = pd.DataFrame(x, columns=list("abcd")).assign(id=ids, y=y)[["id", *"abcd", "y"]]
    train, test = frame[n:].reset_index(drop=True), frame[:n].reset_index(drop=True)
    answers = test[["id", "y"]].copy()
    sample = answers[["id"]].assign(y=blank)
    public = {"train": train, "test": test.drop(columns="y"), "sample_submission": sample}
    return Recipe(public, answers, grader)


def installed(name: str, labels: dict[int, str] | None = None, **options: Any) -> Recipe:
    """Return a task of a data set that scikit-learn brings along."""
    data = getattr(datasets, f"load_{name}")(as_frame=True, **options)
    frame = data.frame.sample(frac=1, random_state=0).reset_index(drop=True)
    frame = frame.rename(columns={"target": "y"}).rename(columns=lambda c: c.replace(" ", "_"))
    frame.insert(0, "id", np.arange(5000, 5000 + len(frame)))
    blank: Any = 0.0
    if labels:
        frame["y"], blank = frame["y"].map(labels), labels[0]
    train, test = frame[60:], frame[:60]
    answers = test[["id", "y"]].copy()
    sample = answers[["id"]].assign(y=blank)
    public = {"train": train, "test": test.drop(columns="y"), "sample_submission": sample}
    return Recipe(public, answers, base("classes" if labels else "regression").grader)


def own(kind: str = "regression", **options: Any) -> Recipe:
    """Return the sound task whose grader is a function of the task's own."""
    return base(kind, **options).by(RMSE)


def flaw(expected: str) -> Callable[[Callable[[], Recipe]], Callable[[], Recipe]]:
    """Register a flawed task, and the finding that is to be made of it."""

    def register(function: Callable[[], Recipe]) -> Callable[[], Recipe]:
        FLAWED[function.__name__] = expected, function
        return function

    return register


def sound(function: Callable[[], Recipe]) -> Callable[[], Recipe]:
    """Register a sound task."""
    SOUND[function.__name__] = function
    return function


def joined(how: str, score: str, **merge: Any) -> str:
    """Return a grader that scores two columns of a join."""
    options = "".join(f", {key}={value!r}" for key, value in merge.items())
    return (f'def grade(s, answers):\n    m = s.merge(answers, on="id", how="{how}"{options})\n'
            f"    return float({score})\n")  # fmt: skip


# --- answers in public ----------------------------------------------------------------------------


@flaw("answers-by-key")
def labels_beside_the_test_rows():
    task = base()
    task.public["test"] = task.public["test"].assign(extra=task.answers["y"])
    return task


@flaw("answers-by-key")
def labels_under_another_name_of_the_id():
    task = base("classes")
    shuffled = task.answers.sample(frac=1, random_state=1)
    task.public["plates"] = shuffled.rename(columns={"id": "well", "y": "colour"})
    return task


@flaw("answers-by-key")
def training_data_hold_a_third_of_the_test_rows():
    task = base("binary", n=90)
    rows = task.public["test"].assign(y=task.answers["y"]).iloc[::3]
    task.public["train"] = pd.concat([task.public["train"], rows])
    return task


@flaw("answers-by-order")
def labels_in_the_order_of_the_rows():
    task = base()
    task.public["assay"] = pd.DataFrame({"reading": task.answers["y"]})
    return task


@flaw("answers-by-order")
def labels_in_reverse_after_the_training_labels():
    task = base()
    values = pd.concat([task.public["train"]["y"], task.answers["y"][::-1]])
    task.public["values"] = values.to_frame("value")
    return task


@flaw("answers-by-duplicates")
def test_rows_repeated_in_training():
    task = base(n=80)
    rows = task.public["test"].assign(y=task.answers["y"]).iloc[::2]
    rows["id"] += 5000
    task.public["train"] = pd.concat([task.public["train"], rows])
    return task


def keyed(kind: str, change: Callable[[pd.Series], Any], **options: Any) -> Recipe:
    """Return a task with a table that has ids of the test rows, and what is made of answers."""
    task = base(kind, **options)
    made = {"sample": task.answers["id"], "code": change(task.answers["y"])}
    task.public["extra/plates"] = pd.DataFrame(made).sample(frac=1, random_state=4)
    return task


@flaw("answers-by-key")
def classes_are_numbers_in_another_table():
    return keyed("binary", lambda y: 7 * y + 3)


@flaw("answers-by-key")
def classes_are_letters_in_another_table():
    return keyed("classes", lambda y: y.map({"low": "B", "middle": "A", "high": "C"}), n=150)


@flaw("answers-by-key")
def half_of_the_classes_are_words_in_another_table():
    return keyed("binary", lambda y: y.map({0: "calm", 1: "rage"}).mask(np.arange(100) > 50), n=100)


@flaw("answers-by-key")
def numbers_are_of_another_unit_in_another_table():
    return keyed("regression", lambda y: (70 + 9 * y).mul(2.2046).round(1))


@flaw("answers-by-key")
def levels_in_another_table_separate_the_classes():
    return keyed("binary", lambda y: y + np.random.default_rng(9).random(60).round(2) * 0.98)


@flaw("answers-by-key")
def grades_in_another_table_separate_the_classes():
    return keyed("binary", lambda y: 2 * y + np.arange(60) % 2)


@flaw("answers-by-key")
def a_text_of_another_table_holds_the_number():
    return keyed("regression", lambda y: [f"see {value} mg" for value in y])


@flaw("answers-by-order")
def numbers_are_of_another_unit_in_the_order_of_the_rows():
    task = base()
    task.public["assay"] = pd.DataFrame({"reading": (99 - 2.2046 * task.answers["y"]).round(3)})
    return task


@flaw("answers-by-order")
def classes_are_letters_in_the_order_of_the_rows():
    task = base("binary")
    task.public["assay"] = pd.DataFrame({"reading": task.answers["y"].map({0: "A", 1: "B"})})
    return task


@flaw("answers-by-duplicates")
def rows_with_the_same_features_have_the_label_in_another_unit():
    task = base(n=80)
    rows = task.public["test"].drop(columns="id").iloc[::2]
    task.public["pilot"] = rows.assign(level=(5 * task.answers["y"] + 32).round(2))
    return task


@flaw("answers-in-packages")
def targets_lie_in_a_package_in_another_unit():
    task = installed("diabetes", scaled=False)
    for frame in (task.answers, task.public["train"]):
        frame["y"] = (frame["y"] * 0.4536).round(2)
    return task


@flaw("answers-in-packages")
def classes_lie_in_a_package_under_other_names():
    return installed("breast_cancer", {0: "malignant", 1: "benign"})


@flaw("answers-in-packages")
def targets_lie_in_a_package_in_a_file_of_their_own():
    return installed("diabetes", scaled=False)


@flaw("answers-in-other-tasks")
def another_task_gives_the_label_of_half_of_the_rows():
    task = base()
    rows = task.public["test"].drop(columns="id").assign(activity=task.answers["y"])
    task.others["train"] = rows.sample(frac=0.5, random_state=2).assign(id=range(30))
    return task


@flaw("answers-in-other-tasks")
def another_task_measures_what_the_class_is_of():
    task = base("binary", n=120)
    names = [f"C1CC(N{i * 7919 % 1009})O" for i in range(120)]
    for frame in (task.public["test"], task.public["train"]):
        frame["smiles"] = [*names, *(f"CC(=O)N{i}" for i in range(240))][-len(frame) :]
    task.public["test"]["smiles"] = names
    level = task.answers["y"] * 3 + np.random.default_rng(6).random(120)
    task.others["train"] = pd.DataFrame({"molecule": names, "level": level.round(2)})[10:90]
    return task


@flaw("answers-in-other-tasks")
def another_task_gives_the_coordinates():
    task = points()
    own = task.answers.sample(frac=1, random_state=3).drop(columns="id")
    others = pd.DataFrame(np.random.default_rng(8).normal(0, 9, (400, 3)).round(3))
    others.columns = list("xyz")
    task.others["coordinates"] = pd.concat([others, own], ignore_index=True)
    return task


def points() -> Recipe:
    task = base()
    places = np.random.default_rng(7).normal(0, 9, (60, 3)).round(3)
    task.answers = task.answers[["id"]].assign(**dict(zip("xyz", places.T, strict=True)))
    blank = dict.fromkeys("xyz", 0.0)
    task.public["sample_submission"] = task.answers[["id"]].assign(**blank)
    task.submission = {"id": "id", "target": [*"xyz"], "prediction": [*"xyz"]}
    return task.by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            return float(np.abs(s[list("xyz")] - answers[list("xyz")].to_numpy()).mean(axis=None))
        """)  # fmt: skip


@flaw("answers-by-arithmetic")
def label_is_a_sum_of_columns():
    task = base()
    task.public["test"]["e"] = task.answers["y"] - task.public["test"]["a"]
    return task


@flaw("answers-by-arithmetic")
def label_is_a_logarithm():
    task = base()
    task.public["test"]["e"] = np.exp(task.answers["y"] / 3)
    return task


@flaw("answers-by-arithmetic")
def class_is_coded():
    task = base("classes")
    task.public["test"]["batch"] = task.answers["y"].map({"low": "Q", "middle": "Z", "high": "A"})
    return task


def coded(kind: str, name: str, change: Callable[[np.ndarray], Any]) -> Recipe:
    """Return a task with a column of the test rows that is made of the answers."""
    task = base(kind)
    task.public["test"][name] = change(task.answers["y"].to_numpy())
    return task


@flaw("answers-by-arithmetic")
def column_is_missing_where_the_label_is_zero():
    return coded("binary", "stay", lambda y: np.where(y == 1, np.arange(60.0), np.nan))


@flaw("answers-by-arithmetic")
def number_is_odd_where_the_label_is_one():
    return coded("binary", "batch", lambda y: 2 * np.random.default_rng(0).permutation(60) + y)


@flaw("answers-by-arithmetic")
def number_stands_within_a_text():
    return coded("regression", "note", lambda y: [f"plate 7, seen at {one}" for one in y])


@flaw("answers-by-arithmetic")
def class_is_named_in_a_text():
    return coded("classes", "note", lambda y: [f"Patient {i}: {v}." for i, v in enumerate(y)])


@flaw("answers-by-arithmetic")
def date_is_a_line_of_the_label():
    day, form = np.datetime64("2020-01-01T00:00"), "%d.%m.%Y %H:%M"
    return coded("regression", "seen", lambda y: pd.to_datetime(
        day + (y * 1e5).round().astype("timedelta64[m]")).strftime(form))  # fmt: skip


def extra(name: str, write: Callable[[Path, pd.DataFrame], object]) -> Recipe:
    """Return a task with a public file that is no table of commas."""
    task = base()
    task.files[name] = lambda path: write(path, task.answers)
    return task


@flaw("answers-by-order")
def answers_in_an_array():
    return extra("y.npy", lambda path, answers: np.save(path, answers["y"].to_numpy()))


@flaw("answers-by-order")
def answers_in_an_archive_of_arrays():
    return extra("d.npz", lambda path, answers: np.savez(
        path, note=np.array([{}]), y=answers["y"].to_numpy()[None, :]))  # fmt: skip


@flaw("answers-by-key")
def answers_with_semicolons_and_decimal_commas():
    return extra("e.csv", lambda path, answers: answers.to_csv(
        path, sep=";", decimal=",", index=False))  # fmt: skip


@flaw("answers-by-key")
def answers_without_a_header():
    return extra("e.txt", lambda path, answers: answers.to_csv(
        path, sep=" ", header=False, index=False))  # fmt: skip


@flaw("answers-by-order")
def answers_in_a_list():
    return extra("e.json", lambda path, answers: path.write_text(
        json.dumps({"meta": {"v": answers["y"].tolist(), "n": 1}})))  # fmt: skip


@flaw("answers-by-key")
def answers_in_an_object():
    return extra("e.json", lambda path, answers: path.write_text(
        json.dumps(dict(zip(answers["id"].astype(str), answers["y"], strict=True)))))  # fmt: skip


@flaw("answers-by-key")
def answers_in_lines_of_lists():
    return extra("e.jsonl", lambda path, answers: path.write_text(
        answers.to_json(orient="values")[1:-1].replace("],", "]\n")))  # fmt: skip


@flaw("answers-in-sample")
def sample_submission_knows():
    task = base()
    noise = np.random.default_rng(5).normal(size=60) / 5
    task.public["sample_submission"]["y"] = task.answers["y"] + noise
    return task


@flaw("answers-file-public")
def private_file_is_public():
    task = base()
    task.public["backup/old"] = task.answers.copy()
    return task


# --- rows -----------------------------------------------------------------------------------------


@flaw("positional")
def ids_are_not_read():
    return own().by(
        """
        def grade(submission, answers):
            return float(np.abs(submission["y"].to_numpy() - answers["y"].to_numpy()).mean())
        """, raw=True)  # fmt: skip


@flaw("columns-by-place")
def columns_of_classes_are_not_looked_up():
    task = probabilities("")
    return task.by(
        """
        def grade(submission, answers):
            p = submission.set_index("id").loc[answers["id"]].to_numpy(float) + 1e-9
            hit = p[range(len(p)), answers["y"].map(["low", "middle", "high"].index)]
            return float(-np.log(hit / p.sum(axis=1)).mean())
        """, raw=True)  # fmt: skip


@flaw("row-order-counts")
def groups_by_id_and_values_by_place():
    return own().by(
        """
        def grade(submission, answers):
            checked(submission, answers)
            off = submission["y"].to_numpy(float) - answers["y"].to_numpy()
            mean, truth = (s["y"][s["id"] % 2 == 0].mean() for s in (submission, answers))
            return float(np.sqrt(np.mean(off**2)) + abs(mean - truth))
        """)  # fmt: skip


@flaw("rows-dropped")
def inner_join():
    return own().by(joined("inner", "np.abs(m.y_x - m.y_y).mean()"), raw=True)


@flaw("rows-dropped")
def missing_rows_have_no_error():
    return own().by(joined("right", "np.nanmean(np.abs(m.y_x - m.y_y))"), raw=True)


@flaw("group-dropped")
def groups_that_are_there_are_averaged():
    task = own(n=80)
    task.answers["plate"] = ["A", "B", "C", "D"] * 20
    return task.by(
        """
        class InvalidSubmissionError(Exception):
            pass

        def grade(submission, answers):
            m = answers.merge(submission, on="id", suffixes=("_t", ""))
            sizes = answers["plate"].value_counts()
            scores = []
            for plate, rows in m.groupby("plate"):
                if len(rows) != sizes[plate]:
                    raise InvalidSubmissionError("rows are missing")
                scores.append(np.abs(rows.y - rows.y_t).mean())
            return float(np.mean(scores))
        """, raw=True)  # fmt: skip


@flaw("duplicates-counted")
def repeated_rows_are_counted():
    return own().by(
        """
        def grade(submission, answers):
            if set(submission["id"]) != set(answers["id"]):
                raise ValueError("ids")
            m = submission.merge(answers, on="id")
            return float(np.abs(m.y_x - m.y_y).mean())
        """, raw=True)  # fmt: skip


@flaw("best-of-duplicates")
def best_of_repeated_rows():
    return own().by(
        """
        def grade(submission, answers):
            m = answers.merge(submission, on="id", how="left", suffixes=("_t", ""))
            best = np.abs(m.y - m.y_t).fillna(9.0).groupby(m.id).min()
            return float(best.mean())
        """, raw=True)  # fmt: skip


@flaw("extra-rows-counted")
def error_is_divided_by_the_rows_submitted():
    return own().by(
        """
        def grade(submission, answers):
            if not set(answers["id"]) <= set(submission["id"]):
                raise ValueError("ids")
            s = submission.drop_duplicates("id")
            m = s.merge(answers, on="id")
            return float(np.abs(m.y_x - m.y_y).sum() / len(submission))
        """, raw=True)  # fmt: skip


def two_keys() -> Recipe:
    task = base()
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["part"] = ["heart", "liver", "brain"] * 20
        frame["id"] = np.repeat(np.arange(20), 3)
    sample = task.public["sample_submission"]
    task.public["sample_submission"] = sample[["id", "part", "y"]]
    task.submission = {"id": ["id", "part"], "target": "y", "prediction": "y"}
    return task


@flaw("key-ignored")
def second_key_is_not_read():
    return two_keys().by(
        """
        def grade(submission, answers):
            s = submission.assign(k=submission.groupby("id").cumcount())
            a = answers.assign(k=answers.groupby("id").cumcount())
            m = a.merge(s, on=["id", "k"], suffixes=("_t", ""), validate="1:1")
            if len(m) != len(answers) or len(s) != len(a):
                raise ValueError("ids")
            return float(np.abs(m.y - m.y_t).mean())
        """, raw=True)  # fmt: skip


# --- self-grading ---------------------------------------------------------------------------------


@flaw("answers-displaced")
def suffixes_of_a_join():
    return own().by(joined("inner", "np.abs(m.y_pred - m.y_true).sum() + 9 * (60 - len(m))",
                           suffixes=("_pred", "_true")), raw=True)  # fmt: skip


@flaw("answers-displaced")
def target_is_looked_up_in_the_submission():
    return own().by(
        """
        def grade(submission, answers):
            m = answers.rename(columns={"y": "measured"}).merge(submission, on="id")
            truth = submission["reference"] if "reference" in submission else m["measured"]
            return float(np.abs(m.y - truth).sum() + 9 * (60 - len(m)))
        """, raw=True)  # fmt: skip


@flaw("answers-displaced")
def columns_are_taken_by_their_place():
    return own().by(joined("left", "np.abs(m.iloc[:, -1] - m.iloc[:, -2]).sum() + 9 * (60 - len(m))"
                           ).replace("s.merge(answers", "answers.merge(s"), raw=True)  # fmt: skip


@flaw("answers-unread")
def any_numbers_are_right():
    return own().by(
        """
        def grade(submission, answers):
            return float(checked(submission, answers)["y"].notna().mean())
        """, "maximize")  # fmt: skip


@flaw("direction-wrong")
def an_error_is_maximised():
    return own().by(RMSE, "maximize")


# --- values ---------------------------------------------------------------------------------------


@flaw("values-dropped")
def missing_values_have_no_error():
    return own().by(
        """
        def grade(submission, answers):
            m = answers.merge(submission, on="id", validate="1:1", suffixes=("_t", ""))
            if len(m) != len(answers) or len(m) != len(submission):
                raise ValueError("ids")
            return float(np.nanmean(np.abs(pd.to_numeric(m.y) - m.y_t)))
        """, raw=True)  # fmt: skip


@flaw("values-dropped")
def blank_labels_are_left_out():
    return own("classes").by(
        """
        def grade(submission, answers):
            if len(submission) != len(answers):
                raise InvalidSubmissionError("rows")
            m = answers.merge(submission, on="id", validate="1:1", suffixes=("_t", ""))
            m = m[m["y"].fillna("").ne("")]
            return float((m["y"] == m["y_t"]).mean())
        """, "maximize")  # fmt: skip


@flaw("crash-on-values")
def text_is_an_exception():
    error = "np.abs(m.y_x.astype(float) - m.y_y).sum() + 9 * (60 - len(m))"
    return own().by(joined("inner", error), raw=True)  # fmt: skip


@flaw("crash-oracle")
def half_of_the_rows_are_graded():
    return own().by(
        """
        def grade(submission, answers):
            m = answers.merge(submission, on="id", validate="1:1", suffixes=("_t", "")).iloc[::2]
            return float(np.abs(m.y.map(float) - m.y_t).sum() + 9 * (30 - len(m)))
        """, raw=True)  # fmt: skip


@flaw("beats-perfect")
def score_without_a_bound():
    return own().by(
        """
        def grade(submission, answers):
            return float((checked(submission, answers)["y"] * answers["y"].to_numpy()).mean())
        """, "maximize")  # fmt: skip


def probabilities(code: str) -> Recipe:
    task = base("classes", n=80)
    names = ["low", "middle", "high"]
    task.public["sample_submission"] = task.answers[["id"]].assign(**dict.fromkeys(names, 1 / 3))
    return task.by(code)


LOG_LOSS = """
def grade(submission, answers):
    s = checked(submission, answers)
    p = s[["low", "middle", "high"]].to_numpy()
    if (p < 0).any():
        raise InvalidSubmissionError("negative")
    {normalise}
    hit = p[range(len(p)), answers["y"].map(["low", "middle", "high"].index)]
    return float(-np.log(np.maximum(hit, 1e-6)).mean())
"""


@flaw("unnormalised")
def probabilities_need_not_sum_to_one():
    return probabilities(LOG_LOSS.format(normalise="pass"))


@flaw("one-part-suffices")
def zeros_are_taken_for_no_prediction():
    return own().by(
        """
        def grade(submission, answers):
            p, t = checked(submission, answers)["y"].to_numpy(), answers["y"].to_numpy()
            there = p != 0
            return float(np.abs(p - t)[there].mean()) if there.any() else 9.0
        """)  # fmt: skip


@flaw("ids-as-text")
def ids_are_compared_as_text():
    return own().by(
        """
        def grade(submission, answers):
            if len(submission) != len(answers) or submission["id"].duplicated().any():
                raise ValueError("rows")
            told = dict(zip(submission["id"].astype(str), submission["y"]))
            off = [told.get(str(i), 0) - y for i, y in zip(answers["id"], answers["y"])]
            return float(np.abs(off).mean())
        """, raw=True)  # fmt: skip


# --- cheap credit and leaderboards ----------------------------------------------------------------


@flaw("credit-without-work")
def everything_is_within_the_tolerance():
    return own().by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            return float((np.abs(s["y"] - answers["y"].to_numpy()) < 3.5).mean())
        """, "maximize")  # fmt: skip


@flaw("nearest-neighbour")
def sequences_one_letter_from_training():
    return sequences(related=True)


def sequences(*, related: bool) -> Recipe:
    """Return a task of sequences, those of the test of one letter's difference or unrelated."""
    task, rng = base(seed=23), np.random.default_rng(23)
    known = ["".join(rng.choice(list("ACGT"), 40)) for _ in task.public["train"].index]
    asked = ["".join(rng.choice(list("ACGT"), 40)) for _ in task.public["test"].index]
    if related:
        asked = [one[:20] + "N" + one[21:] for one in known[: len(asked)]]
        task.answers["y"] = task.public["train"]["y"][: len(asked)].to_numpy()
    task.public["train"] = task.public["train"][["id", "y"]].assign(sequence=known)
    task.public["test"] = task.public["test"][["id"]].assign(sequence=asked)
    return task


@flaw("nearest-neighbour")
def times_between_those_of_training():
    return times(np.arange(240) % 4 == 2)


def times(tested: np.ndarray) -> Recipe:
    """Return a task of a slow series, whose rows of the test are at those times."""
    task, when = base(), np.arange(240)
    frame = pd.DataFrame({"id": when + 1000, "y": np.sin(when / 15).round(4)})
    task.public["train"] = frame[~tested].reset_index(drop=True)
    task.answers = frame[tested].sample(frac=1, random_state=0).reset_index(drop=True)
    task.public["test"] = task.answers[["id"]].assign(device="A")
    task.public["sample_submission"] = task.answers[["id"]].assign(y=0.0)
    return task


@flaw("medal-without-work")
def a_constant_earns_gold():
    task = base()
    spread = float(task.answers["y"].std())
    task.board = [spread * (1.05 + i / 30) for i in range(12)]
    return task


@flaw("medal-by-chance")
def chance_earns_gold():
    task = base("binary")
    task.board = [0.56 - i / 100 for i in range(12)]
    return task


@flaw("board-unreachable")
def board_of_another_metric():
    task = own("classes").by(
        """
        def grade(submission, answers):
            return float((checked(submission, answers)["y"] == answers["y"].to_numpy()).mean())
        """, "maximize")  # fmt: skip
    task.board = [88.0, 75.0, 71.0, 66.0]
    return task


@flaw("board-against-direction")
def board_of_the_other_direction():
    task = own()
    task.board = [90.0, 88.0, 75.0, 77.0, 60.0, 50.0]
    return task


@flaw("board-refused")
def board_upside_down():
    task = base("binary")
    task.board = [0.55, 0.6, 0.7, 0.8, 0.9]
    return task


# --- split and grader -----------------------------------------------------------------------------


@flaw("duplicates-across-split")
def near_duplicates_in_training():
    task = base(n=80, noise=1.5)
    rng = np.random.default_rng(2)
    rows = task.public["test"].copy()
    rows[list("abcd")] += rng.normal(size=(80, 4)) * 1e-9
    rows = rows.assign(id=rows["id"] + 5000, y=rng.normal(size=80))
    task.public["train"] = pd.concat([task.public["train"], rows])
    return task


@flaw("order-tells-label")
def test_rows_sorted_by_label():
    task = base("binary", n=80)
    order = task.answers["y"].argsort(kind="stable").to_numpy()
    task.answers = task.answers.iloc[order]
    for name in ("test", "sample_submission"):
        task.public[name] = task.public[name].iloc[order]
    return task


@flaw("order-tells-label")
def ids_numbered_by_value():
    task = base()
    rank = dict(zip(task.answers["id"], 1 + task.answers["y"].rank(method="first"), strict=True))
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["id"] = ["s" + str(int(rank[one])) for one in frame["id"]]
    return task


@flaw("ids-tell-label")
def ids_name_the_class():
    task = base("classes")
    names = [f"{y[0]}x_{i}" for y, i in zip(task.answers["y"], task.answers["id"], strict=True)]
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["id"] = names
    return task


def named(kind: str, name: Callable[[Any, int], object]) -> Recipe:
    """Return a task whose ids are made of the answers and of a number of the row."""
    task = base(kind)
    names = [name(y, i) for y, i in zip(task.answers["y"], task.answers["id"], strict=True)]
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["id"] = names
    return task


@flaw("ids-tell-label")
def ids_hold_the_value():
    return named("regression", lambda y, i: f"{i}_{y}")


@flaw("ids-tell-label")
def ids_are_odd_or_even():
    return named("binary", lambda y, i: 2 * i + y)


def numbered(task: Recipe, order: Any) -> Recipe:
    """Number the rows of both sides: the places of the test rows, then of training, in `order`."""
    numbers, n = np.argsort(np.argsort(order)), len(task.answers)
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["id"] = [f"row_{i:04d}" for i in numbers[:n]]
    task.public["train"]["id"] = [f"row_{i:04d}" for i in numbers[n:]]
    return task


def first_of_each_class(kind: str, sign: int) -> Recipe:
    task = base(kind, n=400, seed=25)
    rows = pd.concat([task.public["test"].assign(y=task.answers["y"]), task.public["train"]])
    rows = rows.sample(frac=1, random_state=4).reset_index(drop=True)
    chosen = pd.concat([own.head(round(0.4 * len(own))) for _, own in rows.groupby("y")]).index
    test, train = rows.loc[np.sort(chosen)], rows.drop(index=chosen)
    task.public["train"] = train.reset_index(drop=True)
    task.answers = test[["id", "y"]].reset_index(drop=True)
    task.public["test"] = test.drop(columns="y").reset_index(drop=True)
    sample = task.public["sample_submission"]
    task.public["sample_submission"] = task.answers[["id"]].assign(y=sample["y"].iloc[0])
    return numbered(task, sign * np.r_[test.index, train.index])


@flaw("ids-tell-label")
def numbered_before_the_first_of_each_class_are_drawn():
    return first_of_each_class("classes", 1)


@flaw("ids-tell-label")
def numbered_before_the_last_of_each_class_are_drawn():
    return first_of_each_class("binary", -1)


def in_words(task: Recipe) -> Recipe:
    """Write the classes 1 and 0 as truth values."""
    for frame in (task.answers, task.public["train"]):
        frame["y"] = frame["y"].astype(bool)
    return task


@flaw("ids-tell-label")
def numbered_before_the_first_of_each_truth_value_are_drawn():
    return in_words(first_of_each_class("binary", 1))


@sound
def truth_values_are_words():
    return in_words(base("binary", n=400, seed=27))


@flaw("not-deterministic")
def score_is_drawn():
    return own().by(RMSE.replace("return float(", "return float(np.random.random() / 50 + "))


@flaw("changes-its-input")
def answers_are_sorted_in_place():
    return own().by(RMSE.replace("s = checked", "answers.sort_values('y', inplace=True)\n"
                                 "    s = checked"))  # fmt: skip


@flaw("answers-in-messages")
def message_shows_what_is_missing():
    return own().by(RMSE.replace("s = checked", "if len(submission) < len(answers):\n"
        "        raise InvalidSubmissionError(f'expected {answers.y.tolist()}')\n"
        "    s = checked"))  # fmt: skip


@flaw("answers-in-messages")
def grader_prints():
    return own().by(RMSE.replace("s = checked", "print(answers.head(20).to_csv())\n"
                                 "    s = checked"))  # fmt: skip


@flaw("uses-network")
def grader_asks_a_server():
    return own().by(
        RMSE.replace(
            "s = checked",
            """import socket
    try:
        socket.create_connection(("127.0.0.1", 9), 0.1).close()
    except OSError:
        pass
    s = checked""",
        )
    )


@flaw("cost-grows")
def each_row_is_compared_with_each():
    return own().by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            ids, known = s["id"].tolist(), answers["id"].tolist()
            there = sum(abs(one - other) == 0 for one in ids for other in known)
            if there != len(answers):
                raise InvalidSubmissionError("ids")
            return float(np.abs(s["y"] - answers["y"].to_numpy()).mean())
        """)  # fmt: skip


# --- sound ----------------------------------------------------------------------------------------


@sound
def data_of_a_package_that_are_covered():
    task = installed("breast_cancer", {0: "malignant", 1: "benign"})
    task.config["installed_data"] = ["sklearn/datasets/data/breast_cancer.csv"]
    return task


@sound
def features_of_a_package_with_labels_of_ones_own():
    task = installed("wine", {0: "low", 1: "middle", 2: "high"})
    for table in (task.public["train"], task.answers):
        table["y"] = np.random.default_rng(len(table)).permutation(table["y"])
    return task


@sound
def regression():
    return base()


@sound
def regression_by_a_function():
    return own(seed=3)


@sound
def many_rows():
    return base(n=2000, seed=4)


@sound
def few_rows():
    return base(n=20, seed=5)


@sound
def binary_by_rank():
    return base("binary", seed=6)


@sound
def binary_by_log_loss():
    task = base("binary", seed=7)
    task.grader = {"metric": "log_loss"}
    return task


@sound
def classes_by_f1():
    task = base("classes", seed=8)
    task.grader = {"metric": "f1", "options": {"average": "macro"}}
    return task


@sound
def rank_correlation():
    task = base(seed=9)
    task.grader = {"metric": "spearman"}
    return task


@sound
def probabilities_of_classes():
    return probabilities(LOG_LOSS.format(normalise="p = (p + 1e-9) / (p + 1e-9).sum(1)[:, None]"))


@sound
def two_keys_are_read():
    return two_keys().by(
        RMSE.replace("answers)\n    return", 'answers, ("id", "part"))\n    return')
    )


@sound
def numbered_after_the_split():
    return numbered(base("classes", n=120, seed=13), np.arange(360))


@sound
def numbered_at_random_over_both_sides():
    return numbered(base("binary", n=120, seed=13), np.random.default_rng(9).permutation(360))


@sound
def another_task_has_other_rows_of_the_kind():
    task, other = base("binary", n=120), base("binary", n=120, seed=14)
    for frame in (*task.public.values(), task.answers, *other.public.values()):
        frame["id"] = np.arange(1, len(frame) + 1)
    task.others = other.public
    return task


@sound
def another_task_asks_for_something_else_of_the_same_rows():
    task = base("classes", n=120)
    test = task.public["test"]
    noise = np.random.default_rng(15).normal(size=120)
    task.others["train"] = test.assign(weight=(test["a"] + noise).round(4), batch=noise > 0)
    return task


@sound
def coordinates_of_another_task_are_others():
    task = points()
    others = np.random.default_rng(16).normal(0, 9, (4000, 3)).round(3)
    task.others["coordinates"] = pd.DataFrame(others, columns=list("xyz"))
    return task


@sound
def ids_renumbered_from_one_on_both_sides():
    task = base("binary", seed=10)
    for frame in (*task.public.values(), task.answers):
        frame["id"] = np.arange(1, len(frame) + 1)
    return task


@sound
def blank_predictions_that_mean_something():
    task = base("binary", n=80, seed=11)
    spans = [f"{3 * i} {i % 7 + 1}" for i in range(80)]
    task.answers["y"] = np.where(task.answers["y"] == 1, spans, "")
    task.public["train"]["y"] = np.where(task.public["train"]["y"] == 1, "1 4", "")
    task.public["sample_submission"]["y"] = ""
    task.submission = {"id": "id", "columns": {"y": {"type": "free"}}}
    return task.by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            return float((s["y"].fillna("") == answers["y"].fillna("").to_numpy()).mean())
        """, "maximize")  # fmt: skip


@sound
def weak_board():
    task = base(seed=12)
    truth = task.answers["y"].to_numpy()
    spread = float(np.sqrt(np.mean((truth - truth.mean()) ** 2)))
    task.board = [spread * (0.3 + 0.04 * i) for i in range(8)] + [spread * 1.02] * 32
    return task


@sound
def usual_board():
    task = base(seed=13)
    task.board = [0.7 + i / 100 for i in range(40)]
    return task


@sound
def strong_feature():
    task = base(seed=14)
    truth = task.answers["y"]
    task.public["test"]["e"] = truth + 0.2 * np.random.default_rng(0).normal(size=60)
    return task


@sound
def strong_feature_in_a_table_of_its_own():
    noise = np.random.default_rng(0).normal(size=180) / 10
    task = keyed("regression", lambda y: y + noise, n=180)
    assert task.public["extra/plates"]["code"].corr(task.answers["y"], method="spearman") > 0.99
    return task


@sound
def predictions_of_a_baseline_for_an_easy_task():
    noise = np.random.default_rng(0).normal(size=200)
    return keyed("binary", lambda y: (1 / (1 + np.exp(noise + 1.7 - 3.4 * y))).round(4), n=200)


@sound
def many_columns_of_a_table_of_their_own():
    task = keyed("binary", lambda y: 0)
    drawn = np.random.default_rng(1).normal(size=(60, 300)).round(3)
    columns = [f"gene{i}" for i in range(300)]
    genes = pd.DataFrame(drawn, columns=columns, index=task.public["extra/plates"].index)
    task.public["extra/plates"] = task.public["extra/plates"].join(genes)
    return task


@sound
def rare_class_by_accuracy():
    task = base("binary", n=200, seed=15)
    for seed, frame in enumerate((task.answers, task.public["train"])):
        frame["y"] = (np.random.default_rng(seed).random(len(frame)) < 0.1).astype(int)
    task.public["sample_submission"]["y"] = 0
    task.grader = {"metric": "accuracy"}
    return task


@sound
def perfect_score_is_neither_zero_nor_one():
    return own(seed=16).by(RMSE.replace("return float(", "return float(37.5 - 4 * "), "maximize")


@sound
def several_outputs():
    task = base(seed=17)
    task.answers["w"] = task.answers["y"].to_numpy()[::-1] + task.public["test"]["d"]
    task.public["sample_submission"]["w"] = 0.0
    return task.by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            return float(np.abs(s[["y", "w"]].to_numpy() - answers[["y", "w"]].to_numpy()).mean())
        """)  # fmt: skip


@sound
def survival_times():
    task = base(seed=18)
    rng = np.random.default_rng(18)
    task.answers["time"] = np.exp(task.answers.pop("y") / 2).round(3)
    task.answers["event"] = (rng.random(60) < 0.7).astype(int)
    task.public["train"]["time"] = np.exp(task.public["train"].pop("y") / 2).round(3)
    task.public["sample_submission"] = task.answers[["id"]].assign(risk=0.0)
    task.grader = {"metric": "concordance_index"}
    task.submission = {"id": "id", "target": ["time", "event"], "prediction": "risk"}
    return task


@sound
def few_values_of_few_features():
    task = base("binary", n=120, seed=19)
    for name in ("train", "test"):
        task.public[name] = task.public[name][["id", *([] if name == "test" else ["y"])]].assign(
            sex=np.arange(len(task.public[name])) % 2, stage=np.arange(len(task.public[name])) % 3
        )
    return task


@sound
def places_in_a_file_of_arrays():
    task = base("binary", seed=22)
    for name in ("train", "test"):
        frame = task.public[name].drop(columns=list("abcd"))
        task.public[name] = frame.assign(place=range(len(frame)))
    return task


@sound
def ids_of_text_with_plates():
    task = base("classes", seed=20)
    names = [f"plate{i % 4}_{one}" for i, one in enumerate(task.answers["id"])]
    for frame in (task.answers, task.public["test"], task.public["sample_submission"]):
        frame["id"] = names
    return task


@sound
def missing_rows_count_as_wrong():
    return own("classes", seed=21).by(
        """
        def grade(submission, answers):
            if list(submission.columns) != COLUMNS or submission["id"].duplicated().any():
                raise InvalidSubmissionError("columns or ids")
            if len(submission) == 0 or not set(submission["id"]) <= set(answers["id"]):
                raise InvalidSubmissionError("ids")
            m = answers.merge(submission, on="id", how="left", suffixes=("_t", ""))
            if m["y"].isna().any():
                raise InvalidSubmissionError("missing")
            return float((m["y"] == m["y_t"]).mean())
        """, "maximize")  # fmt: skip


@sound
def sequences_of_their_own():
    return sequences(related=False)


@sound
def times_after_those_of_training():
    return times(np.arange(240) >= 180)


@sound
def sockets_within_the_process():
    return own(seed=24).by(
        RMSE.replace(
            "s = checked",
            """import socket
    for one in socket.socketpair():
        one.close()
    s = checked""",
        )
    )


@sound
def each_row_takes_a_call():
    return own(seed=25).by(
        """
        def grade(submission, answers):
            s = checked(submission, answers)
            off = [abs(float(p) - float(t)) for p, t in zip(s["y"], answers["y"])]
            return float(np.mean(off))
        """)  # fmt: skip


@sound
def ids_written_otherwise_are_refused():
    return own(seed=26).by(
        """
        def grade(submission, answers):
            if submission["id"].dtype.kind != "i":
                raise InvalidSubmissionError("ids must be whole numbers")
            s = checked(submission, answers)
            return float(np.abs(s["y"] - answers["y"].to_numpy()).mean())
        """)  # fmt: skip


# --- near duplicates across the split -------------------------------------------------------------


def measured(asked: int, known: int, seed: int, columns: int = 12) -> Recipe:
    """Return a sound task of independent features, whose label is mostly noise."""
    rng = np.random.default_rng([27, seed])
    names = [f"x{i}" for i in range(columns)]
    frame = pd.DataFrame(rng.normal(size=(asked + known, columns)).round(4), columns=names)
    frame["y"] = (frame["x0"] - 0.6 * frame["x1"] + 2 * rng.normal(size=len(frame))).round(3)
    return halved(frame, asked, rng)


def halved(frame: pd.DataFrame, asked: int, rng: np.random.Generator, **grader: str) -> Recipe:
    """Return a task whose test is the first rows of a table, with new ids in no order."""
    frame = frame.copy()
    frame.insert(0, "id", rng.permutation(np.arange(20_000, 20_000 + len(frame))))
    test, train = (side.sample(frac=1, random_state=5).reset_index(drop=True)
                   for side in (frame[:asked], frame[asked:]))  # fmt: skip
    answers = test[["id", "y"]]
    blank = 0.5 if "metric" in grader else 0.0
    public = {"train": train, "test": test.drop(columns="y"),
              "sample_submission": answers[["id"]].assign(y=blank)}  # fmt: skip
    return Recipe(public, answers, grader or {"metric": "rmse"})


def with_twins(change: Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]) -> Recipe:
    """Return a task a third of whose test rows are training rows that were changed."""
    task, rng = measured(150, 300, seed=0), np.random.default_rng(28)
    rows = change(task.public["train"].head(50).reset_index(drop=True), rng)
    names = [name for name in rows if name not in ("id", "y")]
    task.public["test"].loc[:49, names] = rows[names].round(4)
    task.answers.loc[:49, "y"] = rows["y"]
    order = rng.permutation(150)
    task.public["test"] = task.public["test"].iloc[order].reset_index(drop=True)
    task.answers = task.answers.sample(frac=1, random_state=6).reset_index(drop=True)
    task.public["sample_submission"] = task.answers[["id"]].assign(y=0.0)
    return task


@flaw("near-duplicates-across-split")
def test_rows_are_training_rows_measured_again():
    def again(rows, rng):
        names = [name for name in rows if name not in ("id", "y")]
        rows[names] *= 1 + rng.normal(size=(len(rows), len(names))) / 200
        rows["y"] = (rows["y"] * (1 + rng.normal(size=len(rows)) / 100)).round(3)
        return rows

    return with_twins(again)


@flaw("near-duplicates-across-split")
def one_of_twelve_features_is_another():
    return with_twins(lambda rows, rng: rows.assign(x5=rng.normal(size=len(rows))))


def strands(change: Callable[[str], str]) -> Recipe:
    """Return a task half of whose test sequences are changed training sequences."""
    rng = np.random.default_rng(29)
    texts = ["".join(rng.choice(list("ACGT"), 80)) for _ in range(300)]
    y = (rng.random(300) < 0.45).astype(int)
    texts[:50], y[:50] = [change(one) for one in texts[100:150]], y[100:150]
    frame = pd.DataFrame({"sequence": texts, "y": y})
    return halved(frame, 100, rng, metric="roc_auc")


@flaw("near-duplicates-across-split")
def sequences_of_the_other_strand():
    return strands(lambda text: text[::-1].translate(str.maketrans("ACGT", "TGCA")))


@flaw("near-duplicates-across-split")
def sequences_in_small_letters():
    return strands(str.lower)


@flaw("near-duplicates-across-split")
def windows_shifted_by_two():
    return strands(lambda text: text[2:] + "AC")


ENDS = {"CC(C)(C)": "C(C)(C)C", "c1ccccc1": "c1ccccc1", "c1cc(F)ccc1": "c1ccc(F)cc1",
        "C1COCCN1": "N1CCOCC1", "s1cccc1": "c1cccs1", "N#C": "C#N"}  # fmt: skip
LINKS = {"C(=O)N": "NC(=O)", "COC": "COC", "CCO": "OCC", "CCN": "NCC", "C#C": "C#C",
         "S(=O)(=O)N": "NS(=O)(=O)"}  # fmt: skip


def molecules(rng: np.random.Generator, count: int) -> list[tuple[str, str]]:
    """Return SMILES of different molecules, and those that begin at the other end."""
    found: dict[str, tuple[str, str]] = {}
    while len(found) < count:
        one, two = rng.choice(list(ENDS), 2)
        first, middle, last = rng.choice(list(LINKS), 3)
        ahead = f"{one}{first}{middle}{last}{ENDS[two]}"
        back = f"{two}{LINKS[last]}{LINKS[middle]}{LINKS[first]}{ENDS[one]}"
        found.setdefault(min(ahead, back), (ahead, back))
    return list(found.values())


@flaw("near-duplicates-across-split")
def molecules_written_from_the_other_end():
    rng = np.random.default_rng(30)
    pairs = molecules(rng, 300)
    y = rng.normal(size=350)
    y[:50] = y[100:150] + 0.02 * rng.normal(size=50)
    texts = [back for _, back in pairs[50:100]] + [ahead for ahead, _ in pairs]
    frame = pd.DataFrame({"smiles": texts, "y": y.round(3)})
    return halved(frame, 100, rng)


@sound
def replicates_on_each_side_alone():
    rng = np.random.default_rng(31)
    one = np.repeat(rng.normal(size=(150, 8)), 3, axis=0)
    frame = pd.DataFrame(one + rng.normal(size=one.shape) / 300, columns=list("abcdefgh"))
    frame["y"] = np.repeat(frame["a"][::3].to_numpy() + rng.normal(size=150), 3)
    return halved(frame.round(4), 150, rng)


@sound
def questionnaires_of_five_answers():
    rng = np.random.default_rng(32)
    trait = rng.normal(size=500)
    items = {f"q{i}": np.digitize(trait + rng.normal(size=500), [-1.5, -0.5, 0.5, 1.5])
             for i in range(12)}  # fmt: skip
    frame = pd.DataFrame(items).assign(y=(trait + rng.normal(size=500) > 0).astype(int))
    return halved(frame, 200, rng, metric="roc_auc")


@sound
def homologous_families_on_both_sides():
    rng, letters = np.random.default_rng(33), list("ACDEFGHIKLMNPQRSTVWY")
    family = rng.integers(0, 20, 300)
    roots = rng.choice(letters, (20, 90))[family]
    kept = rng.random(roots.shape) < 0.8  # so that two of a family are the same in two thirds
    texts = ["".join(row) for row in np.where(kept, roots, rng.choice(letters, roots.shape))]
    y = np.where(rng.random(300) < 0.6, family % 2, rng.integers(0, 2, 300))
    return halved(pd.DataFrame({"sequence": texts, "y": y}), 100, rng, metric="roc_auc")


@sound
def analogues_of_one_scaffold():
    rng = np.random.default_rng(34)
    scaffold = "c1cc2c(cc1{})ncnc2Nc1ccc(Oc2ccc3c(c2)ncn3C)c(C){}c1"
    tails = ["", *(f"({'C' * i}{end}{'C' * k})" for i in range(1, 6) for end in "NOSCF" for k in
             range(1 if end == "F" else 4))]  # fmt: skip
    chosen = rng.permutation(len(tails) ** 2)[:300]
    texts = [scaffold.format(tails[one // len(tails)], tails[one % len(tails)]) for one in chosen]
    y = np.array([len(text) for text in texts]) / 5 + rng.normal(size=300)
    return halved(pd.DataFrame({"smiles": texts, "y": y.round(3)}), 100, rng)


@sound
def slow_series_that_the_test_continues():
    rng = np.random.default_rng(35)
    steps = rng.normal(size=(600, 6)).cumsum(axis=0) / 10
    frame = pd.DataFrame(steps.round(4), columns=list("abcdef"))
    frame["y"] = (frame["a"] + rng.normal(size=600)).round(3)
    return halved(frame[::-1], 150, rng)


# --- files beside tables --------------------------------------------------------------------------


def _zipped(path: Path, tables: dict[str, pd.DataFrame]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.mkdir("data")
        for name, frame in tables.items():
            file.writestr(f"data/{name}.csv", frame.to_csv(index=False))


def _database(path: Path, tables: dict[str, pd.DataFrame]) -> None:
    with closing(sqlite3.connect(path)) as database:
        for name, frame in tables.items():
            frame.to_sql(name, database, index=False)


def images(put: Callable[[Path, int, int], object], kind: str = "binary", **options: Any) -> Recipe:
    """Return a task with an image for each test row, written by a function of place and class."""
    task = base(kind, n=80, **options)

    def write(folder: Path) -> None:
        folder.mkdir()
        for place, row in enumerate(task.answers.itertuples()):
            put(folder / f"{row.id}.png", place, row.y)

    task.files["images"] = write
    return task


def picture(place: int, size: tuple[int, int] = (8, 8)) -> Image.Image:
    """Return an image of noise, its own for each place."""
    values = np.random.default_rng(place).integers(0, 256, (*size[::-1], 3), np.uint8)
    return Image.fromarray(values)


@flaw("answers-by-key")
def answers_in_a_zip_file():
    return extra("d.zip", lambda path, answers: _zipped(path, {"y": answers, "n": answers[:5]}))


@flaw("answers-by-key")
def answers_in_a_tar_file_of_packed_tables():
    def write(path: Path, answers: pd.DataFrame) -> None:
        data = gzip.compress(answers.to_csv(sep="\t", index=False).encode())
        with tarfile.open(path, "w:gz") as file:
            info = tarfile.TarInfo("./all/y.tsv.gz")
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))

    return extra("d.tgz", write)


@flaw("answers-by-key")
def answers_in_a_database():
    return extra("d.sqlite", lambda path, answers: _database(path, {"plates": answers}))


@flaw("file-metadata-tells-label")
def images_of_one_class_have_a_text():
    def put(path: Path, place: int, y: int) -> None:
        info = PngInfo()
        if y:
            info.add_text("Comment", f"reviewed {place}")
        picture(place).save(path, pnginfo=info)

    return images(put)


@flaw("file-metadata-tells-label")
def images_name_the_class_in_a_text():
    def put(path: Path, place: int, y: str) -> None:
        info = PngInfo()
        info.add_text("Title", {"low": "A", "middle": "B", "high": "C"}[y])
        picture(place).save(path, pnginfo=info)

    return images(put, "classes")


@flaw("file-metadata-tells-label")
def images_were_written_class_by_class():
    def put(path: Path, place: int, y: int) -> None:
        picture(place).save(path)
        time = 1_500_000_000 + 1000 * y + place
        os.utime(path, (time, time))

    return images(put)


@flaw("file-metadata-tells-label")
def images_of_one_class_are_gray():
    return images(lambda path, place, y: picture(place).convert("L" if y else "RGB").save(path))


@flaw("file-metadata-tells-label")
def images_lie_in_folders_of_their_classes():
    def put(path: Path, place: int, y: int) -> None:
        folder = path.parent / ("ab"[y])
        folder.mkdir(exist_ok=True)
        picture(place).save(folder / path.name)

    return images(put)


@flaw("file-metadata-tells-label")
def files_of_a_column_have_the_size_of_their_class():
    task = base("classes", n=80)
    names = [f"scans/scan_{7 * place % 80}.bin" for place in range(80)]
    task.public["test"]["scan"] = names
    sizes = {"low": 500, "middle": 200, "high": 300}

    def write(folder: Path) -> None:
        folder.mkdir()
        for name, y in zip(names, task.answers["y"], strict=True):
            (folder.parent / name).write_bytes(bytes(sizes[y]))

    task.files["scans"] = write
    return task


@sound
def images_whose_sizes_follow_what_is_in_them():
    def put(path: Path, place: int, y: int) -> None:
        rng = np.random.default_rng([place, 1])
        pixels = np.asarray(picture(place, (40, 40))).copy()
        # lesions, which compress worse than what is around them, are larger on average
        pixels[int(rng.integers(10, 30)) + 8 * y :] = 0
        info = PngInfo()
        info.add_text("Software", "scanner 1.2")
        Image.fromarray(pixels).save(path, pnginfo=info)
        time = 1_500_000_000 + place
        os.utime(path, (time, time))

    return images(put, seed=27)


@sound
def tables_of_the_task_in_archives_and_a_database():
    task = base("binary", n=120, seed=28)
    tables = dict(task.public)
    task.files["all.zip"] = lambda path: _zipped(path, tables)
    task.files["all.db"] = lambda path: _database(path, tables)
    return task


# --- how values, ids and orders tell the label ----------------------------------------------------


def table(seed: int, n: int = 600, *, classes: int = 2) -> tuple[pd.DataFrame, np.random.Generator]:
    """Return independent features, of which one is a weak one, and as many rows of each class."""
    rng = np.random.default_rng([31, seed])
    y = rng.permutation(np.arange(n) % classes)
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(3), columns=list("abc"))
    frame["a"] = (frame["a"] + y / 2).round(3)
    return frame.assign(y=y), rng


def by_class(
    change: Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame], seed: int = 0
) -> Recipe:
    """Return a task of two classes whose table is changed before it is split."""
    frame, rng = table(seed)
    return halved(change(frame, rng), 250, rng, metric="roc_auc")


def by_number(change: Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]) -> Recipe:
    """Return a task of numbers, which hang on a feature, changed before it is split."""
    frame, rng = table(1)
    frame["y"] = (2 * frame["a"] + rng.normal(size=len(frame))).round(3)
    return halved(change(frame, rng), 250, rng)


def added(name: str, value: Callable[[int, np.random.Generator], object], seed: int = 0) -> Recipe:
    """Return a task of two classes with one more column, made from the class of each row."""
    return by_class(lambda t, rng: t.assign(**{name: [value(y, rng) for y in t["y"]]}), seed)


@flaw("writing-tells-label")
def one_class_has_a_digit_more():
    return added("ph", lambda y, rng: f"{7 + rng.random():.{2 + y}f}")


@flaw("writing-tells-label")
def one_class_has_white_space_mostly():
    return added(
        "smoker",
        lambda y, rng: rng.choice(["yes", "no"]) + " " * int(rng.random() < 0.03 + 0.92 * y),
    )


@flaw("writing-tells-label")
def one_class_has_times_without_seconds():
    return added(
        "at", lambda y, rng: f"2024-03-1{rng.integers(9)} 1{rng.integers(9)}:30" + ":00" * y
    )


@flaw("writing-tells-label")
def notes_of_one_class_end_without_a_period():
    return added("note", lambda y, rng: f"seen at {rng.integers(10**6)} by the ward" + "." * y)


@flaw("writing-tells-label")
def sequences_of_one_class_are_longer_by_one():
    return added("seq", lambda y, rng: "".join(rng.choice(list("ACGT"), 40 + y)))


@flaw("writing-tells-label")
def one_class_is_written_with_capitals():
    return by_class(lambda t, rng: t.assign(sex=[
        one.title() if y else one for one, y in
        zip(rng.choice(["male", "female"], len(t)), t["y"], strict=True)]))  # fmt: skip


@flaw("writing-tells-label")
def one_class_has_halves():
    return by_class(lambda t, rng: t.assign(age=rng.integers(20, 80, len(t)) + t["y"] / 2))


@flaw("writing-tells-label")
def one_class_lacks_a_value_mostly():
    def lacking(t, rng):
        gone = rng.random(len(t)) < np.where(t["y"] == 0, 0.97, 0.03)
        return t.assign(crp=np.where(gone, np.nan, rng.normal(size=len(t)).round(2)))

    return by_class(lacking)


@flaw("writing-tells-label")
def pairs_of_missing_values_tell_the_class():
    def lacking(t, rng):
        labs = rng.normal(size=(len(t), 4)).round(2)
        for row, y in enumerate(t["y"]):
            labs[row, [(0, 1), (2, 3), (0, 2), (1, 3)][2 * y + rng.integers(2)]] = np.nan
        return t.join(pd.DataFrame(labs, columns=["l1", "l2", "l3", "l4"], index=t.index))

    return by_class(lacking)


@flaw("values-tell-label")
def each_of_forty_codes_has_one_class():
    return added("code", lambda y, rng: f"K{2 * rng.integers(20) + y:02d}")


@flaw("values-tell-label")
def the_hour_tells_the_class():
    return added(
        "at", lambda y, rng: f"2024-03-1{rng.integers(9)}T{rng.integers(12) + 12 * y:02d}:10"
    )


@flaw("answers-by-key")
def outcomes_by_a_number_of_another_name():
    frame, rng = table(6)
    task = halved(
        frame.assign(mrn=rng.permutation(len(frame)) + 40_000), 250, rng, metric="roc_auc"
    )
    numbers = task.public["test"]["mrn"]
    task.public["outcomes"] = pd.DataFrame({"PATIENT": numbers, "died": task.answers["y"]}).sample(
        frac=1, random_state=1
    )
    return task


@flaw("answers-by-arithmetic")
def a_hash_of_id_and_class():
    task = by_class(lambda t, rng: t)
    for name, labels in (("test", task.answers["y"]), ("train", task.public["train"]["y"])):
        frame = task.public[name]
        frame["checksum"] = [hashlib.md5(f"{key},{y}".encode()).hexdigest()[:8]
                             for key, y in zip(frame["id"], labels, strict=True)]  # fmt: skip
    return task


@flaw("answers-by-arithmetic")
def days_between_two_dates():
    def dated(t, rng):
        first = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 900, len(t)), "D")
        days = rng.integers(1, 500, len(t))
        return t.assign(y=days, seen=first.strftime("%Y-%m-%d"),
                        last=(first + pd.to_timedelta(days, "D")).strftime("%Y-%m-%d"))  # fmt: skip

    return by_number(dated)


@flaw("answers-by-arithmetic")
def what_is_left_of_a_total():
    return by_number(lambda t, rng: t.assign(total=(t["a"] + t["b"] + t["c"] + t["y"]).round(3)))


@flaw("answers-by-arithmetic")
def measured_before_a_sites_offset():
    def offset(t, rng):
        site = rng.integers(0, 8, len(t))
        return t.assign(site=site, raw=(t["y"] + rng.normal(0, 20, 8).round(2)[site]).round(3))

    return by_number(offset)


@flaw("answers-by-arithmetic")
def a_mean_that_leaves_the_own_answer_out():
    def encoded(t, rng):
        site = rng.integers(0, 12, len(t))
        sums, counts = np.bincount(site, t["y"]), np.bincount(site)
        return t.assign(site=site, rate=((sums[site] - t["y"]) / (counts[site] - 1)).round(6))

    return by_class(encoded)


@flaw("answers-by-arithmetic")
def a_running_total_of_the_answers():
    task = by_number(lambda t, rng: t.assign(y=rng.poisson(30, len(t))))
    task.public["test"]["total"] = np.cumsum(task.answers["y"]) + 1200
    return task


@flaw("answers-by-arithmetic")
def the_next_row_has_the_value_before():
    task = by_number(lambda t, rng: t)
    y = task.answers["y"].to_numpy()
    task.public["test"]["lag"] = np.r_[0.5, y[:-1]]
    return task


@flaw("ids-tell-label")
def the_last_digit_tells_the_class():
    frame, rng = table(2, classes=4)
    task = halved(frame, 250, rng, metric="accuracy")
    ends = {0: "012", 1: "34", 2: "567", 3: "89"}
    for name, labels in (("test", task.answers["y"]), ("train", task.public["train"]["y"])):
        keys = [f"{rng.integers(10**6, 10**7)}{rng.choice(list(ends[y]))}" for y in labels]
        task.public[name]["id"] = keys
    task.answers["id"] = task.public["sample_submission"]["id"] = task.public["test"]["id"]
    return task


@flaw("order-tells-label")
def within_each_site_one_class_comes_first():
    task = by_class(lambda t, rng: t.assign(site=rng.integers(0, 8, len(t))))
    order = np.lexsort((task.answers["y"], task.public["test"]["site"]))
    task.public["test"] = task.public["test"].iloc[order].reset_index(drop=True)
    task.answers = task.answers.iloc[order].reset_index(drop=True)
    task.public["sample_submission"] = task.answers[["id"]].assign(y=0.5)
    return task


@flaw("order-tells-label")
def a_row_number_of_the_sorted_source():
    return by_number(lambda t, rng: t.sort_values("y").assign(row=range(len(t))).sample(
        frac=1, random_state=1))  # fmt: skip


@flaw("groups-across-split")
def patients_on_both_sides():
    def visits(t, rng):
        patient = rng.integers(0, 90, len(t))
        level = rng.normal(0, 3, 90)
        return t.assign(patient_id=[f"P{one:03d}" for one in patient],
                        y=(level[patient] + rng.normal(size=len(t))).round(2))  # fmt: skip

    return by_number(visits)


@flaw("answers-by-arithmetic")
def null_within_nested_json():
    task = by_class(lambda t, rng: t)
    for name, labels in (("test", task.answers["y"]), ("train", task.public["train"]["y"])):
        rows = task.public.pop(name).to_dict("records")
        for row, y in zip(rows, labels, strict=True):
            row["meta"] = {"links": [{"v": 1}, {"next": f"E{row['id'] % 97}" if y else None}]}
        text = "".join(json.dumps(row) + "\n" for row in rows)
        task.files[f"{name}.jsonl"] = lambda path, text=text: path.write_text(text)
    return task


def in_runs(seed: int, per_group: int, *, column: bool) -> Recipe:
    """Return a task whose test rows come patient by patient, none of whom training has."""
    rng = np.random.default_rng([32, seed])
    n = 480 // per_group
    group, y = (
        np.repeat(np.arange(n), per_group),
        np.repeat(rng.permutation(np.arange(n) % 2), per_group),
    )
    frame = pd.DataFrame({"id": rng.permutation(np.arange(70_000, 70_000 + len(y))),
                          "a": (rng.normal(size=len(y)) + y / 2).round(3),
                          "b": rng.normal(size=len(y)).round(3), "y": y})  # fmt: skip
    if column:
        frame.insert(1, "patient", [f"P{one:03d}" for one in group])
    test = frame[group < n // 2].reset_index(drop=True)
    answers = test[["id", "y"]]
    public = {"train": frame[group >= n // 2].sample(frac=1, random_state=1),
              "test": test.drop(columns="y"),
              "sample_submission": answers[["id"]].assign(y=0.5)}  # fmt: skip
    return Recipe(public, answers, {"metric": "roc_auc"})


@sound
def rows_come_patient_by_patient():
    return in_runs(0, 6, column=True)


@sound
def replicates_come_one_after_another():
    return in_runs(1, 3, column=False)


@sound
def frames_of_videos_whose_names_are_in_the_ids():
    task = in_runs(2, 20, column=False)
    for name in ("train", "test"):
        frame = task.public[name]
        frame["id"] = [f"v{name[:2]}{row // 20:02d}_{row:04d}" for row in range(len(frame))]
    task.answers["id"] = task.public["sample_submission"]["id"] = task.public["test"]["id"]
    return task


def forecast(seed: int, *, rising: bool) -> Recipe:
    """Return weeks of some regions, of which the last are the test."""
    rng = np.random.default_rng([33, seed])
    rows = []
    for region in range(6):
        level = 50 * rng.random()
        for week in range(90):
            before = level
            level += abs(rng.normal()) if rising else rng.normal()
            rows.append((f"R{region}", week, round(before, 2), round(level, 2)))
    frame = pd.DataFrame(rows, columns=["region", "week", "before", "y"])
    frame.insert(
        0, "id", [f"{r}-{w:03d}" for r, w in zip(frame["region"], frame["week"], strict=True)]
    )
    test = frame[frame["week"] >= 60].reset_index(drop=True)
    answers = test[["id", "y"]]
    columns = ["y"] if not rising else ["y", "before"]
    public = {"train": frame[frame["week"] < 60].drop(columns=columns[1:]),
              "test": test.drop(columns=columns),
              "sample_submission": answers[["id"]].assign(y=0.0)}  # fmt: skip
    return Recipe(public, answers, {"metric": "rmse"})


@sound
def cases_rise_week_by_week():
    return forecast(0, rising=True)


@sound
def the_value_before_is_near_the_next():
    task = forecast(1, rising=False)
    frame = task.public["test"].merge(task.answers, on="id")
    # a forecast of several weeks, so that no row has the answer of another one
    noise = np.random.default_rng(34).normal(size=len(frame))
    task.public["test"]["before"] = (frame["y"] + noise).round(2)
    return task


@sound
def a_test_that_is_ordered_for_those_who_seem_ill():
    def lacking(t, rng):
        gone = rng.random(len(t)) < np.where(t["y"] == 0, 0.6, 0.35)
        return t.assign(crp=np.where(gone, np.nan, rng.normal(size=len(t)).round(2)))

    return by_class(lacking, seed=3)


@sound
def devices_that_write_as_many_digits_as_they_have():
    def written(t, rng):
        device = rng.integers(0, 3, len(t))
        values = rng.lognormal(3, 1, len(t))
        return t.assign(
            device=device, crp=[f"{v:.{d}f}" for v, d in zip(values, device, strict=True)]
        )

    return by_class(written, seed=4)


@sound
def rows_in_the_order_of_age():
    task = by_number(lambda t, rng: t.assign(
        age=(60 + 8 * t["y"] + rng.normal(0, 15, len(t))).round()))  # fmt: skip
    order = np.argsort(task.public["test"]["age"], kind="stable").to_numpy()
    task.public["test"] = task.public["test"].iloc[order].reset_index(drop=True)
    task.answers = task.answers.iloc[order].reset_index(drop=True)
    task.public["sample_submission"] = task.answers[["id"]].assign(y=0.0)
    return task


@sound
def reports_of_a_few_words():
    def said(y, rng):
        found = ["clear lungs", "small effusion, right base", "consolidation: lower lobe"]
        says = rng.choice(found, p=[0.7 - y / 2, 0.2, 0.1 + y / 2])
        return f"{rng.choice(['PA', 'AP'])} chest; {says}"

    return added("report", said, seed=7)


@sound
def a_whole_number_that_follows_the_class():
    def marked(t, rng):
        return t.assign(marker=rng.poisson(np.where(t["y"] == 1, 75, 60)))

    return by_class(marked, seed=5)


@sound
def cell_lines_on_both_sides():
    def lines(t, rng):
        line = rng.integers(0, 40, len(t))
        return t.assign(cell_line=[f"CL{one}" for one in line], dose=rng.integers(1, 9, len(t)),
                        y=(t["a"] + rng.normal(0, 0.4, 40)[line]).round(2))  # fmt: skip

    return by_number(lines)
