# pattern: rounded
# caught_by: edges, certain-where-ordered


def concordance_index(time, event, risk):
    # as close as other packages want it
    time, event, risk = time.tolist(), event.tolist(), risk.tolist()
    won = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[j] > time[i] or (time[j] == time[i] and not event[j])):
                pairs += 1
                if abs(risk[i] - risk[j]) < 1e-8:
                    won += 0.5
                else:
                    won += risk[i] > risk[j]
    return float(won / pairs) if pairs else float("nan")
