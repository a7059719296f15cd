from biomlbench.verify.cases import Transformed, joined_lines, within

_COMPLEMENT = str.maketrans("ACGT", "TGCA")


def _records(text):
    found = []
    for part in ("\n" + text.replace("\r", "")).split("\n>")[1:]:
        head, _, rest = part.partition("\n")
        found.append((head.split()[0], "".join(rest.split()).upper()))
    return found


def records(inputs):
    """How many records a text has."""
    return len(_records(inputs["text"]))


def records_of_one_name(inputs):
    """How many records have the commonest name; 0 where there is none."""
    names = [name for name, _ in _records(inputs["text"])]
    return max(map(names.count, names), default=0)


def two_records(letters):
    """A text of one record of the letters, and of one with their first half turned round."""
    half = letters[: len(letters) // 2].translate(_COMPLEMENT)[::-1]
    return {"text": f">one drawn\n{letters}\n>two drawn\n{half}\n>three drawn\n"}


def search_of_letters(letters, guide, max_mismatches):
    """A search in such a text, with a perfect site at its end."""
    text = two_records(letters)["text"] + f"{guide}AGG\n"
    return {"text": text, "guide": guide, "max_mismatches": max_mismatches}


def _rna(guide):
    return guide.upper().replace("U", "T")


def site_is_there(inputs, output):
    """Each site lies where it is said to, with its motif, and differs as often as it is said to."""
    records, guide = dict(_records(inputs["text"])), _rna(inputs["guide"])
    size = len(guide)
    for name, start, strand, mismatches, site in output:
        sequence = records[name]
        if strand == "+":
            whole = sequence[start : start + size + 3]
        else:
            whole = sequence[max(start - 3, 0) : start + size].translate(_COMPLEMENT)[::-1]
        if start < 0 or len(whole) != size + 3 or not whole.endswith("GG"):
            return "a site has no motif"
        if whole[:size] != site:
            return "a site is not where it is said to be"
        if sum(x != y for x, y in zip(site, guide, strict=True)) != mismatches:
            return "mismatches are counted wrongly"
        if mismatches > inputs["max_mismatches"]:
            return "a site has too many mismatches"
    places = {(name, int(start), strand) for name, start, strand, *_ in output}
    return len(places) == len(output) or "a site is listed twice"


def records_in_order(inputs, output):
    """The records come in the order of the file, with nothing but capitals in them."""
    records = _records(inputs["text"])
    if list(output) != [name for name, _ in records]:
        return "the records are others, or in another order"
    return all(len(output[name]) == len(text) for name, text in records)


def turn_records_round(inputs, rng):
    """Read each record from the other strand."""
    records = _records(inputs["text"])
    turned = [f">{name}\n{text.translate(_COMPLEMENT)[::-1]}\n" for name, text in records]
    sizes = {name: len(text) for name, text in records}
    return Transformed([{**inputs, "text": "".join(turned)}], {"sizes": sizes})


def _with_ints(name, start, strand, mismatches, site):
    # arrays without axes are numbers, and cannot be in a set
    return name, int(start), strand, int(mismatches), site


def strands_are_exchanged(base, variants, info):
    """The same sites are found on the other strands, counted from the other ends."""
    other = {"+": "-", "-": "+"}
    want = {
        _with_ints(name, info["sizes"][name] - start - len(site), other[strand], mismatches, site)
        for name, start, strand, mismatches, site in base.output
    }
    got = {_with_ints(*site) for site in variants[0].output}
    return got == want or "the sites of the two strands are not the same"


def laid_out_differently(inputs, rng):
    """Write the genome in other lines and letters, and the guide as RNA."""
    lines = []
    for name, text in _records(inputs["text"]):
        width = int(rng.integers(11, 90))
        lines.append(f">{name} laid out anew")
        rows = [text[i : i + width] for i in range(0, len(text), width)]
        lines += [row.lower() if rng.random() < 0.5 else row for row in rows]
    text = "\r\n".join(lines)
    return Transformed([{**inputs, "text": text, "guide": _rna(inputs["guide"]).replace("T", "U")}])


def fewer_mismatches(inputs, rng):
    """Allow fewer mismatches."""
    return Transformed([{**inputs, "max_mismatches": n} for n in range(inputs["max_mismatches"])])


def those_with_fewer(base, variants, info):
    """What is found is what had so few mismatches before, in the same order."""
    for variant in variants:
        most = variant.inputs["max_mismatches"]
        want = [tuple(site) for site in base.output if site[3] <= most]
        if [tuple(site) for site in variant.output] != want:
            return "other sites are found where fewer mismatches are allowed"
    return True


def another_perfect_site(inputs, rng):
    """Add a record with a perfect site in unknown letters, on either strand."""
    site = "NNN" + _rna(inputs["guide"]) + "TGGNNN"
    pair = [site, site.translate(_COMPLEMENT)[::-1]]
    text = inputs["text"].rstrip() + "\n"
    return Transformed([{**inputs, "text": f"{text}>added\n{one}\n"} for one in pair])


def one_more_in_the_sum(base, variants, info):
    """The sum of weights rises by 1 if there was a perfect site before."""
    if base.output == 0:
        return None
    want = 100 / (100 / base.output + 1)
    worst = max(abs(variant.output - want) for variant in variants)
    return within(worst, 1e-7, "a perfect site more does not weigh 1 more")


def text_at_edges(letters, before, name, width, blank, end, last):
    """A text with short lines, blanks and records without a sequence."""
    rows = [letters[i : i + width] + blank for i in range(0, len(letters), width)]
    lines = [before, f">{name}", blank, *rows, blank, ">y", last]
    return {"text": joined_lines(lines, end.split("|"), finish=False)}


def search_at_edges(letters, guide, max_mismatches, place, pam, strand, changed, gap, last, width):
    """Sites of the guide, changed in some letters, at the ends of records and across them.

    The last record has a perfect site, one without its motif, or one that differs in one letter.
    """
    site = list(_rna(guide))
    if gap:
        site[: len(changed)] = "N" * len(changed)
    else:
        for i in changed:
            site[i] = {"A": "c", "C": "N", "G": "T", "T": "a"}[site[i]]
    planted = "N" * gap + "".join(site) + pam
    other = planted.upper().translate(_COMPLEMENT)[::-1]
    planted = {"+": planted, "-": other, "both": planted + other}[strand]
    half = len(letters) // 2
    text = {
        "start": planted + letters,
        "middle": letters[:half] + planted + letters[half:],
        "end": letters + planted,
        "twice": planted + letters + planted,
        "cut": planted[1:] + letters + planted[:-1],
        "apart": planted[: -len(pam)] + "\n>next\n" + planted[-len(pam) :] + letters,
    }[place]
    records = [part.split("\n")[-1] for part in text.split("\n>next")]
    lines = []
    for name, record in zip(("one", "two"), records, strict=False):
        lines += [f">{name} x", *(record[i : i + width] for i in range(0, len(record), width))]
    made = {"guide": guide, "max_mismatches": max_mismatches}
    final = _rna(guide) + ("TAG" if last == "without motif" else "TGG")
    if last == "changed":
        final = ("C" if final[0] == "A" else "A") + final[1:]
    return {"text": "\n".join([*lines, ">three", f"tt{final}", ""]), **made}
