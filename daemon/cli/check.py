"""`mesad check`: validate table files against the catalogue; opens no device, no broker, no journal."""

import argparse
import sys
from pathlib import Path

from daemon import config
from daemon.cli import tell
from daemon.config import TableConfig
from daemon.errors import CONFIGURATION, OK, ConfigurationError
from daemon.play import PLAYED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE.toml", help="a table file")


def main(args: argparse.Namespace) -> int:
    """Print a summary of each good file and the mistake in each bad one; then what they have in common."""
    good: list[TableConfig] = []
    bad = False
    for file in args.tables:
        try:
            table = config.load(file)
            config.check_together([*good, table])
        except ConfigurationError as error:
            sys.stdout.flush()  # so that summaries and errors stand in the files' order
            tell(error)
            bad = True
        else:
            good.append(table)
            print(summary(table))
    return CONFIGURATION if bad else OK


def summary(table: TableConfig) -> str:
    """What mesad understood of a table file, for people."""
    game, mqtt = table.game, table.mqtt
    rows = [
        ("table", f"{table.site}/{table.id}" + (" (test)" if table.test else "")),
        (
            "game",
            f"{game.names[table.language]} ({game.id}), {len(table.layout)} {PLAYED[game.family].places}",
        ),
        ("catalogue", f"{game.text}: {game.title}"),
        *([("borrowed", f"the rules are those of {game.borrowed}")] if game.borrowed else []),
        *([("house", f"its own rules make the text stricter: {game.house}")] if game.house else []),
        ("announced", f"in {table.language}; voids: {table.policy}"),
        ("limits", _limits(table)),
        *(("device", f"{d.id}: {d.role}, driver {d.driver.name}, {d.port}") for d in table.devices),
        ("broker", f"{mqtt.url}, protocol {mqtt.protocol}"),
        ("journal", str(table.journal.path)),
        *(("note", note) for note in config.notes(table)),
    ]
    return "\n".join([f"{table.file}: ok", *(f"  {name:<10} {text}" for name, text in rows)])


def _limits(table: TableConfig) -> str:
    if table.minimum is None:
        return "none configured"
    rules, limits = table.game.limits, table.limits
    if rules is None:
        maxima = "the text has no maxima"
    elif limits is None:
        maxima = f"maxima set by the authorisation ({rules.clause})"
    else:
        maxima = "; ".join(f"{limits[m.bets[0]]} on {', '.join(m.bets)}" for m in rules.maxima)
    return f"minimum {table.minimum}; {maxima}"
