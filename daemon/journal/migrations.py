"""The journal's schema, as the list of steps that lead from an empty file to it.

`PRAGMA user_version` counts the steps a file has behind it. A change of the schema is a new step at the
end; a step that was released is never changed.
"""

import sqlite3
from collections.abc import Callable, Sequence

APPLICATION_ID = 0x6D736164
"""`PRAGMA application_id`: "msad"; tells a journal from another program's database."""

Step = Callable[[sqlite3.Connection], None]


def _initial(connection: sqlite3.Connection) -> None:
    """Version 1: one row about the journal, the chain's entries, their evidence, the outbox, the state."""
    for statement in (
        """CREATE TABLE journal (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            site TEXT NOT NULL, table_id TEXT NOT NULL,
            identity BLOB NOT NULL, created INTEGER NOT NULL,
            session INTEGER NOT NULL,
            before_entry INTEGER NOT NULL, before_seq INTEGER NOT NULL,
            before_round INTEGER NOT NULL, before_outbox INTEGER NOT NULL, before_piece INTEGER NOT NULL,
            anchor_entry INTEGER NOT NULL, anchor_hash BLOB NOT NULL, anchor_evidence INTEGER NOT NULL,
            emptied_evidence INTEGER NOT NULL,
            remove_entries INTEGER NOT NULL, remove_evidence INTEGER NOT NULL
        ) STRICT""",
        """CREATE TABLE entries (
            entry INTEGER PRIMARY KEY,
            kind TEXT NOT NULL, round INTEGER, seq INTEGER, revision INTEGER,
            at INTEGER NOT NULL, evidence INTEGER NOT NULL,
            hash BLOB NOT NULL, body TEXT NOT NULL
        ) STRICT""",
        "CREATE UNIQUE INDEX entries_seq ON entries (seq) WHERE seq IS NOT NULL",
        "CREATE INDEX entries_round ON entries (round, revision) WHERE round IS NOT NULL",
        """CREATE TABLE evidence (
            piece INTEGER PRIMARY KEY,
            round INTEGER NOT NULL, kind TEXT NOT NULL, items INTEGER NOT NULL,
            at INTEGER NOT NULL, digest BLOB NOT NULL, data BLOB
        ) STRICT""",
        "CREATE INDEX evidence_round ON evidence (round)",
        """CREATE TABLE outbox (
            id INTEGER PRIMARY KEY, entry INTEGER NOT NULL,
            topic TEXT NOT NULL, payload BLOB NOT NULL, retain INTEGER NOT NULL
        ) STRICT""",
        "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), data BLOB NOT NULL) STRICT",
    ):
        connection.execute(statement)


MIGRATIONS: tuple[Step, ...] = (_initial,)


def version(connection: sqlite3.Connection) -> int:
    """How many steps this file has behind it; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] = MIGRATIONS) -> list[int]:
    """Take the steps that the file lacks, each in one transaction; the version numbers reached.

    The connection must be in autocommit mode. On an error the file stays at the last step that was taken.
    """
    reached = []
    for number, step in enumerate(steps, 1):
        if number <= version(connection):
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        reached.append(number)
    return reached


def schema(connection: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    """Every table, index, view and trigger of the file with the text that made it."""
    return set(connection.execute("SELECT type, name, sql FROM sqlite_schema"))


def expected_schema(steps: Sequence[Step] = MIGRATIONS) -> set[tuple[str, str, str | None]]:
    """What `schema` must give after all steps."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, steps)
        return schema(connection)
    finally:
        connection.close()
