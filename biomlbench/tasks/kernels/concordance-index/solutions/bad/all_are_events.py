# pattern: censoring-ignored
# caught_by: oracle, censored-early, longer-follow-up


def concordance_index(time, event, risk):
    # the event flag is not looked at
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if time[j] > time[i]:
                pairs += 1
                won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    return float(won / pairs) if pairs else float("nan")
