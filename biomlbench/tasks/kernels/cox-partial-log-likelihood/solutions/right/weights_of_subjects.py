"""Each subject's weight in the gradient first, over all times, and then one product."""

import numpy as np


def cox_log_likelihood(time, event, covariates, beta, ties="breslow"):
    eta = (covariates * beta).sum(axis=1)
    weights = event.astype(float)
    total = 0.0
    for t in np.unique(time[event]):
        at_risk = np.flatnonzero(time >= t)
        dying = event[at_risk] & (time[at_risk] == t)
        top = eta[at_risk].max()
        risk = np.exp(eta[at_risk] - top)
        total += eta[at_risk][dying].sum()
        for number in range(int(dying.sum())):
            gone = number / int(dying.sum()) if ties == "efron" else 0.0
            left = np.where(dying, (1 - gone) * risk, risk)
            total -= top + np.log(left.sum())
            weights[at_risk] -= left / left.sum()
    return {"log_likelihood": float(total), "gradient": weights @ covariates}
