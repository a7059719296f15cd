# pattern: wrong-denominator
# caught_by: oracle, duplicate


def concordance_index(time, event, risk):
    # the number of pairs is that of data without censoring before the last event
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[j] > time[i] or (time[j] == time[i] and not event[j])):
                pairs += 1
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    n, d = len(time), sum(event)
    return float(won / (d * n - d * (d + 1) / 2)) if pairs else float("nan")
