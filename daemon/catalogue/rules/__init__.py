"""The registry of rules: every rule id that a text may name, and the function that checks it.

A rule's id begins with the name of its module here, which has its own evidence. This is where they meet, so
that a text naming a rule that nothing checks is refused when it is loaded. A module is imported when one of
its rules is asked for.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from daemon.catalogue.rules.judging import Check, Stricter

CHECKS: Mapping[str, tuple[str, ...]] = {
    "baccarat": ("HAND",),
    "blackjack": ("HAND",),
    "craps": ("CHANGE",),
    "deal": ("ROUND",),
    "dice": ("THROW", "SET", "USE"),
    "fortune_wheel": ("SPIN",),
    "monte": ("HAND",),
    "pai_gow": ("ROUND",),
    "shoe": ("OPENING", "HAND"),
    "trente_et_quarante": ("HAND",),
    "wheel": ("ROUND", "CLOSING"),
}
"""By module its tables of checks, one for each kind of evidence."""


class _Registry(Mapping[str, Check]):
    """Looking up a rule imports its module alone; going through all of them imports all."""

    def __getitem__(self, rule_id: str) -> Check:
        module = rule_id.partition(".")[0]
        if module in CHECKS:
            for checks in _tables(module):
                if rule_id in checks:
                    return checks[rule_id]
        raise KeyError(rule_id)

    def __iter__(self) -> Iterator[str]:
        return (rule_id for module in CHECKS for checks in _tables(module) for rule_id in checks)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _tables(module: str) -> list[Mapping[str, Check]]:
    loaded = import_module(f"daemon.catalogue.rules.{module}")
    return [getattr(loaded, name) for name in CHECKS[module]]


REGISTRY: Mapping[str, Check] = _Registry()
"""Rule id to the function that takes (game, rule, the family's evidence) and gives what was seen, or None."""


def parameters(rule_id: str) -> Mapping[str, Stricter]:
    """The parameters that a rule's clause must give, each with the way that makes it stricter."""
    module = rule_id.partition(".")[0]
    if module not in CHECKS:
        return {}
    given: Mapping[str, Mapping[str, Stricter]] = getattr(
        import_module(f"daemon.catalogue.rules.{module}"), "PARAMETERS", {}
    )
    return given.get(rule_id, {})
