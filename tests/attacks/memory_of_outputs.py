import re
import sys


def found(pattern):
    """Search all readable memory of this process."""
    marks = set()
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            place, mode = line.split()[:2]
            start, end = (int(part, 16) for part in place.split("-"))
            if "r" not in mode or end - start > 1 << 28 or "[v" in line:
                continue
            try:
                memory.seek(start)
                marks.update(m.group() for m in pattern.finditer(memory.read(end - start)))
            except (OSError, ValueError, OverflowError):
                continue
    return marks


def attack(own):
    word = "said" + "-" + own.rpartition("-")[2]
    other = found(re.compile(b"said" + b"-[0-9a-f]{16}")) - {word.encode()}
    print(word * 2000)
    print(word, file=sys.stderr)
    sys.stdout.flush()
    return sorted(mark.decode() for mark in other)
