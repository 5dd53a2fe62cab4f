"""The registry of rules: every rule id that a text may name, and the function that checks it.

A family of games has its own module here, with its own evidence; this is where they meet, so that a text
naming a rule that nothing checks is refused when it is loaded.
"""

from collections.abc import Mapping

from daemon.catalogue.rules import (
    baccarat,
    blackjack,
    craps,
    deal,
    dice,
    fortune_wheel,
    monte,
    pai_gow,
    shoe,
    trente_et_quarante,
    wheel,
)
from daemon.catalogue.rules.judging import Check, Parameters

REGISTRY: Mapping[str, Check] = {
    **wheel.ROUND,
    **wheel.CLOSING,
    **fortune_wheel.SPIN,
    **deal.ROUND,
    **dice.THROW,
    **dice.SET,
    **dice.USE,
    **craps.CHANGE,
    **pai_gow.ROUND,
    **shoe.OPENING,
    **shoe.HAND,
    **monte.HAND,
    **trente_et_quarante.HAND,
    **baccarat.HAND,
    **blackjack.HAND,
}
"""Rule id to the function that takes (game, rule, the family's evidence) and gives what was seen, or None."""

PARAMETERS: Parameters = {
    **wheel.PARAMETERS,
    **fortune_wheel.PARAMETERS,
    **deal.PARAMETERS,
    **dice.PARAMETERS,
    **shoe.PARAMETERS,
    **monte.PARAMETERS,
    **trente_et_quarante.PARAMETERS,
    **baccarat.PARAMETERS,
    **blackjack.PARAMETERS,
}
"""Rule id to the parameters that its clause must give; a rule that does not stand here takes none."""
