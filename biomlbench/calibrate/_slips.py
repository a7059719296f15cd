"""What mutants call. A mutant carries a copy of the functions that it names, and nothing else.

So every function stands alone, with its imports inside; annotations stay here. Those that end in
`_calls` wrap an entry point; the others change a value.
"""

from typing import Any


def _mutant_each(value: Any, change: Any) -> Any:
    import numpy as np

    if isinstance(value, dict):
        return {key: _mutant_each(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not isinstance(value, str):
        return type(value)([_mutant_each(item, change) for item in value])
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return value
    with np.errstate(all="ignore"):
        changed = np.asarray(change(array)).astype(array.dtype)
    return changed if isinstance(value, np.ndarray) else type(value)(changed)


def _mutant_float32(value: Any) -> Any:
    return _mutant_each(value, lambda array: array.astype("float32"))


def _mutant_float16(value: Any) -> Any:
    return _mutant_each(value, lambda array: array.astype("float16"))


def _mutant_rounded(value: Any) -> Any:
    return _mutant_each(value, lambda array: array.round(3))


def _mutant_absolute(value: Any) -> Any:
    return _mutant_each(value, abs)


def _mutant_negated(value: Any) -> Any:
    return _mutant_each(value, lambda array: -array)


def _mutant_larger(value: Any) -> Any:
    return _mutant_each(value, lambda array: array * 1.001)


def _mutant_shifted(value: Any) -> Any:
    return _mutant_each(value, lambda array: array + 0.001)


def _mutant_clipped(value: Any) -> Any:
    return _mutant_each(value, lambda array: array.clip(0, 1))


def _mutant_sorted(value: Any) -> Any:
    return _mutant_each(value, lambda array: sorted(array) if array.ndim == 1 else array)


def _mutant_last_lost(value: Any) -> Any:
    import numpy as np

    def change(array: Any) -> Any:
        array = np.array(array)
        array[(-1,) * array.ndim] = 0
        return array

    return _mutant_each(value, lambda array: change(array) if array.size else array)


def _mutant_first_only(value: Any) -> Any:
    import numpy as np

    return _mutant_each(
        value, lambda array: np.full_like(array, array.flat[0]) if array.size else array
    )


def _mutant_reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _mutant_reversed(item) for key, item in value.items()}
    return value[::-1] if hasattr(value, "__getitem__") and getattr(value, "shape", True) else value


def _mutant_near(a: Any, b: Any) -> Any:
    """Equal within 1e-9, where numbers are compared."""
    try:
        return abs(a - b) <= 1e-9
    except TypeError:
        return a == b


def _mutant_last_largest(values: Any, *rest: Any, **named: Any) -> Any:
    """Place of the last of the largest values, where the first is meant."""
    import numpy as np

    if rest or named:
        flipped = np.flip(np.asarray(values), *rest, **named)
        length = np.shape(values)[named.get("axis", rest[0] if rest else 0)]
        return length - 1 - np.argmax(flipped, *rest, **named)
    flat = np.ravel(np.asarray(values))
    return flat.size - 1 - int(np.argmax(flat[::-1]))


def _mutant_last_smallest(values: Any, *rest: Any, **named: Any) -> Any:
    """Place of the last of the smallest values, where the first is meant."""
    import numpy as np

    return _mutant_last_largest(-np.asarray(values), *rest, **named)


def _mutant_of_moments(values: Any, *rest: Any, **named: Any) -> Any:
    """Variance as the mean of squares minus the square of the mean: loses digits."""
    import numpy as np

    named = {key: item for key, item in named.items() if key in ("axis", "keepdims")}
    values = np.asarray(values, dtype=float)
    mean = np.mean(values, *rest, **named)
    return np.maximum(np.mean(values * values, *rest, **named) - mean * mean, 0)


def _mutant_key(value: Any) -> Any:
    """Return what tells two values apart for sure."""
    import numpy as np

    if isinstance(value, dict):
        return tuple((key, _mutant_key(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return (type(value), *map(_mutant_key, value))
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    return (type(value), repr(value))


def _mutant_shape(value: Any) -> Any:
    import numpy as np

    if isinstance(value, (list, tuple, dict, str)):
        return (type(value), len(value))
    return np.shape(value)


def _mutant_kept(function: Any, key_of: Any) -> Any:
    """Keep a function's results by a key of its arguments, positional and named."""
    kept: dict[Any, Any] = {}

    def kept_calls(*args: Any, **named: Any) -> Any:
        key = key_of(args, named)
        if key not in kept:
            kept[key] = function(*args, **named)
        return kept[key]

    return kept_calls


def _mutant_shape_calls(function: Any) -> Any:
    """Keep results by the sizes of the arguments alone."""
    return _mutant_kept(
        function, lambda args, named: tuple(map(_mutant_shape, (*args, *named.values())))
    )


def _mutant_first_argument_calls(function: Any) -> Any:
    """Keep results by the first argument, as if the others were options that never change."""
    return _mutant_kept(function, lambda args, named: _mutant_key([*args, *named.values()][:1]))


def _mutant_rounded_calls(function: Any) -> Any:
    """Keep results by how numbers are written with six digits."""
    import numpy as np

    def written(value: Any) -> Any:
        if isinstance(value, dict):
            return tuple((key, written(item)) for key, item in value.items())
        if isinstance(value, (list, tuple)):
            return (type(value), *map(written, value))
        array = np.asarray(value)
        if array.dtype.kind == "f":
            return (array.shape, *(f"{x:.6g}" for x in array.ravel().tolist()))
        return _mutant_key(value)

    return _mutant_kept(function, lambda args, named: written([*args, *named.values()]))


def _mutant_one_object_calls(function: Any) -> Any:
    """Keep results rightly, but hand out the same object every time."""
    return _mutant_kept(
        function,
        lambda args, named: (
            *map(_mutant_key, args),
            *sorted((name, _mutant_key(value)) for name, value in named.items()),
        ),
    )


def _mutant_one_buffer_calls(function: Any) -> Any:
    """Write every result of one shape into the same memory."""
    import numpy as np

    kept: dict[Any, Any] = {}

    def buffered(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: buffered(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(buffered(item) for item in value)
        if not isinstance(value, np.ndarray) or not value.ndim:
            return value
        old = kept.setdefault((value.shape, value.dtype.str), value)
        if old is not value:
            old[...] = value
        return old

    return lambda *args, **named: buffered(function(*args, **named))


def _mutant_sorting_calls(function: Any) -> Any:
    """Leave the first array or list sorted."""
    import numpy as np

    def sorting(*args: Any, **named: Any) -> Any:
        found = function(*args, **named)
        for value in (*args, *named.values()):
            if isinstance(value, list) or (isinstance(value, np.ndarray) and value.ndim):
                value.sort()
                break
        return found

    return sorting


def _mutant_cleaning_calls(function: Any) -> Any:
    """Put zeros in place of what is not finite, in the caller's own arrays."""
    import numpy as np

    def cleaning(*args: Any, **named: Any) -> Any:
        for value in (*args, *named.values()):
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                value[~np.isfinite(value)] = 0
        return function(*args, **named)

    return cleaning


def _mutant_emptying_calls(function: Any) -> Any:
    """Take the last item out of the first list or mapping after use."""

    def emptying(*args: Any, **named: Any) -> Any:
        found = function(*args, **named)
        for value in (*args, *named.values()):
            if isinstance(value, dict) and value:
                value.popitem()
                break
            if isinstance(value, list) and value:
                value.pop()
                break
        return found

    return emptying


def _mutant_arguments(change: Any, function: Any) -> Any:
    """Call a function with all its arguments changed, the nested ones too."""

    def every(value: Any) -> Any:
        if isinstance(value, dict):
            return change({key: every(item) for key, item in value.items()})
        if isinstance(value, (list, tuple)):
            return change(type(value)(every(item) for item in value))
        return change(value)

    return lambda *args, **named: function(
        *(every(value) for value in args), **{key: every(value) for key, value in named.items()}
    )


def _mutant_cut(value: Any, count: Any) -> Any:
    """Return the first items or letters alone."""
    if isinstance(value, dict) or not hasattr(value, "__len__"):
        return value
    return value[:count] if getattr(value, "shape", True) else value


def _mutant_first_thousand_calls(function: Any) -> Any:
    """Look at the first thousand items or letters alone."""
    return _mutant_arguments(lambda value: _mutant_cut(value, 1000), function)


def _mutant_first_hundred_calls(function: Any) -> Any:
    """Look at the first hundred items or letters alone."""
    return _mutant_arguments(lambda value: _mutant_cut(value, 100), function)


def _mutant_wrapped(value: Any, bits: Any) -> Any:
    """Return a whole number as one of so many bits, signed."""
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value.astype(f"int{bits}").astype(value.dtype)
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half if type(value) is int else value


def _mutant_narrow_calls(function: Any) -> Any:
    """Take whole numbers as 32-bit ones, which wrap around."""
    return _mutant_arguments(lambda value: _mutant_wrapped(value, 32), function)


def _mutant_byte_calls(function: Any) -> Any:
    """Take whole numbers as signed bytes, which wrap around."""
    return _mutant_arguments(lambda value: _mutant_wrapped(value, 8), function)


def _mutant_memory_calls(function: Any) -> Any:
    """Read arrays in the order of memory, as if all lay row after row."""
    import numpy as np

    def read(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufc":
            return value
        return np.frombuffer(value.tobytes("A"), value.dtype).reshape(value.shape).copy()

    return _mutant_arguments(read, function)


def _mutant_numbers(change: Any, function: Any) -> Any:
    """Call a function with all numbers of its arguments changed."""
    return lambda *args, **named: function(
        *_mutant_each(args, change), **_mutant_each(named, change)
    )


def _mutant_finite_calls(function: Any) -> Any:
    """Take NaN and infinity for numbers."""
    import numpy as np

    return _mutant_numbers(np.nan_to_num, function)


def _mutant_guarded_calls(function: Any) -> Any:
    """Keep every number off zero, as a guard against divisions."""
    import numpy as np

    return _mutant_numbers(lambda array: np.where(array == 0, 1e-6, array), function)


def _mutant_bounded_calls(function: Any) -> Any:
    """Clip numbers to a million."""
    return _mutant_numbers(lambda array: array.clip(-1e6, 1e6), function)


def _mutant_upper_calls(function: Any) -> Any:
    """Take texts in capitals."""
    return _mutant_arguments(
        lambda value: value.upper() if isinstance(value, str) else value, function
    )


def _mutant_stripped_calls(function: Any) -> Any:
    """Drop blanks around texts, and empty lines inside."""

    def stripped(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return "\n".join(line.strip() for line in value.split("\n") if line.strip())

    return _mutant_arguments(stripped, function)


def _mutant_distinct_calls(function: Any) -> Any:
    """Drop what a list, an array's rows or a text's lines say a second time."""
    import numpy as np

    def distinct(value: Any) -> Any:
        if isinstance(value, list):
            return list({_mutant_key(item): item for item in value}.values())
        if isinstance(value, str) and "\n" in value:
            return "\n".join(dict.fromkeys(value.split("\n")))
        if isinstance(value, np.ndarray) and value.ndim:
            _, first = np.unique(value, axis=0, return_index=True)
            return value[np.sort(first)]
        return value

    return _mutant_arguments(distinct, function)


def _mutant_one_answer_calls(function: Any) -> Any:
    """Return a zero, or nothing, at once where an argument is empty or has one item."""

    def answered(*args: Any, **named: Any) -> Any:
        for value in (*args, *named.values()):
            if hasattr(value, "__len__") and getattr(value, "shape", True) and len(value) <= 1:
                found = function(*args, **named)
                return type(found)() if isinstance(found, (list, dict, tuple, str)) else found * 0
        return function(*args, **named)

    return answered


def _mutant_all_equal_calls(function: Any) -> Any:
    """Return a zero where all numbers of an array are equal."""
    import numpy as np

    def answered(*args: Any, **named: Any) -> Any:
        found = function(*args, **named)
        for value in (*args, *named.values()):
            array = np.asarray(value) if isinstance(value, (list, np.ndarray)) else None
            if array is None or not array.size or array.dtype.kind not in "iuf":
                continue
            if np.all(array == array.flat[0]):
                return _mutant_each(found, lambda numbers: numbers * 0)
        return found

    return answered


def _mutant_exchanged_calls(function: Any) -> Any:
    """Exchange the first two arguments."""

    def exchanged(*args: Any, **named: Any) -> Any:
        if len(args) < 2:
            return function(*args, **named)
        return function(args[1], args[0], *args[2:], **named)

    return exchanged


def _mutant_transposed_calls(function: Any) -> Any:
    """Take square matrices by columns."""
    import numpy as np

    def transposed(value: Any) -> Any:
        square = isinstance(value, np.ndarray) and value.ndim == 2 and len(set(value.shape)) == 1
        return value.T if square else value

    return _mutant_arguments(transposed, function)


def _mutant_adding_calls(function: Any) -> Any:
    """Add up what should be counted anew in every call: a little more each time."""
    calls: list[int] = []

    def adding(*args: Any, **named: Any) -> Any:
        calls.append(1)
        return _mutant_each(function(*args, **named), lambda array: array + (len(calls) - 1))

    return adding
