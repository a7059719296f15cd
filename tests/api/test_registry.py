"""Tasks are found by id in any folder, in our format and in the published one."""

import json

import pytest
import yaml

from biomlbench.cli import main
from biomlbench.errors import TaskError
from biomlbench.registry import Registry, default_data_dir, registry
from biomlbench.task import registry as registry_module

PUBLISHED = """\
id: manual/my-hyphened-task
name: "My hyphened task"
task_type: drug_discovery
domain: admet
difficulty: medium
awards_medals: true
prizes: null
description: biomlbench/tasks/manual/my-hyphened-task/description.md
data_source:
  type: polaris
  benchmark_id: some/benchmark
dataset:
  answers: manual/my-hyphened-task/prepared/private/answers.csv
  sample_submission: manual/my-hyphened-task/prepared/public/sample_submission.csv
grader:
  name: mean-absolute-error
  grade_fn: biomlbench.tasks.manual.my-hyphened-task.grade:grade
preparer: biomlbench.tasks.manual.my-hyphened-task.prepare:prepare
biomedical_metadata:
  modality: "molecular"
compute_requirements:
  recommended_gpu_memory_gb: 4
"""
GRADE = """\
import numpy as np
from biomlbench.grade_helpers import InvalidSubmissionError

def grade(submission, answers):
    if (submission["y"] < 0).any():
        raise InvalidSubmissionError("negative permeability")
    return float(np.abs(submission["y"].values - answers["y"].values).mean())
"""


@pytest.fixture
def published(factory):
    """A task folder exactly as the published package has it."""
    factory.task("manual/my-hyphened-task", truth=(1.0, 2.0, 3.0, 4.0), leaderboard=(0.1, 0.2, 0.3))
    folder = factory.tasks / "manual" / "my-hyphened-task"
    (folder / "config.yaml").write_text(PUBLISHED)
    (folder / "grade.py").write_text(GRADE)
    (folder / "prepare.py").write_text("def prepare(raw, public, private):\n    pass\n")
    return factory


def test_published_folder_loads_unchanged_and_grades(published):
    from biomlbench.grade import grade_csv

    task = published.get("my-hyphened-task")
    assert task.id == "manual/my-hyphened-task"
    assert task.metric is None
    assert task.direction == "minimize"
    assert task.description == "# Toy task\n"
    assert task.compute["recommended_gpu_memory_gb"] == 4
    assert task.prepare_fn(None, None, None) is None
    report = grade_csv(published.submission([1.5, 2.5, 3.5, 4.5]), task)
    assert report.score == 0.5
    assert report.is_lower_better
    invalid = grade_csv(published.submission([-1, 2, 3, 4]), task)
    assert (invalid.valid_submission, invalid.fault) == (False, "submission")
    assert invalid.message == "negative permeability"


def test_published_graders_find_what_they_import(published):
    """Helpers of the published package, and a module that a folder of tasks shares."""
    folder = published.tasks / "manual"
    (folder / "shared_by_tasks.py").write_text("FACTOR = 2\n")
    (folder / "my-hyphened-task" / "grade.py").write_text(
        "from biomlbench.utils import get_logger, read_csv\n"
        "from biomlbench.tasks.utils import prepare_for_regression_metric\n"
        "from biomlbench.tasks.manual.shared_by_tasks import FACTOR\n"
        "logger = get_logger(__name__)\n"
        "def grade(submission, answers):\n"
        "    pair = prepare_for_regression_metric(submission, answers, 'id', 'y')\n"
        "    return FACTOR * abs(pair['y_true'] - pair['y_pred']).mean()\n"
    )
    from biomlbench.grade import grade_csv

    task = published.get("my-hyphened-task")
    assert grade_csv(published.submission([1.5, 2.5, 3.5, 4.5]), task).score == 1.0


def test_helpers_match_rows_one_to_one():
    import pandas as pd

    from biomlbench.errors import InvalidSubmissionError
    from biomlbench.tasks.utils import prepare_for_auroc_metric

    answers = pd.DataFrame({"id": ["a", "b"], "label": [0, 1]})
    swapped = pd.DataFrame({"id": ["b", "a"], "label": [0.9, 0.1]})
    found = prepare_for_auroc_metric(swapped, answers)
    assert found["y_score"].tolist() == [0.1, 0.9]
    with pytest.raises(InvalidSubmissionError, match="1 of 2 ids"):
        prepare_for_auroc_metric(swapped.iloc[:1], answers)
    with pytest.raises(InvalidSubmissionError, match="missing column"):
        prepare_for_auroc_metric(swapped[["id"]], answers)


def test_helpers_read_files(tmp_path):
    from biomlbench.utils import get_logger, load_yaml, read_csv, read_jsonl

    path = tmp_path / "file"
    path.write_text("a: 1\n")
    assert load_yaml(path) == {"a": 1}
    path.write_text('# note\n\n{"a": 1}\n')
    assert read_jsonl(path, skip_commented_out_lines=True) == [{"a": 1}]
    path.write_text("a\n0.1234567890123456\n")
    assert read_csv(path)["a"][0] == 0.1234567890123456
    path.write_text("")
    assert read_csv(path).empty
    assert get_logger("some.name").name == "some.name"


def test_published_layout_with_numbered_datasets(published):
    config = yaml.safe_load(PUBLISHED)
    del config["dataset"]
    config["datasets"] = {"0": {"answers": "answers.csv", "sample_submission": "sample.csv"}}
    folder = published.tasks / "manual" / "my-hyphened-task"
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    task = published.get("manual/my-hyphened-task")
    assert task.answers == task.prepared_dir / "0" / "private" / "answers.csv"
    assert task.sample_submission == task.prepared_dir / "0" / "public" / "sample.csv"


def test_data_prepared_by_the_published_package_are_found_under_its_own_id(factory):
    """There the data folder is named by the config's id, not by the task's folder."""
    factory.task("other/some-task")
    folder = factory.tasks / "admet-tasks" / "caco"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(
        "id: caco\ngrader: {name: mae, metric: mae}\n"
        "dataset: {answers: caco/prepared/private/answers.csv}\n"
    )
    old = factory.data / "caco" / "prepared" / "private" / "answers.csv"
    old.parent.mkdir(parents=True)
    old.write_text("id,y\n1,2\n")
    assert factory.get("caco").answers == old


@pytest.mark.parametrize("place", ["prepared/private", "prepared"])
def test_a_sample_among_the_answers_makes_those_not_public(factory, place):
    dataset = {
        "answers": "prepared/private/answers.csv",
        "sample_submission": f"{place}/sample_submission.csv",
    }
    task = factory.task(config={"dataset": dataset})
    assert task.public_dir == task.prepared_dir / "public"
    assert task.sample_submission == task.home / dataset["sample_submission"]


def test_bare_id_full_id_and_config_id_all_resolve(factory):
    factory.task("clinical/heart")
    found = factory.registry()
    assert found.get_task("heart") is found.get_task("clinical/heart")


def test_ambiguous_bare_id_lists_the_candidates(factory):
    factory.task("clinical/heart")
    factory.task("imaging/heart")
    with pytest.raises(TaskError, match="clinical/heart, imaging/heart"):
        factory.get("heart")
    assert factory.get("imaging/heart").domain == "imaging"


def test_unknown_id_suggests_the_nearest(factory):
    factory.task("clinical/heart-failure")
    with pytest.raises(TaskError, match="did you mean") as error:
        factory.get("heart-failur")
    assert error.value.reason == "unknown_task"
    # Its short name and its id are one task, which is named once.
    assert str(error.value).count("heart-failure") == 1
    with pytest.raises(TaskError, match="did you mean clinical/heart-failure") as error:
        factory.get("clinical/heart-failur")
    assert str(error.value).count("heart-failure") == 1


@pytest.mark.parametrize("bad", ["../heart", "/etc/passwd", "clinical/../heart", "", "\0"])
def test_an_id_is_no_path(factory, bad):
    factory.task("clinical/heart")
    with pytest.raises(TaskError):
        factory.get(bad)


def test_flat_folder_takes_its_domain_from_the_config(factory):
    factory.tasks.mkdir()
    folder = factory.root / "flat" / "my-task"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("domain: Drug discovery\ngrader: {metric: mae}\n")
    found = Registry([factory.root / "flat"], factory.data)
    assert found.get_task("my-task").id == "drug-discovery/my-task"
    assert Registry([folder], factory.data).get_task("my-task").id == "drug-discovery/my-task"


def test_tasks_by_domain_type_and_difficulty(factory):
    factory.task("clinical/a", config={"difficulty": "hard"})
    factory.task("clinical/b", config={"task_type": "regression"})
    found = factory.registry()
    assert {"clinical/a", "clinical/b"} <= set(found.list_task_ids())
    assert found.list_task_ids() == sorted(found.list_task_ids())
    assert {"clinical/a", "clinical/b"} <= set(found.get_tasks_by_domain("clinical"))
    assert "clinical/a" in found.get_tasks_by_difficulty("hard")
    assert "clinical/a" not in found.get_lite_task_ids()
    assert "clinical/b" in found.get_tasks_by_type("regression")


def test_a_new_folder_is_found_without_a_new_registry(factory):
    factory.task("clinical/a")
    found = factory.registry()
    found.get_task("clinical/a")
    factory.task("clinical/b")
    assert found.get_task("b").id == "clinical/b"


def test_a_changed_config_is_read_again(factory):
    factory.task("clinical/a", config={"name": "before"})
    found = factory.registry()
    assert found.get_task("a").name == "before"
    factory.task("clinical/a", config={"name": "afterwards"})
    assert found.get_task("a").name == "afterwards"


def test_data_dir(factory, monkeypatch, tmp_path):
    factory.task("clinical/a")
    moved = factory.registry().set_data_dir(tmp_path / "elsewhere")
    assert moved.get_task("a").answers.is_relative_to(tmp_path / "elsewhere")
    assert not moved.get_task("a").is_prepared()
    monkeypatch.setenv("BIOMLBENCH_DATA_DIR", str(tmp_path / "env"))
    assert default_data_dir() == registry.get_data_dir() == tmp_path / "env"


def test_two_folders_of_one_id_are_refused_and_cost_no_other_task(factory, tmp_path):
    factory.task("clinical/a")
    factory.task("clinical/b")
    other = tmp_path / "other" / "clinical" / "a"
    other.mkdir(parents=True)
    (other / "config.yaml").write_text("grader: {metric: mae}\n")
    found = Registry([factory.tasks, tmp_path / "other"], factory.data)
    assert {"clinical/a", "clinical/b"} <= set(found.list_task_ids())
    for name in ("a", "clinical/a"):
        with pytest.raises(TaskError, match="two folders are the task clinical/a"):
            found.get_task(name)
    assert found.get_task("b").id == "clinical/b"


def test_the_config_of_a_task_without_a_domain_costs_no_other_task(factory):
    factory.task("clinical/b")
    (factory.tasks / "flat").mkdir()
    (factory.tasks / "flat" / "config.yaml").write_text("a: [")
    found = factory.registry()
    assert found.get_task("b").id == "clinical/b"
    with pytest.raises(TaskError, match=r"flat/config\.yaml: cannot be read"):
        found.get_task("flat")


@pytest.mark.parametrize("flat", [False, True])
def test_no_domain_is_called_as_all_domains_together_are(factory, flat):
    """The rows of `agents` over all domains would be told from those of such a one by nothing."""
    factory.task("clinical/a")
    place = factory.tasks / ("one" if flat else "all/one")
    place.parent.mkdir(exist_ok=True)
    (factory.tasks / "clinical" / "a").rename(place)
    if flat:
        (place / "config.yaml").write_text("domain: all\n")
    found = factory.registry()
    assert "all/one" in found.list_task_ids()
    for name in ("one", "all/one"):
        with pytest.raises(
            TaskError, match=r"all domains together; give the domain, .* another"
        ) as told:
            found.get_task(name)
        assert told.value.reason == "unknown_task"  # its rows count for no agent


@pytest.mark.parametrize("name", ["my task \u00fc", "a b", "-a", "\u00e4"])
def test_a_folder_whose_name_is_no_id_is_refused_by_every_command(factory, name, capsys):
    factory.task("clinical/a")
    (factory.tasks / "clinical" / "a").rename(factory.tasks / "clinical" / name)
    options = ("--tasks-dir", str(factory.tasks), "--data-dir", str(factory.data))
    with pytest.raises(TaskError, match="use letters, digits, dots"):
        factory.registry().get_task(f"clinical/{name}")
    for words in (["prepare"], ["evidence"], ["audit"], ["grade", "x.csv"], ["verify", "x.csv"]):
        with pytest.raises(SystemExit):
            main([words[0], *options, *words[1:], f"clinical/{name}"])
        assert "the folders' names make the task id" in " ".join(capsys.readouterr().err.split())
    with pytest.raises(SystemExit) as done:
        main(["tasks", *options, "--json"])
    assert not done.value.code
    rows = {row["task"]: row["name"] for row in json.loads(capsys.readouterr().out)}
    assert rows[f"clinical/{name}"].startswith("broken: ")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("- a list\n", "mapping"),
        ("a: [", "cannot be read"),
        ("name: x\n", "no `grader`"),
        ("kind: other\ngrader: {metric: mae}\n", "kind is"),
    ],
)
def test_broken_config_is_named(factory, config, message):
    factory.task("clinical/a")
    (factory.tasks / "clinical" / "a" / "config.yaml").write_text(config)
    with pytest.raises(TaskError, match=message) as error:
        factory.get("clinical/a")
    assert "config.yaml" in str(error.value)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"limits": {"wall": 1}}, "`limits.wall`; did you mean `limits.wall_s`"),
        ({"limits": {"Memory_MB": 64}}, "did you mean `limits.memory_mb`"),
        ({"limits": {"disk": 2}}, r"`limits` has unknown key\(s\) \['disk'\]; known: \['cpu_s'"),
        ({"dataset": {"gold_submision": "x.csv"}}, "did you mean `dataset.gold_submission`"),
        ({"dataset": {"answer": "x.csv"}}, "did you mean `dataset.answers`"),
        ({"compute_requirements": {"runtime": 5}}, "`compute_requirements.runtime_min`"),
        ({"compute_requirements": {"memory_gb": 5}}, "`compute_requirements.memory_mb`"),
        ({"verifier": {"verson": "v1"}}, "did you mean `verifier.version`"),
        ({"leaderboard": "b.csv", "leaderbord": "x.csv"}, "did you mean `leaderboard`"),
        ({"human_baseline": "x.csv"}, "did you mean `human_baselines`"),
    ],
)
def test_a_misspelt_key_is_refused_with_what_is_meant(factory, config, message):
    with pytest.raises(TaskError, match=message) as error:
        factory.task("clinical/a", config=config)
    assert "clinical/a/config.yaml: " in str(error.value)


def test_keys_of_the_published_form_are_ignored(factory):
    section = {
        "estimated_runtime_minutes": 15,
        "recommended_gpu_memory_gb": 4,
        "recommended_memory": 1,
    }
    dataset = {"name": "x", "path": "y"}
    config = {
        "compute_requirements": section,
        "dataset": dataset,
        "data_source": {},
        "prizes": None,
    }
    assert factory.task("clinical/a", config=config).compute == section


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"submission": {"idd": "id"}}, "unknown key"),
        ({"submission": {"id": "id", "columns": {"y": {"type": "float"}}}}, "type"),
        ({"grader": {"metric": "roc_auk"}}, "did you mean"),
        ({"grader": {"metric": "roc_auc", "options": {"nope": 1}}}, "no option"),
        ({"grader": {"metric": "roc_auc", "direction": "minimize"}}, "to be maximized"),
        ({"grader": {"metric": "roc_auc", "is_lower_better": True}}, "to be maximized"),
        ({"grader": {"metric": "roc_auc", "grade_fn": "a:b"}}, "not both"),
        ({"grader": {"grade_fn": "a:b", "options": {"k": 1}}}, "into the function, or name a"),
        ({"grader": {"grade_fn": "a:b", "inputs_fn": "a:c"}}, "into the function, or name a"),
        ({"grader": {"name": "x"}}, "needs"),
        ({"dataset": {"answers": "../../secret.csv"}}, "inside the data folder"),
        ({"leaderboard": "nowhere.csv"}, "does not exist"),
    ],
)
def test_contradictory_config_is_named(factory, config, message):
    task = factory.task("clinical/a", config=config)

    def read_everything():
        return task.submission, task.grader, task.direction, task.answers, task.leaderboard

    with pytest.raises(TaskError, match=message):
        read_everything()


def test_direction_needs_a_declaration_or_an_ordered_leaderboard(factory):
    grader = {"name": "my own", "grade_fn": "grade:grade"}
    files = {"grade.py": GRADE}
    ordered = factory.task("d/a", config={"grader": grader}, files=files, leaderboard=(1, 2, 3))
    assert ordered.direction == "minimize"
    unordered = factory.task("d/b", config={"grader": grader}, files=files, leaderboard=(1, 3, 2))
    with pytest.raises(TaskError, match="direction: minimize"):
        _ = unordered.direction
    known = factory.task(
        "d/c", config={"grader": {**grader, "name": "auc-roc"}}, files=files, leaderboard=(1, 3, 2)
    )
    assert known.direction == "maximize"


def test_tasks_travel_between_processes(factory):
    import pickle

    task = factory.task("clinical/a")
    assert pickle.loads(pickle.dumps(task)) == task
    assert len({task, factory.get("clinical/a")}) == 1


def test_the_default_registry_lists_the_built_in_tasks():
    ids = registry.list_task_ids()
    assert ids
    assert all(task_id.count("/") == 1 for task_id in ids)


def test_a_list_of_many_unknown_tasks_takes_no_hours(factory, monkeypatch):
    monkeypatch.setattr(registry_module, "_MOST_MISSES", 3)
    factory.task("clinical/known")
    found = Registry([factory.tasks])
    reads = []
    folders = registry_module.task_folders
    monkeypatch.setattr(
        registry_module, "task_folders", lambda root: reads.append(root) or folders(root)
    )
    told = []
    for number in range(1_000):
        with pytest.raises(TaskError) as raised:
            found.get_task(f"clinical/knwn{number}")
        told.append("did you mean clinical/known?" in str(raised.value))
    assert told == [True] * 3 + [False] * 997
    assert len(reads) < 50
    # A task that has come is found, though not at once.
    factory.task("clinical/new")
    monkeypatch.setattr(registry_module, "_LOOK_AGAIN_S", 0.0)
    assert found.get_task("clinical/new").id == "clinical/new"
