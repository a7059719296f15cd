# pattern: tied-times
# caught_by: oracle, duplicate, edges


def concordance_index(time, event, risk):
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and time[j] >= time[i] and i != j:
                pairs += 1
                if time[i] == time[j] and event[j]:
                    won += 0.5
                else:
                    won += (risk[i] > risk[j]) + 0.5 * (risk[i] == risk[j])
    return float(won / pairs) if pairs else float("nan")
