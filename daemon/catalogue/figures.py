"""Whole numbers, told from what merely compares as one."""


def is_whole(value: object, least: int = 0, most: int | None = None) -> bool:
    """Whether this is a whole number from `least` to `most`: True, 1.0 and "1" are none, nor is NaN."""
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and least <= value
        and (most is None or value <= most)
    )
