"""What goes into the sandbox and what comes out of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from biomlbench.errors import UserError
from biomlbench.sandbox import codec

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import Arguments
    from biomlbench.sandbox.requests import Sent

__all__ = [
    "STATUSES",
    "Case",
    "CaseResult",
    "Execution",
    "HostOutOfMemory",
    "Limits",
    "ProgramResult",
    "Refusal",
    "SandboxFault",
    "SandboxUnavailable",
    "UnexplainedKill",
]

STATUSES = (
    "ok",
    "exception",
    "syntax_error",
    "import_error",
    "missing_function",
    "missing_output",
    "time_limit",
    "memory_limit",
    "output_limit",
    "process_limit",
    "sandbox_violation",
    "crashed",
    "malformed_output",
    "input_modified",
)
"""Every status of a case or program; all but ``ok`` are the candidate's own doing."""


@dataclass(frozen=True)
class Refusal:
    """Why a sandbox provider cannot be used here.

    Attributes
    ----------
    cause : str
        What is in the way.
    remedy : str
        What to do about it.
    applies : bool
        Whether the provider is meant for this user at all; if not, there is nothing to remedy.
    """

    cause: str
    remedy: str = ""
    applies: bool = True

    def __str__(self) -> str:
        return f"{self.cause}. Remedy: {self.remedy}" if self.remedy else self.cause


class SandboxUnavailable(UserError, RuntimeError):  # noqa: N818
    """The host gives no sandbox of the kind asked for; the message says what would help.

    Attributes
    ----------
    refusal : Refusal
    """

    def __init__(self, cause: str, remedy: str = "") -> None:
        self.refusal = Refusal(cause, remedy)
        super().__init__(str(self.refusal))

    def __reduce__(self) -> tuple[type[SandboxUnavailable], tuple[str, str]]:
        return SandboxUnavailable, (self.refusal.cause, self.refusal.remedy)


class SandboxFault(UserError, RuntimeError):  # noqa: N818
    """The sandbox itself failed; nothing is known about the candidate."""


class HostOutOfMemory(SandboxFault):
    """The host's memory killer seems to have struck; worth a second try."""


class UnexplainedKill(SandboxFault):
    """The code's process was killed, by itself or by somebody outside; worth a second try."""


TOTAL_OUTPUT_MB = 64
"""The grader keeps several copies of it while it judges, and must stay below 1 GB."""
_OPTIONAL = ("cpu_s", "total_wall_s", "total_cpu_s", "total_output_mb")


@dataclass(frozen=True)
class Limits:
    """What one case, or one program, may use, and all cases of a candidate together.

    Parameters
    ----------
    wall_s : float
        Seconds from the start of a case to its result. Those in which it was ready to run and the
        machine ran others instead do not count, up to ten times the limit.
    cpu_s : float, optional
        CPU seconds of one process; by default as long as the clock allows on all its cores.
    memory_mb : int
        Memory of all processes together, in MiB, without the harness's own.
    processes : int
        Processes and threads at one time.
    file_mb : int
        Size of one file, and of each writable file system.
    open_files : int
        Open descriptors of one process.
    output_mb : int
        Size of an encoded result or of a program's output file.
    log_kb : int
        Bytes of standard output and of standard error that are kept.
    total_wall_s : float, optional
        Seconds for all cases of one candidate, counted likewise, the starts of its sandboxes
        included; later cases
        come out as ``time_limit``. None for no limit.
    total_cpu_s : float, optional
        CPU seconds, likewise; by default as long as the clock allows on all cores.
    total_output_mb : int, optional
        MiB of all results and logs together, as they are outside, where a short list of numbers
        takes more than its bytes; later cases come out as ``output_limit``. By default 64, or
        twice `output_mb`.
    restarts : int
        Sandboxes that may be started again for one candidate because it has ended or spoilt the
        one before.
    threads : int
        Cores to run on, and threads that numerical libraries start by themselves.
    gpus : int
        Graphics processors to see.
    """

    wall_s: float = 10.0
    cpu_s: float | None = None
    memory_mb: int = 2048
    processes: int = 64
    file_mb: int = 64
    open_files: int = 256
    output_mb: int = 32
    log_kb: int = 64
    total_wall_s: float | None = 1800.0
    total_cpu_s: float | None = None
    total_output_mb: int | None = None
    restarts: int = 8
    threads: int = 1
    gpus: int = 0

    def __post_init__(self) -> None:
        for entry in dataclasses.fields(self):
            value = getattr(self, entry.name)
            optional = entry.name in _OPTIONAL
            least = 0 if entry.name in ("gpus", "restarts") else None
            enough = value is not None and (value > 0 or value == least)
            if not enough and not (value is None and optional):
                raise ValueError(f"limit {entry.name} must be greater than 0, not {value!r}")
            if str(entry.type).startswith("int") and value is not None:
                if value != int(value):
                    raise ValueError(f"limit {entry.name} must be a whole number, not {value!r}")
                object.__setattr__(self, entry.name, int(value))

    @property
    def all_output_mb(self) -> int:
        """MiB of all results and logs together."""
        return self.total_output_mb or max(TOTAL_OUTPUT_MB, 2 * self.output_mb)

    @property
    def all_cpu_s(self) -> float | None:
        """CPU seconds of all cases together."""
        if self.total_cpu_s is None and self.total_wall_s is not None:
            return self.total_wall_s * self.threads
        return self.total_cpu_s


@dataclass(frozen=True)
class Case:
    """One call of one function.

    Parameters
    ----------
    id : str
        Unique within a run; never sent into the sandbox.
    function : str
        Name of the function in the candidate's module. ``+sequence`` makes several calls in one
        process; `args` is then ``(reuse, ((function, args, kwargs), ...))``, and with `reuse`
        later arguments arrive in the objects of earlier ones wherever they fit in.
    args, kwargs
        Plain data, as :mod:`biomlbench.sandbox.codec` knows it.
    hash_seed : int, optional
        ``PYTHONHASHSEED`` of the interpreter that runs the case; 0 by default.
    shown : bool
        Whether whoever submitted the code sees what the case prints. Such cases run first: what
        they print then tells nothing of the others, which leave traces in the kernel's counters.
    sent : Sent, optional
        What :func:`biomlbench.sandbox.requests.prepare` makes of the case, where it is there
        already: encoding takes longer than many a call.
    """

    id: str
    function: str
    args: tuple[Any, ...] = ()
    kwargs: Arguments = field(default_factory=dict)
    hash_seed: int | None = None
    shown: bool = False
    sent: Sent | None = None


@dataclass(frozen=True)
class CaseResult:
    """What became of one case.

    Attributes
    ----------
    id : str
    status : str
        One of :data:`STATUSES`.
    payload : bytes or None
        The encoded result where the status is ``ok`` or ``input_modified``; checked to decode,
        else None.
    message : str
        What went wrong, in the candidate's or the sandbox's words; never an expected value.
    total : str
        Which limit on all cases together was used up, in the grader's own words; else empty.
    stdout, stderr : str
        What the case printed, capped, without control characters.
    wall_s : float
        Seconds from sending the case to its result, measured outside.
    cpu_s : float
        CPU seconds of all the case's processes.
    peak_mb : float
        Peak memory in MiB.
    measured_by : str
        How the CPU and memory figures were obtained.
    """

    id: str
    status: str
    payload: bytes | None = None
    message: str = ""
    total: str = ""
    stdout: str = ""
    stderr: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    measured_by: str = ""

    def value(self) -> Any:
        """Return the result as plain data.

        Raises
        ------
        ValueError
            If there is no result.
        """
        if self.payload is None:
            raise ValueError(f"case {self.id} gave no result: {self.status}")
        return codec.decode(self.payload)


@dataclass(frozen=True)
class Execution:
    """All cases of one candidate.

    Attributes
    ----------
    provider : str
        Name of the sandbox provider.
    level : str
        ``full``, ``reduced`` or ``unsafe``.
    cases : tuple of CaseResult
        In the order in which the cases were given.
    load_status, load_message : str
        What became of importing the candidate; ``ok`` or why no case could run.
    wall_s, cpu_s, peak_mb : float
        Of the whole run, the start of the sandbox included.
    measured_by : str
        How the CPU and memory figures were obtained.
    """

    provider: str
    level: str
    cases: tuple[CaseResult, ...]
    load_status: str = "ok"
    load_message: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    measured_by: str = ""


@dataclass(frozen=True)
class ProgramResult:
    """What became of one program; the fields are those of :class:`CaseResult`.

    Attributes
    ----------
    output : bytes or None
        The file that the program wrote, where the status is ``ok``; as untrusted as any
        other submitted file.
    """

    provider: str
    level: str
    status: str
    output: bytes | None = None
    message: str = ""
    stdout: str = ""
    stderr: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    measured_by: str = ""
