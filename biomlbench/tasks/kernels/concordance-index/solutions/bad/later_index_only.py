# pattern: tied-times
# caught_by: oracle
import numpy as np


def concordance_index(time, event, risk):
    # after sorting, whoever comes behind lived longer: equal times as they happen to lie
    order = np.argsort(time, kind="stable")
    time, event, risk = time[order], event[order], risk[order]
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and j > i:
                pairs += 1
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    return float(won / pairs) if pairs else float("nan")
