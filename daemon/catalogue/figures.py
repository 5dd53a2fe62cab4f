"""Whole numbers and labels, told from what merely compares as one or cannot be looked up at all."""


def is_whole(value: object, least: int = 0, most: int | None = None) -> bool:
    """Whether this is a whole number from `least` to `most`: True, 1.0 and "1" are none, nor is NaN."""
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and least <= value
        and (most is None or value <= most)
    )


def is_text(value: object) -> bool:
    """Whether this is text at all: what may be looked up among labels and codes."""
    return isinstance(value, str)
