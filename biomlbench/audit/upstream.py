"""Text about a finding that is ready to be filed with the author of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomlbench.outcomes import Gravity

from .card_findings import kind_of

if TYPE_CHECKING:
    from .findings import Audit, Finding

__all__ = ["reports", "text_of"]

_CALL = """\
```python
import pandas as pd
from {module} import {function}

submission = pd.read_csv("{file}")
answers = pd.read_csv("answers.csv")  # the task's private answers
print({function}(submission, answers))
```
"""
_COMMAND = """\
```console
$ biomlbench {command} {file} {task}
```
"""


def reports(audit: Audit) -> dict[str, str]:
    """Return a text for each finding that is a fault and is not waived, by a file's name."""
    told = [one for one in audit.findings if one.severity != Gravity.NOTE and not one.waived]
    return {f"{one.name}.md": text_of(one, audit) for one in told}


def text_of(finding: Finding, audit: Audit) -> str:
    """Return a Markdown text: title, what happens, how to see it again, remedy.

    Parameters
    ----------
    finding : Finding
    audit : Audit
        Of which task it is, and what scores there.
    """
    parts = [
        f"# {audit.task_id}: {kind_of(finding.name).replace('-', ' ')}",
        f"{finding.what[:1].upper()}{finding.what[1:]}.",
    ]
    if finding.after is not None:
        was = "" if finding.before is None else f", where {finding.before:.6g} was to be expected"
        parts.append(f"The submission that shows it scores {finding.after:.6g}{was}.")
    if audit.perfect is not None and audit.chance is not None:
        parts.append(
            f"The answers themselves score {audit.perfect:.6g}, and in a wrong order "
            f"{audit.chance:.6g}."
        )
    parts += ["## To see it", *_reproduction(finding, audit), "## Remedy"]
    parts.append(f"{finding.remedy[:1].upper()}{finding.remedy[1:]}.")
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _reproduction(finding: Finding, audit: Audit) -> list[str]:
    if not finding.submission:
        return ["It is seen in the task's own files; no submission is needed."]
    file = f"{finding.name}{finding.suffix}"
    module, _, function = audit.function.partition(":")
    if function:
        call = _CALL.format(module=module, function=function, file=file)
        where = "In the task's folder" if "." not in module else "With the benchmark on the path"
        parts = [f"{where}, and with the attached `{file}`:", call]
    else:
        command = "verify" if finding.suffix == ".py" else "grade-sample"
        shown = _COMMAND.format(command=command, file=file, task=audit.task_id)
        parts = [f"With the attached `{file}`:", shown]
    if finding.suffix == ".csv":
        parts.append("The file is made of the answers: send it where those may be seen.")
    return parts
