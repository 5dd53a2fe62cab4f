"""What the croupiers do with stakes and winnings, said alike for every family, with the clause."""

from collections.abc import Mapping, Sequence

from daemon.catalogue.errors import BrokenEvidence
from daemon.catalogue.figures import is_whole
from daemon.catalogue.model import Language, Ratio
from daemon.catalogue.vocabulary import GUIDANCE, GuidancePhrase
from daemon.records import Guidance

Groups = Sequence[Sequence[str]]
"""Bets by id, group after group."""


def collect_losers(clause: str | None, language: Language) -> tuple[Guidance, ...]:
    """Lost stakes are taken in before anything is paid; nothing where no clause says so."""
    return () if clause is None else (Guidance(text=GUIDANCE[language]["collect_losers"], clause=clause),)


def pay_in_order(
    groups: Groups, names: Mapping[str, str], clause: str, language: Language, phrase: GuidancePhrase
) -> Guidance:
    """The bets in the order in which they are paid, called by `names`."""
    named = ", ".join(names[bet] for group in groups for bet in group)
    data = {"order": [list(group) for group in groups]}
    return Guidance(text=GUIDANCE[language][phrase].format(bets=named), clause=clause, data=data)


# --- stakes in prison -------------------------------------------------------------------------------


_MOST_MET = 1000
"""Zeros that ever met one stake; the parts of a stake grow with their count."""


def check_met(count: int) -> None:
    """Raises BrokenEvidence for what is no count of zeros, or refaits, that a stake has met."""
    if not is_whole(count, 0, _MOST_MET):
        raise BrokenEvidence(f"a stake cannot have met {count!r:.60} zeros or refaits")


def parts_back(back: Ratio, met: int) -> list[Ratio]:
    """What is given back of the first stake after one zero, or refait, and so on up to so many."""
    return [Ratio(back.pays**times, back.per**times) for times in range(1, met + 1)]


def give_back(text: str, clause: str, parts: Sequence[Ratio], *, choice: bool) -> Guidance:
    """These parts of the first stake are given back, unless the player has the choice of prison."""
    said = ", ".join(f"{part.pays}/{part.per}" for part in parts)
    data = {"back": [[part.pays, part.per] for part in parts], "prison": "choice" if choice else "refunded"}
    return Guidance(text=text.format(parts=said), clause=clause, data=data)
