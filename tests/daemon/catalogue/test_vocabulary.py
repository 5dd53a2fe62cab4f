"""The product's own words for guidance: all of them in every language, with the same blanks to fill."""

from string import Formatter
from typing import get_args

import pytest

from daemon.catalogue.model import Language
from daemon.catalogue.vocabulary import GUIDANCE, GuidancePhrase


def blanks(phrase: str) -> set[str]:
    """The names of what is filled into a phrase."""
    return {name for _, name, _, _ in Formatter().parse(phrase) if name is not None}


@pytest.mark.parametrize("language", get_args(Language))
def test_every_phrase_stands_in_every_language_with_the_same_blanks(language: Language) -> None:
    assert set(GUIDANCE[language]) == set(get_args(GuidancePhrase))
    for phrase, text in GUIDANCE[language].items():
        assert blanks(text) == blanks(GUIDANCE["en"][phrase]), phrase
