"""Mappings whose values are imported when they are asked for, so that a table loads only what it plays."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

T = TypeVar("T")


class LazyMapping(Mapping[str, T], Generic[T]):
    """Values by key, each given as "package.module:name"; looking at the keys imports nothing."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, key: str) -> T:
        module, _, name = self._places[key].partition(":")
        value: T = getattr(import_module(module), name)
        return value

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
