"""Why a score does not exist, and whose fault it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from biomlbench.outcomes import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["REASONS", "MetricError", "UnknownMetricError"]

#: Why a score does not exist, by reason code.
REASONS: Mapping[str, str] = {
    "constant_predictions": "all predictions are equal, so they rank nothing",
    "constant_truth": "all true values are equal, so the metric is undefined",
    "empty": "there is nothing to score",
    "incomplete_model": "the model lacks residues of the native structure",
    "label_type_mismatch": "labels of the truth and of the predictions are of different types",
    "malformed_structure": "a structure file cannot be read",
    "malformed_rle": "a run-length code cannot be decoded",
    "missing_class": "a class of the task has no row in the truth",
    "missing_truth": "the truth holds NaN, infinite or missing values",
    "nan_predictions": "the predictions hold NaN, infinite or missing values",
    "negative_time": "a survival time of the truth is below 0",
    "no_comparable_pairs": "censoring leaves no pair whose order is known",
    "no_common_residues": "model and native share too few residues to superpose",
    "no_positives": "the truth has no row of the positive class",
    "non_binary_mask": "a mask holds values other than 0 and 1",
    "non_finite_score": "the score overflows",
    "not_binary": "the truth has more than two classes",
    "not_labels": "the predictions are not class labels",
    "not_numeric": "values are not numbers",
    "not_probabilities": "the predictions are not probabilities",
    "one_class": "the truth holds a single class",
    "shape_mismatch": "predictions and truth have different shapes",
    "too_few_rows": "too few rows for the metric to be defined",
    "unknown_label": "the predictions hold a label that the task does not have",
}


class MetricError(ValueError):
    """A score that does not exist, with the reason and whose fault it is.

    Parameters
    ----------
    reason : str
        Code, one of :data:`REASONS`.
    message : str
        What is wrong, in words that tell no values of the truth.
    fault : {"submission", "task"}
        Whether the predictions or the answers cause it.
    """

    def __init__(self, reason: str, message: str, fault: Fault = Fault.SUBMISSION) -> None:
        super().__init__(message)
        if reason not in REASONS:
            raise KeyError(f"undeclared reason {reason!r}: add it to REASONS")
        if fault not in (Fault.SUBMISSION, Fault.TASK):
            raise KeyError(f"fault is 'submission' or 'task', not {fault!r}")
        self.reason = reason
        self.message = message
        self.fault = Fault(fault)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.message, self.fault)


_ALSO_CALLED = {
    **dict.fromkeys(("auc", "auroc", "auc_roc", "rocauc", "roc_auc_score"), "roc_auc"),
    **dict.fromkeys(("auprc", "pr_auc", "aucpr", "average_precision_score"), "average_precision"),
    **dict.fromkeys(("mean_absolute_error", "neg_mean_absolute_error", "l1"), "mae"),
    **dict.fromkeys(("mean_squared_error", "neg_mean_squared_error", "l2"), "mse"),
    **dict.fromkeys(("root_mean_squared_error", "rms"), "rmse"),
    **dict.fromkeys(("r2_score", "r_squared", "rsquared", "coefficient_of_determination"), "r2"),
    **dict.fromkeys(("spearmanr", "spearman_correlation", "rho"), "spearman"),
    **dict.fromkeys(("pearsonr", "pearson_correlation", "pcc"), "pearson"),
    **dict.fromkeys(("accuracy_score", "acc"), "accuracy"),
    **dict.fromkeys(("f1_score", "macro_f1"), "f1"),
    **dict.fromkeys(("cross_entropy", "logloss", "binary_crossentropy", "bce"), "log_loss"),
    **dict.fromkeys(("c_index", "cindex", "harrell_c"), "concordance_index"),
    **dict.fromkeys(("jaccard", "jaccard_score", "mean_iou", "miou"), "iou"),
    **dict.fromkeys(("dice_score", "dice_coefficient", "dsc"), "dice"),
    **dict.fromkeys(("tmscore", "tm"), "tm_score"),
    **dict.fromkeys(("gdtts", "gdt"), "gdt_ts"),
    **dict.fromkeys(("matthews_corrcoef", "matthews"), "mcc"),
    **dict.fromkeys(("kendalltau", "tau"), "kendall"),
}
"""Other names of metrics, as scikit-learn, SciPy and papers have them."""


class UnknownMetricError(ValueError):
    """No metric has the name asked for."""

    def __init__(self, name: str, known: list[str]) -> None:
        import difflib

        asked = name.lower().replace("-", "_").replace(" ", "_")
        meant = [one for one in (_ALSO_CALLED.get(asked), asked) if one in known]
        near = meant or difflib.get_close_matches(asked, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        super().__init__(f"unknown metric {name!r}: {hint}known metrics: {', '.join(known)}")
        self.name = name
        self.known = known

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.known)
