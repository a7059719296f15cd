"""What a prediction task's config may not hold is refused with what is allowed."""

import pytest

from biomlbench.errors import TaskError
from biomlbench.registry import Registry


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("submission: {columns: [y]}", "`submission.columns` must be a mapping of columns to"),
        ("submission: {columns: {y: {min: 0}}}", "did you mean minimum? known: ['type', 'minimum'"),
        ("submission: {columns: {y: {high: 0}}}", "did you mean maximum? known: ['type'"),
        ("submission: {columns: {y: {typ: number}}}", "did you mean type? known: ['type'"),
        ("submission: {targets: y}", "did you mean target? known: ['id', 'target'"),
        ("submission: {id: {a: b}}", "names the column(s) [{'a': 'b'}]; write a name, or a list"),
        ("grader: {metric: rmse, options: x}", "`options` must be a mapping of options to values"),
        ("grader: rmse", "`grader` must be a mapping, as {metric: rmse}, not 'rmse'"),
        ("grader:", "there is no `grader`"),
        ("noise_floor: x", "`noise_floor` must be a finite number, not 'x'"),
        ("noise_floor: .nan", "`noise_floor` must be a finite number, not nan"),
        ("noise_flor: 0.1", "did you mean `noise_floor`?"),
        ("environment: ../../x", "must be the name of a folder in the task's own or in envs/"),
        ("environment: /usr", "must be the name of a folder in the task's own or in envs/"),
        ("environment: {a: b}", "must be the name of a folder in the task's own or in envs/"),
        ("installed_data: x.csv", "`installed_data` must be a list of files"),
        ("installed_data: [../x.csv]", "must be a path below the installed packages"),
    ],
)
def test_a_wrong_type_or_key_is_told_with_what_is_allowed(tmp_path, more, says):
    folder = tmp_path / "tasks" / "other" / "toy"
    folder.mkdir(parents=True)
    text = more if more.startswith("grader") else f"grader: {{metric: rmse}}\n{more}"
    (folder / "config.yaml").write_text(f"{text}\n")
    (folder / "description.md").write_text("# Toy\n")
    with pytest.raises(TaskError) as caught:
        _ = Registry([tmp_path / "tasks"], tmp_path / "data").get_task("toy").grader
    assert says in str(caught.value)
    assert f"{folder / 'config.yaml'}: " in str(caught.value)
