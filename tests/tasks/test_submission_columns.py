"""What a task's config may declare of its columns."""

from __future__ import annotations

import pytest

from biomlbench.errors import TaskError
from biomlbench.task.submission_columns import MAX_PIXELS, SubmissionSchema


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ({"type": "rle", "height": 100_000, "width": 100_000}, "masks of 10,000,000,000 pixels"),
        ({"type": "rle", "height": 1, "width": MAX_PIXELS + 1}, "cut the images into tiles"),
        ({"type": "rle", "height": 0, "width": 5}, "`submission.columns.m.height` is a whole"),
        ({"type": "rle", "height": 5, "width": -1}, "`submission.columns.m.width` is a whole"),
        ({"type": "rle", "height": "5", "width": 5}, "not '5'"),
        ({"type": "rle", "height": True, "width": 5}, "not True"),
        ({"type": "rle", "height": 5}, "go together"),
        ({"type": "number", "height": 5, "width": 5}, "with type rle"),
    ],
)
def test_a_size_of_masks_that_cannot_be_is_refused(declared, told):
    config = {"id": "id", "target": "m", "columns": {"m": declared}}
    with pytest.raises(TaskError, match=told):
        SubmissionSchema.from_config(config, "config.yaml")


def test_the_largest_masks_are_declared():
    columns = {"m": {"type": "rle", "height": 1 << 14, "width": 1 << 14}}
    config = {"id": "id", "target": "m", "columns": columns}
    spec = SubmissionSchema.from_config(config, "config.yaml").columns["m"]
    assert (spec.height, spec.width) == (16_384, 16_384)
