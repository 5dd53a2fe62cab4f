"""The journal's schema: brought up to date step by step."""

import sqlite3
from pathlib import Path

import msgspec
import pytest
from journal_rig import fill, opened, round_batch, rounds_in, tampering

from daemon.journal import migrations
from daemon.journal import reading as journal_reading
from daemon.journal.errors import JournalError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ruleta-01.db"


# --- migrations -------------------------------------------------------------------------------


def add_note(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE outbox ADD COLUMN note TEXT")


def half_a_step(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (x)")
    raise ArithmeticError


async def test_an_older_file_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(path, 3)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, add_note))
    monkeypatch.setattr(migrations.migrate, "__defaults__", (migrations.MIGRATIONS,))
    monkeypatch.setattr(migrations.expected_schema, "__defaults__", (migrations.MIGRATIONS,))
    with pytest.raises(JournalError, match="older schema version 1"):
        journal_reading.verify(path)
    async with opened(path) as told:
        assert told.journal.set_aside is None
        assert told.journal.numbers.seq == 3
        await told.commit(round_batch(4, 4))
    assert journal_reading.verify(path).problems == ()
    assert rounds_in(path) == [1, 2, 3, 4]
    with tampering(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        assert connection.execute("SELECT note FROM outbox").fetchone() == (None,)


def test_steps_are_taken_once_each_and_wholly(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "any.db", isolation_level=None)
    steps = [*migrations.MIGRATIONS, add_note]
    assert migrations.version(connection) == 0
    assert migrations.migrate(connection, steps) == [1, 2]
    assert migrations.migrate(connection, steps) == []
    with pytest.raises(ArithmeticError):
        migrations.migrate(connection, [*steps, half_a_step])
    assert migrations.version(connection) == 2
    assert migrations.schema(connection) == migrations.expected_schema(steps)
    connection.close()


def test_the_schema_says_what_a_journal_may_hold() -> None:
    names = {name for _, name, _ in migrations.expected_schema()}
    assert names == {
        "journal", "entries", "entries_seq", "entries_round", "evidence", "evidence_round", "outbox", "state",
    }  # fmt: skip


async def test_the_first_entry_of_a_new_file_says_so(path: Path) -> None:
    async with opened(path, now=lambda: 1_700_000_000_000_000):
        (begun,) = journal_reading.export(path)
    assert begun["at"] == "2023-11-14T22:13:20.000000Z"
    assert msgspec.convert(begun["body"], dict)["reason"] == "new"
