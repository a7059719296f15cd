# pattern: size-limited
# caught_by: oracle
# event times beyond a fixed number are left out
import numpy as np


def cox_log_likelihood(time, event, covariates, beta, ties="breslow"):
    eta = covariates @ beta
    ll = 0.0
    g = np.zeros(len(beta))
    for t in np.unique(time[event])[:200]:
        R, D = time >= t, event & (time == t)
        top = eta[R].max()
        w = np.where(R, np.exp(np.where(R, eta - top, 0)), 0)
        d = D.sum()
        ll += eta[D].sum()
        g += covariates[D].sum(0)
        for l in range(d):
            v = w - (l / d if ties == "efron" else 0) * np.where(D, w, 0)
            ll -= top + np.log(v.sum())
            g -= v @ covariates / v.sum()
    return dict(log_likelihood=float(ll), gradient=g)
