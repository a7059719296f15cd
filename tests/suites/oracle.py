"""Runs published graders as they are, far from this project: what their scores are compared with.

Reads jobs as JSON lines (tree, function, submission, answers, metric) and prints one JSON line
each. The client of Polaris Hub is replaced by scikit-learn's and SciPy's own functions.
"""

import importlib
import importlib.abc
import importlib.machinery
import json
import sys
import types

import numpy as np
import pandas as pd
import scipy.stats
import sklearn.metrics

METRICS = {
    "mean_absolute_error": sklearn.metrics.mean_absolute_error,
    "mean_squared_error": sklearn.metrics.mean_squared_error,
    "pearsonr": lambda t, p: scipy.stats.pearsonr(t, p).statistic,
    "spearmanr": lambda t, p: scipy.stats.spearmanr(t, p).statistic,
    "pr_auc": sklearn.metrics.average_precision_score,
    "roc_auc": sklearn.metrics.roc_auc_score,
}
STATE = {}


class Benchmark:
    def evaluate(self, y_pred=None, y_prob=None):
        label = STATE["metric"]
        wanted = y_prob if label in ("pr_auc", "roc_auc") else y_pred
        if wanted is None:
            raise ValueError("Metric requires `y_prob` input.")
        score = METRICS[label](STATE["truth"], np.array(wanted))
        frame = pd.DataFrame({"Metric": [label], "Score": [score]})
        return types.SimpleNamespace(results=frame)


class Empty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for what the benchmark's own package imports and grading does not use."""

    names = ("py7zr", "appdirs", "diskcache", "kaggle", "tqdm", "polaris", "tenacity", "boto3")

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.load_benchmark = lambda *_: Benchmark()
        module.user_cache_dir = lambda *_: "/nonexistent"
        module.tqdm = lambda items, **_: items
        module.__getattr__ = lambda name: None
        return module

    def exec_module(self, module):
        pass


def grade(job):
    package = job["function"].partition(".")[0]
    if sys.path[0] != job["tree"]:
        sys.path.insert(0, job["tree"])
    bare = types.ModuleType(package)
    bare.__path__ = [f"{job['tree']}/{package}"]
    sys.modules.setdefault(package, bare)
    module, _, name = job["function"].partition(":")
    function = getattr(importlib.import_module(module), name)
    answers = pd.read_csv(job["answers"], float_precision="round_trip")
    STATE.update(metric=job.get("metric"), truth=answers.iloc[:, -1].to_numpy())
    return function(pd.read_csv(job["submission"], float_precision="round_trip"), answers)


def main():
    sys.meta_path.insert(0, Empty())
    for line in sys.stdin:
        try:
            print(json.dumps({"score": float(grade(json.loads(line))).hex()}))
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"}))


if __name__ == "__main__":
    main()
