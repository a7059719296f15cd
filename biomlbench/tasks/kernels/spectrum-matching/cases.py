import numpy as np

from biomlbench.verify.cases import case

READ, MATCH, SCORE = "read_mgf", "match_peaks", "similarity"
BORDER = 1e-9
LIMITS = (1000.0, 300.0, 5.0)
COMMENTED = ("TITLE=none", "PEPMASS=12.5", "CHARGE=9-", "7.5 3")
"""Lines that would count without the sign of a comment before them."""


def spectrum(seed, n, low=100.0, high=1500.0):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(low, high, n), rng.exponential(100, n)])


def pair(seed, n, ppm, crowded=0.5, shared=0.6, low=100.0, high=1500.0):
    """Two spectra that share peaks; near many of them there are further ones within reach."""
    rng = np.random.default_rng(seed)
    a = spectrum(seed + 1000, n, low, high)
    keep = a[rng.random(n) < shared]
    b = keep * np.column_stack(
        [1 + rng.normal(0, ppm * 3e-7, len(keep)), rng.lognormal(0, 0.5, len(keep))]
    )
    more = b[rng.random(len(b)) < crowded]
    near = more[:, 0] * (1 + rng.uniform(-1.2, 1.2, len(more)) * ppm * 1e-6)
    b = np.vstack([b, np.column_stack([near, rng.exponential(100, len(more))])])
    b = np.vstack([b, spectrum(seed + 2000, max(n - len(b), 0), low, high)])[:400]
    also = a[rng.random(n) < crowded / 2]
    a = np.vstack([a, also * [1 + 0.8e-6 * ppm, 1.4]])[:400]
    return rng.permutation(a), rng.permutation(b)


def compared(name, function, a, b, ppm):
    """A case in which no difference of m/z is at the tolerance."""
    a, b = (np.asarray(one, float).reshape(-1, 2) for one in (a, b))
    x, y = a[:, 0][:, None], b[:, 0][None, :]
    limit = ppm * 1e-6 * (x + y) / 2
    if (np.abs(np.abs(x - y) / limit - 1) < BORDER).any():
        raise ValueError(f"case {name}: a difference is at the tolerance")
    return case(name, function, a, b, ppm)


def mgf(seed, count, end="\n"):
    """A file with what such files have: comments, blanks, charges of all forms, odd peaks."""
    rng = np.random.default_rng(seed)
    lines = ["# written for a test", "COM=somewhere", "CHARGE=4+", ""]
    for number in range(count):
        lines.append("BEGIN IONS")
        heads = [f"TITLE=scan={number + 1} of {count}"]
        heads.append(f"PEPMASS={rng.uniform(300, 1500):.4f}" + [" 1234.5", "\t9", ""][number % 3])
        heads.append("CHARGE=" + ["2+", "+3", "1-", "-2", "4"][int(rng.integers(0, 5))])
        heads.append(f"RTINSECONDS={60 * number}")
        heads += [
            f"{mark}{line}" for mark, line in zip("#;!/", rng.permutation(COMMENTED), strict=True)
        ]
        heads = [line for line in heads if rng.random() < 0.85]
        if rng.random() < 0.3:
            heads = [line[:4].lower() + line[4:] for line in heads]
        lines += list(rng.permutation(heads))
        for mz, intensity in np.round(spectrum(seed + number, int(rng.integers(1, 9))), 3):
            lines.append(f"{mz} {intensity}" if rng.random() < 0.7 else f"{mz}\t{intensity} 1+")
            if rng.random() < 0.2:
                lines.append(f"{mz} {[0, 17.25][int(rng.integers(0, 2))]}")
            if rng.random() < 0.1:
                lines += ["", "; a remark", f"  {mz + 1}  "]
        lines += ["END IONS", ""]
    return end.join(lines)


def chain(n, ppm):
    """Peaks that each reach two others, where the largest first is not the best."""
    step = 0.9e-6 * ppm * 500
    a = [[500 + 2 * k * step, 10.0 + k % 3] for k in range(n)]
    b = [[500 + (2 * k + 1) * step, 10.0 + (k + 1) % 3] for k in range(n)]
    return a, b


def _at_limit(ppm):
    """Pairs whose distance is the limit but for some billionths of it, to either side."""
    a, b = [], []
    for k, part in enumerate([2e-9, -2e-9, 5e-9, -5e-9, 3e-8, -3e-8, -3e-7, 3e-7]):
        mz, half = 0.9 * 2.0 ** (k + 4), ppm * 5e-7 * (1 + part)
        a += [[mz, 4.0 + k], [1.2 * mz, 9.0]]
        b += [[mz * (1 + half) / (1 - half), 2.0], [1.2 * mz * (1 - half) / (1 + half), 3.0 + k]]
    return a, b


def _beside_bright(peaks):
    """Peaks that are faint beside another pair, which outweighs each of theirs 10**9 times."""
    return [np.vstack([[[4000.0, 1e12]], one * [1, 4]]) for one in peaks]


EXAMPLE = ([[100.0, 4.0], [100.001, 9.0]], [[100.0005, 16.0]], 10.0)


def visible():
    small = "BEGIN IONS\nTITLE=one\nPEPMASS=400.2 10\nCHARGE=2+\n100.5 3\n90 1\nEND IONS\n"
    return [
        case("worked-text", READ, small),
        case("two-spectra", READ, mgf(1, 2)),
        compared("worked", MATCH, *EXAMPLE),
        compared("ten", MATCH, *pair(1, 10, 20.0), 20.0),
        compared("worked-score", SCORE, *EXAMPLE),
        compared("ten-score", SCORE, *pair(2, 10, 20.0), 20.0),
    ]


def hidden():
    return [
        case("text", READ, mgf(10, 6)),
        case("text-windows", READ, mgf(11, 6, end="\r\n")),
        case("text-many", READ, mgf(12, 200)),
        case("text-eight", READ, mgf(13, 8)),
        compared("pairs", MATCH, *pair(20, 40, 20.0), 20.0),
        compared("pairs-crowded", MATCH, *pair(21, 60, 400.0, crowded=1.0, high=130.0), 400.0),
        compared("pairs-chain", MATCH, *chain(12, 50.0), 50.0),
        compared("pairs-narrow", MATCH, *pair(22, 60, 0.5), 0.5),
        compared("pairs-heavy", MATCH, *pair(23, 60, 15.0, low=3000.0, high=5000.0), 15.0),
        compared("pairs-most", MATCH, *pair(24, 400, 30.0), 30.0),
        compared("score", SCORE, *pair(30, 40, 20.0), 20.0),
        compared("score-crowded", SCORE, *pair(31, 60, 400.0, crowded=1.0, high=130.0), 400.0),
        compared("score-chain", SCORE, *chain(15, 50.0), 50.0),
        compared("score-narrow", SCORE, *pair(32, 60, 0.5), 0.5),
        compared("score-heavy", SCORE, *pair(33, 60, 15.0, low=3000.0, high=5000.0), 15.0),
        compared("score-widest", SCORE, *pair(34, 50, 1000.0, high=120.0), 1000.0),
        compared("score-unequal", SCORE, spectrum(35, 90), pair(35, 30, 25.0)[1], 25.0),
        compared("score-most", SCORE, *pair(36, 400, 30.0), 30.0),
    ]


def adversarial():
    none = np.zeros((0, 2))
    a, b = pair(40, 25, 20.0)
    same = spectrum(41, 30)
    silent = np.column_stack([same[:, 0], np.zeros(len(same))])
    faint = _beside_bright(pair(62, 60, 400.0, crowded=1.0, high=130.0))
    bright = np.array([[5000.0, 1e12], [4999.95, 3.0], [120.0, 1e12], [0.002, 7e11]])
    twins = [[200.0, 1.0], [200.0, 4.0], [200.0, 9.0]]
    odd = (
        "TITLE=outside\n5 5\nEND IONS\n  BEGIN IONS  \n  title = a = b \nTITLE=second=2\n"
        "!no\n/no\nCharge=3-\n300 0\n100.500000004 8\n200\n100.5\t2\t1+\n100.5 2.5\n0.5 1e3\n"
        "END IONS\n7 7\n"
        "BEGIN IONS\nEND IONS\nBEGIN IONS\nPEPMASS=500.25\t7 2+\n300 0.0\nEND IONS"
    )
    return [
        case("no-text", READ, ""),
        # one object: what is equal to itself is not always as like as can be
        case("score-silent-and-itself", SCORE, silent, silent, 20.0),
        case("odd-text", READ, odd),
        case(
            "other-line-ends",
            READ,
            "x\u2028BEGIN IONS\nBEGIN IONS\nTITLE=a\x0bb\x1c5 7\u2029END IONS\n"
            "!\r5 9\rEND IONS\r!\n"
            "1 2\t# 3\n5 6\nEND IONS\n",
        ),
        case(
            "any-lines-outside",
            READ,
            "PEPMASS=x y\nBEGIN\n5 five\nCHARGE\n=\nBEGIN IONS\n1 2\nPEPMASS=3\nEND IONS\n7 x\n"
            "CHARGE=a\nwords alone\nEND\nBEGIN IONS\n8 9\nEND IONS\nPEPMASS=\n5",
        ),
        case(
            "numbers-otherwise-written",
            READ,
            "BEGIN IONS\n100.5 2\n250 7\n100.50 3\n250.0 1e1\n100.500 5.0\n99.9 0.5\nEND IONS\n",
        ),
        case(
            "hardly-apart",
            READ,
            "BEGIN IONS\n100.0000000001 5\n100.0 6\n0.25 1\n0.2500000000000001 2\n"
            "4999.999999 7\n4999.999999000002 8\n4999.9999991 9\n100.00000000000003 1\n"
            "300.0000002 4\n300.0000002 3\n300.0000001 2\nEND IONS\n",
        ),
        # white space around the sign, as some programs write it
        case(
            "signs-in-white-space",
            READ,
            "BEGIN IONS\nTITLE = a  =  b\nPEPMASS\t= 300.5 9\n charge  =\t3- \nSCANS = 4\n50 2\n"
            "END IONS\nBEGIN IONS\nTITLE =c\nPepmass =7\t\nCHARGE\t \t=+2\n60 1\nEND IONS\n",
        ),
        # of a key the last one counts, also where it is empty
        case(
            "empty-after-another",
            READ,
            "BEGIN IONS\nTITLE=a\nTITLE=\n5 2\nEND IONS\nBEGIN IONS\nTITLE=\nTITLE=b\ntitle= \n"
            "6 1\nEND IONS\nBEGIN IONS\nTITLE=\nTITLE=c\nEND IONS\nBEGIN IONS\n7 1\nEND IONS\n",
        ),
        # digits are 0 to 9: others begin keys
        case(
            "other-digits",
            READ,
            "BEGIN IONS\n\xb2H=3\n\u0663=5\n\u2462 7=8\n\xbd=1\nTITLE=\xb2H \u0661\n5 2\n"
            "END IONS\n",
        ),
        # lines in small letters, or with more behind them, neither begin nor end a spectrum
        case(
            "marks-otherwise-written",
            READ,
            "begin ions\n100 5\nend ions\nBEGIN IONS 2\n7 7\nEND IONS\nBegin Ions\n5 5\nBEGINIONS\n"
            "BEGIN IONS\nTITLE=END IONS\n50 2\nEND IONS\nend ions\nBEGIN  IONS\n8 8\nEND IONS\n",
        ),
        case("never-ends", READ, "BEGIN IONS\nTITLE=x\n100 1\n"),
        compared("no-peaks", MATCH, none, none, 10.0),
        compared("no-peaks-in-one", MATCH, a, none, 10.0),
        compared("nothing-near", MATCH, [[100, 1]], [[200, 1]], 1000.0),
        compared("itself", MATCH, same, same[::-1], 5.0),
        compared("equal-mz", MATCH, twins, twins[:2], 1.0),
        compared("without-intensity", MATCH, [[100, 0.0], [300, 2]], [[100, 3.0], [300, 0]], 10.0),
        case("read-backwards", MATCH, np.asfortranarray(a[::-1]), b[::-2], 20.0),
        compared("bright", MATCH, bright, bright[::-1], 50.0),
        compared("no-peaks-score", SCORE, none, b, 10.0),
        compared("no-peaks-at-all-score", SCORE, none, none, 10.0),
        compared("no-intensity-score", SCORE, same * [1, 0], same, 10.0),
        compared("itself-score", SCORE, same, same[::-1], 5.0),
        compared("equal-mz-score", SCORE, twins, [[200.0, 4.0]], 1.0),
        compared("no-intensity-in-other-score", SCORE, same, same * [1, 0], 10.0),
        compared("bright-score", SCORE, bright, bright[::-1] * [0.99999, 1], 50.0),
        compared("faint-score", SCORE, a * [1, 1e8], b * [1, 1e-8], 20.0),
        compared("just-near", SCORE, [[1000, 1]], [[1000 * (1 + 0.9999e-5), 1]], 10.0),
        compared("just-not-near", SCORE, [[1000, 1]], [[1000 * (1 + 1.0001e-5), 1]], 10.0),
        compared("mean-of-both", SCORE, [[1000, 1]], [[1001.0004, 1]], 1000.0),
        compared("beside-a-bright-peak", MATCH, *faint, 400.0),
        compared("beside-a-bright-peak-score", SCORE, *faint, 400.0),
        *(compared(f"at-the-limit-of-{ppm:g}", MATCH, *_at_limit(ppm), ppm) for ppm in LIMITS),
        *(
            compared(f"at-the-limit-of-{ppm:g}-score", SCORE, *_at_limit(ppm), ppm)
            for ppm in LIMITS
        ),
        compared("longest-chain", MATCH, *chain(400, 50.0), 50.0),
        compared("longest-chain-score", SCORE, *chain(400, 50.0), 50.0),
        compared("heaviest", MATCH, [[5000.0, 1], [5000.0, 4]], [[5000.0, 9]], 10.0),
        compared("heaviest-score", SCORE, [[5000.0, 1], [5000.0, 4]], [[5000.0, 9]], 10.0),
    ]
