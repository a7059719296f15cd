# pattern: cut-off
# caught_by: oracle
import numpy as np


def firing_rate(spikes, n_bins, dt, tau):
    inside = spikes[(spikes >= 0) & (spikes < n_bins)]
    counts = np.bincount(inside, minlength=n_bins).astype(float)
    length = min(max(int(5 * tau / dt), 1), n_bins)
    kernel = np.exp(-np.arange(length) * dt / tau) / tau
    return np.convolve(counts, kernel)[:n_bins]
