"""The command line: one file a command, loaded only when that command is the one called.

A command's module has ``add_arguments(parser)`` and ``main(args) -> int``, the exit code. It raises
`daemon.errors.MesadError` for what it cannot do, which is printed here in a line, with its exit code.
"""

import argparse
import codecs
import contextlib
import errno
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from daemon import errors
from daemon.version import VERSION

COMMANDS = {
    "run": "the daemon, for one or many tables",
    "check": "check table files against the catalogue; opens nothing",
    "demo": "a broker, simulated tables and the daemon in one go",
    "simulate": "a virtual device on a pseudo-terminal or a TCP port",
    "calibrate": "learn a fortune wheel from free spins, or where a roulette's or boule's pocket sensor is",
    "replay": "judge a capture again, at full speed, without devices or broker",
    "catalogue": "the legal texts, their games and rules, with the clauses",
    "devices": "what is plugged in, and which driver would take it",
    "status": "the table now, from its journal and the broker",
    "watch": "the table live, in the terminal",
    "trace": "why a round was judged as it was; its recorded bytes, or a picture of it",
    "export": "the journal as JSON lines or CSV",
    "verify": "check the journal's chain of hashes",
    "schema": "the MQTT contract as AsyncAPI and JSON Schemas",
}
"""Every command with its line in the help; the module has the command's name."""

_CODES = f"""\
exit codes: {errors.OK} done, 1 not sound (verify) or judged otherwise (replay), {errors.USAGE} usage,
  {errors.UNAVAILABLE} device or broker unavailable, {errors.SOFTWARE} defect of mesad, \
{errors.CANNOT_CREATE} cannot create,
  {errors.ALREADY_RUNNING} already running, {errors.CONFIGURATION} configuration"""


class _Parser(argparse.ArgumentParser):
    """argparse with the contract's exit code for usage errors, and without guessing at half-typed options."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(errors.USAGE, f"mesad: error: {message}\n")


class _CommandParser(_Parser):
    """A command's parser, which asks the command's module for its arguments when it is first used."""

    command: str
    _filled = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if not self._filled:
            self._filled = True
            module = import_module(f"{__name__}.{self.command}")
            module.add_arguments(self)
            self.set_defaults(main=module.main)
        return super().parse_known_args(args, namespace)


def build_parser() -> argparse.ArgumentParser:
    """The whole tree; a command's own arguments are filled in when it is chosen."""
    parser = _Parser(
        prog="mesad",
        description="Reads a casino table's devices, judges every round by the legal catalogue, records it "
        "and publishes it over MQTT.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mesad {VERSION}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_CommandParser)
    for name, line in COMMANDS.items():
        commands.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".").command = name
    return parser


def tell(error: errors.MesadError) -> None:
    """Print an error as the user sees it; the exit code says it too, where nothing can be printed."""
    with contextlib.suppress(OSError):
        print(f"mesad: error: {error}", file=sys.stderr, flush=True)


_NOT_WRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What a terminal's encoding has no letter for, as JSON escapes it, so that JSON stays JSON."""
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _print_everything() -> None:
    """In a locale of another encoding what cannot be printed is escaped; the legal texts are not in ASCII."""
    codecs.register_error("mesad", _escaped)
    if isinstance(sys.stdout, io.TextIOWrapper):  # None where it is closed
        sys.stdout.reconfigure(errors="mesad")


def _no_more_output() -> None:
    """What could not be printed is not tried again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
    os.close(null)


def main(argv: Sequence[str]) -> int:
    """Run the command in `argv` (without the program's name) and return the exit code."""
    _print_everything()
    try:
        return _run(argv)
    finally:
        _no_more_output()


def _run(argv: Sequence[str]) -> int:
    try:
        try:
            args = build_parser().parse_args(argv)
        except SystemExit:
            sys.stdout.flush()  # the help
            raise
        code: int = args.main(args)
        sys.stdout.flush()
    except errors.MesadError as error:
        tell(error)
        return error.exit_code
    except BaseExceptionGroup as group:
        cause = errors.first_cause(group)
        if not isinstance(cause, errors.MesadError):
            return _defect(cause)
        tell(cause)
        return cause.exit_code
    except KeyboardInterrupt:
        return 130  # as the shell counts an interrupt
    except BrokenPipeError:
        return errors.OK  # the reader of a pipe, e.g. `head`, has seen enough
    except OSError as error:
        if error.filename is not None or error.errno not in _NOT_WRITTEN:
            return _defect(error)
        tell(errors.CannotCreateError(f"cannot write to standard output: {error.strerror}"))
        return errors.CANNOT_CREATE
    except Exception as error:  # noqa: BLE001  # the last place: told with its traceback and exit code
        return _defect(error)
    return code


def _defect(error: BaseException) -> int:
    import logging

    logging.getLogger("mesad").critical("unexpected error; please report it", exc_info=error)
    return errors.SOFTWARE
