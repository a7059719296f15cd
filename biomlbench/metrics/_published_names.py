"""Metrics by the names that published configs give them, where these are not their own."""

from __future__ import annotations

__all__ = ["PUBLISHED_NAMES"]

#: Names under which published configs speak of a metric, where they are not its own name.
PUBLISHED_NAMES = {
    "auc-roc": "roc_auc",
    "auroc": "roc_auc",
    "mean-absolute-error": "mae",
    "mean-squared-error": "mse",
    "root-mean-squared-error": "rmse",
    "root-mean-square-error": "rmse",
    "f1-weighted": "f1",
    "f1-macro": "f1",
    "spearman-correlation": "spearman",
    "pearson-correlation": "pearson",
    "dice-coefficient": "dice",
    "r2-score": "r2",
    "kendall-correlation": "kendall",
    "multi-class-log-loss": "log_loss",
    "multi-class-classification-accuracy": "accuracy",
    "mean-column-wise-roc-auc": "roc_auc",
    "column-wise roc auc": "roc_auc",
    "root_mean_squared_error": "rmse",
}
