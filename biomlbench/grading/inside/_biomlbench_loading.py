"""How a grader's process loads the grader: its function, its answers, and stand-ins for the rest.

Like the process itself it runs in whatever interpreter the grader needs, with nothing but the
standard library until pandas is asked for.
"""

import contextlib
import gc
import importlib
import importlib.util
import inspect
import io
import json
import os
import sys
import types
import warnings

__all__ = ["Job", "MissingModuleError", "read_csv"]


class MissingModuleError(ImportError):
    """A module that this interpreter does not have was used."""


class Absent:
    """Lets code import a module that is not there, and fails where it is used."""

    def __init__(self, package, folders):
        self.names = set()
        self._package = package
        self._folders = tuple(folder.rstrip("/") + "/" for folder in folders if folder)

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top == self._package or top == "_task" or top in sys.stdlib_module_names:
            return None
        if path is not None and top not in self.names:
            return None  # a part of a package that is there
        if not self._is_asked_by_the_suite():
            return None  # a library that looks whether it has an optional one
        self.names.add(top)
        return importlib.util.spec_from_loader(name, self)

    def _is_asked_by_the_suite(self):
        frame = sys._getframe(2)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith(self._folders)

    def create_module(self, spec):
        return _AbsentModule(spec.name)

    def exec_module(self, module):
        module.__path__ = []


class _AbsentModule(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent_thing(f"{self.__name__}.{name}", self.__name__)


def _absent_thing(name, module):
    def refuse(*_args, **_kwargs):
        raise MissingModuleError(
            f"{name} is used, and there is no module {module!r}", name=module.partition(".")[0]
        )

    # A class, so that it may also stand as a base class or in an `except` clause.
    return type(
        name.rpartition(".")[2],
        (Exception,),
        {"__new__": refuse, "__module__": module},
    )


class Job:
    """A grader that is ready: its function and its answers."""

    def __init__(self, config):
        self.config = config
        self.limits = config["limits"]
        self.absent = Absent(config["package"], (config["tree"], config["folder"]))
        sys.path[:0] = [path for path in (config["tree"], config["hubs"]) if path]
        sys.path.append(config["fallbacks"])
        sys.meta_path.append(self.absent)
        link = types.ModuleType("_biomlbench_evaluate")
        link.main_metric = config.get("main_metric")
        sys.modules[link.__name__] = link
        self.function = _load(config)
        self.parameters = _parameters(self.function)
        self.answers = _answers(config["answers"]) if config.get("answers") else None
        _warm_up()
        gc.collect()
        gc.freeze()


def _parameters(function):
    """Return the names of what arguments go to by position; none if that is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in parameters if one.kind in by_position]


def _warm_up():
    """Have libraries do once, before the forks, what they do at their first call only.

    Each fork would do it anew: a third of the time of a small submission. It is none of the
    grader's own code, whose state has to be as it was imported for every submission.
    """
    # Whatever version there is, or stand-in for it: what fails here is not needed.
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        if "pandas" in sys.modules:
            text = "id,y\na,0.5\nb,1.5\n"
            left, right = read_csv(io.StringIO(text)), read_csv(io.BytesIO(text.encode()))
            left.merge(right, on="id", suffixes=("_left", "_right"))
            left.sort_values("id").set_index("id").equals(right)
        if metrics := sys.modules.get("sklearn.metrics"):
            for name in ("roc_auc_score", "average_precision_score", "log_loss"):
                getattr(metrics, name)([0, 1, 1], [0.2, 0.4, 0.6])


def _load(config):
    """Return the function that the config names."""
    module, _, name = config["function"].partition(":")
    before = set(sys.modules)
    try:
        found = _import(module, config)
    except ImportError:
        # The package's own start-up may need what grading does not: go round it.
        for key in set(sys.modules) - before:
            if key.partition(".")[0] == config["package"]:
                del sys.modules[key]
        if not config["package"]:
            raise
        bare = types.ModuleType(config["package"])
        bare.__path__ = [os.path.join(config["tree"], config["package"])]
        sys.modules[config["package"]] = bare
        found = _import(module, config)
    function = getattr(found, name, None)
    if not callable(function):
        raise AttributeError(f"{module} defines no function {name!r}")
    return function


def _import(module, config):
    if config["package"] and module.partition(".")[0] == config["package"]:
        return importlib.import_module(module)
    # A file of the task's folder, as a module of a package, so that it may import its neighbours.
    folder = config["folder"]
    package = types.ModuleType("_task")
    package.__path__ = [folder]
    sys.modules["_task"] = package
    sys.path.insert(0, folder)
    stem = module.removesuffix(".py").replace("/", ".").rpartition(".")[2]
    return importlib.import_module(f"_task.{stem}")


def _answers(path):
    if path.endswith(".csv"):
        return read_csv(path)
    if path.endswith(".jsonl"):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    import pathlib

    return pathlib.Path(path)


def read_csv(source):
    import pandas as pd

    # From version 3 on pandas parses floats exactly, and warns of the option.
    exact = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}
    try:
        return pd.read_csv(source, **exact)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
