import math


def fit_michaelis_menten(s, v):
    # Levenberg and Marquardt with log(km), and sums by hand
    unit, size = float(max(s)), float(max(abs(y) for y in v))
    x, y = [float(c) / unit for c in s], [float(r) / size for r in v]

    def squares(vmax, log_km):
        km = math.exp(log_km)
        return math.fsum((b - vmax * a / (km + a)) ** 2 for a, b in zip(x, y))

    # the start is the best of a few, each with its own best vmax
    def line(log_km):
        km = math.exp(log_km)
        f = [a / (km + a) for a in x]
        return math.fsum(b * g for b, g in zip(y, f)) / math.fsum(g * g for g in f)

    log_km = min((0.25 * k for k in range(-60, 25)), key=lambda t: squares(line(t), t))
    vmax, damping = line(log_km), 1e-3
    for _ in range(300):
        km = math.exp(log_km)
        rows = [
            (a / (km + a), -vmax * a * km / (km + a) ** 2, b - vmax * a / (km + a))
            for a, b in zip(x, y)
        ]
        aa = math.fsum(p * p for p, _, _ in rows)
        ab = math.fsum(p * q for p, q, _ in rows)
        bb = math.fsum(q * q for _, q, _ in rows)
        ra = math.fsum(p * r for p, _, r in rows)
        rb = math.fsum(q * r for _, q, r in rows)
        p, q = aa * (1 + damping), bb * (1 + damping)
        determinant = p * q - ab * ab
        if determinant == 0:
            break
        step = ((q * ra - ab * rb) / determinant, (p * rb - ab * ra) / determinant)
        if squares(vmax + step[0], log_km + step[1]) <= squares(vmax, log_km):
            vmax, log_km, damping = vmax + step[0], log_km + step[1], damping / 10
            if abs(step[0]) < 1e-14 * abs(vmax) and abs(step[1]) < 1e-14:
                break
        else:
            damping *= 10
            if damping > 1e12:
                break
    # sums of squares that no longer fall say less of the place than where their slope is 0
    for _ in range(3):
        km = math.exp(log_km)
        aa = ab = bb = ra = rb = 0.0
        for a, b in zip(x, y):
            share = a / (km + a)
            slope, left = -vmax * share * km / (km + a), b - vmax * share
            aa += share * share
            ab += share * slope - left * slope / vmax
            bb += slope * slope - left * slope * (a - km) / (km + a)
            ra += share * left
            rb += slope * left
        determinant = aa * bb - ab * ab
        vmax += (bb * ra - ab * rb) / determinant
        log_km += (aa * rb - ab * ra) / determinant
    return vmax * size, math.exp(log_km) * unit
