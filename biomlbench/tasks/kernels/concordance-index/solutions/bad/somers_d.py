# pattern: other-measure
# caught_by: oracle, nan-just-without-pairs


def concordance_index(time, event, risk):
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[j] > time[i] or (time[j] == time[i] and not event[j])):
                pairs += 1
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    return float(2 * won / pairs - 1) if pairs else float("nan")
