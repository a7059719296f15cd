"""The program that parses submitted code; run by `submission.code_syntax`, never imported.

Python's parser takes time and stack that grow faster than the code does. So it works here, in a
process with limits, which prints one object of JSON: line and words of the fault, if there is one,
and whether the code may define anything.
"""

from __future__ import annotations

import ast
import json
import resource
import sys
import warnings

_MEMORY = 2 * 2**30
_WORDS = 200


def main() -> None:
    cpu_s = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    fault: tuple[int, str] | None = None
    may_define = False
    try:
        may_define = _may_define(ast.parse(sys.stdin.buffer.read().decode("utf-8")))
    except SyntaxError as error:
        fault = (error.lineno or 1, str(error.msg)[:_WORDS])
    except (ValueError, RecursionError, MemoryError):
        fault = (0, "")
    json.dump({"fault": fault, "may_define": may_define}, sys.stdout)


def _may_define(code: ast.Module) -> bool:
    """Tell whether running code may give a name a value, in whatever odd way.

    Expressions can but by a call, as of `exec` or `globals`, or by an assignment within them.
    """
    if not all(isinstance(statement, ast.Expr | ast.Pass) for statement in code.body):
        return True
    return any(
        isinstance(node, ast.Call) or isinstance(getattr(node, "ctx", None), ast.Store)
        for node in ast.walk(code)
    )


if __name__ == "__main__":
    main()
