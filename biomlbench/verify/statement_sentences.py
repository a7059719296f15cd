"""Sentences of a statement that follow from declarations, and how they are told from others."""

from __future__ import annotations

import re

from biomlbench.verify.alternates import IN_ONE_MEMORY, LAYOUTS

__all__ = [
    "ALLOWED",
    "AND_OF",
    "ARRAYS",
    "AXES",
    "BESIDE",
    "BUT",
    "DICTS",
    "FINITE",
    "FREE",
    "LIMITS",
    "MAGNITUDES",
    "NO_STATE",
    "NUMBERS",
    "OURS",
    "PRODUCT",
    "ROUNDING",
    "SCALARS",
    "SIZE",
    "SIZES",
    "SPECIAL",
    "TIME",
    "UNCHANGED",
    "WHOLE",
    "WORDS",
]

SIZES = "Sizes: {sizes}{product}."
SIZE = "{name} is {low:,} to {high:,}"
PRODUCT = "; the product of a call's sizes is at most {product:,}"
ARRAYS = (
    "Arrays are NumPy arrays of the given dtypes, never lists in their place. They may lie in "
    "memory in any of these ways, which must not change the result: {ways}."
)
NUMBERS = "Single numbers are Python's own, never 0-d arrays."
FINITE = "Floats are finite{but}."
BUT = ", but for those of {special}"
SPECIAL = "{names}, which may be {what}"
AND_OF = ", and those of "
MAGNITUDES = "Finite floats other than 0 are {limit} in magnitude{free}."
BESIDE = "; {names} may be of any"
FREE = "Floats of {names} may be of any magnitude."
WORDS = "Whole numbers for which no bound is given may be of any size, also beyond 64 bits."
UNCHANGED = (
    "Arguments must not be changed in place, nor by what a caller does to a result: nothing in it "
    "is an argument, a part of one that can be changed, or a view of one, not even a read-only one."
)
SCALARS = "Numbers in a result, outside of arrays, may be Python's or NumPy's{axes}{whole}."
AXES = ", also 0-d arrays"
WHOLE = ", and whole ones ints where floats are asked for"
DICTS = "A dict in a result may be a `Counter`, a `defaultdict` or an `OrderedDict` as well."
NO_STATE = (
    "A result depends on the arguments of its own call alone: not on earlier calls, nor on what "
    "their callers did to their results; and it stays what it is when the function is called again."
)
ROUNDING = (
    "Floats need not be right to the last digit: where no tolerance is given, what any sound order "
    "of the operations in double precision gives is right{allowed}."
)
ALLOWED = ", and so is what is off by at most {limits}"
LIMITS = {
    "atol": "{limit:g}",
    "rtol": "{limit:g} of itself",
    "scale_rtol": "{limit:g} of the largest of its array",
    "ulp": "{limit:g} units in its last place",
}
"""How the limits of `numeric_tolerance` are called."""
TIME = (
    "A call is ended after ten times the time of the reference, plain code in Python and NumPy, "
    "but never before 4 seconds have passed."
)


def _form(sentence: str, **parts: str) -> str:
    """Return the pattern of a sentence, given those of the values in it."""
    texts = re.split(r"\{(\w+)(?::\W|:g)?\}", sentence)
    return "".join(parts[t] if n % 2 else re.escape(t) for n, t in enumerate(texts))


def _several(pattern: str, between: str) -> str:
    return f"(?:{pattern})(?:{between}(?:{pattern}))*"


_COUNT, _FLOAT = r"[\d,]+", r"[-+.\de]+"
_NAMES = _several(r"`[^`]+`", " and ")
_LIMIT = rf"(?:from {_FLOAT} to|at least|at most) {_FLOAT}"
_EARLIER = ("Arguments must not be changed in place, nor by what a caller does to a result.",)
_EARLIER_MAGNITUDES = "Floats other than 0, NaN and infinity are {limit} in magnitude{free}."
"""What earlier versions wrote."""
OURS = re.compile(
    "|".join(
        (
            _form(
                SIZES,
                sizes=_several(_form(SIZE, name=r"\w+", low=_COUNT, high=_COUNT), ", "),
                product=f"(?:{_form(PRODUCT, product=_COUNT)})?",
            ),
            _form(
                ARRAYS,
                ways=_several("|".join(map(re.escape, (*LAYOUTS.values(), IN_ONE_MEMORY))), ", "),
            ),
            _form(
                FINITE,
                but="(?:{})?".format(
                    _form(
                        BUT,
                        special=_several(
                            _form(SPECIAL, names=_NAMES, what="(?:NaN|infinite|NaN or infinite)"),
                            AND_OF,
                        ),
                    )
                ),
            ),
            *(
                _form(sentence, limit=_LIMIT, free=f"(?:{_form(BESIDE, names=_NAMES)})?")
                for sentence in (MAGNITUDES, _EARLIER_MAGNITUDES)
            ),
            _form(FREE, names=_NAMES),
            _form(
                ROUNDING,
                allowed="(?:{})?".format(
                    _form(
                        ALLOWED,
                        limits=_several(
                            "|".join(_form(text, limit=_FLOAT) for text in LIMITS.values()), " or "
                        ),
                    )
                ),
            ),
            _form(SCALARS, axes=f"(?:{re.escape(AXES)})?", whole=f"(?:{re.escape(WHOLE)})?"),
            *map(re.escape, (NUMBERS, WORDS, UNCHANGED, *_EARLIER, DICTS, NO_STATE, TIME)),
        )
    )
)
"""What this module writes, whatever the values: any other text is the author's."""
