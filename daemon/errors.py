"""Errors that end a command, each with the exit code that the command line gives for it.

    MesadError
    ├── LocalError                       this machine: how mesad was called, its files, its other processes
    │   ├── UsageError              64   called with arguments that make no sense together
    │   ├── CannotCreateError       73   a file or directory cannot be made or written
    │   ├── AlreadyRunningError     75   another process holds the table, the journal or the port
    │   └── ConfigurationError      78   a table file that cannot be run, told by file, key and remedy
    └── RemoteError                      the far end of a wire
        ├── DeviceUnavailableError  69   a command needs a device that does not answer
        └── BrokerUnavailableError  69   a command needs a broker that does not answer

The codes are those of sysexits.h. A running daemon meets remote errors by trying again; only commands
that cannot do without the device or the broker raise them. Anything else that escapes a command is a
defect of mesad: it keeps its traceback and ends with `SOFTWARE`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the help is printed in the time that loading pathlib takes
    from collections.abc import Sequence
    from pathlib import Path

OK = 0
USAGE = 64
UNAVAILABLE = 69
SOFTWARE = 70
CANNOT_CREATE = 73
ALREADY_RUNNING = 75
CONFIGURATION = 78


class MesadError(Exception):
    """A failure with a plain cause: its text is what the user reads, `exit_code` what the shell gets."""

    exit_code: int


def first_cause(error: BaseException) -> BaseException:
    """The first failure inside groups of them: one that a user can act upon, if there is one."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    causes = [first_cause(inner) for inner in error.exceptions]
    return next((cause for cause in causes if isinstance(cause, MesadError)), causes[0])


class LocalError(MesadError):
    """The cause is on this machine."""


class RemoteError(MesadError):
    """The cause is at the far end of a wire."""

    exit_code = UNAVAILABLE


class UsageError(LocalError):
    """The command was called with arguments that make no sense."""

    exit_code = USAGE


class CannotCreateError(LocalError):
    """A file or directory cannot be made or written."""

    exit_code = CANNOT_CREATE


class AlreadyRunningError(LocalError):
    """Somebody else holds what is needed; `holder` says who, as far as it can be known."""

    exit_code = ALREADY_RUNNING

    def __init__(self, what: str, holder: str) -> None:
        super().__init__(f"{what} is in use by {holder}")
        self.what = what
        self.holder = holder


class ConfigurationError(LocalError):
    """A table file that cannot be run: in which file, at which key, what is wrong, and what to do."""

    exit_code = CONFIGURATION

    def __init__(
        self,
        file: "Path",
        key: str | None,
        problem: str,
        remedy: str,
        further: "Sequence[ConfigurationError]" = (),
    ) -> None:
        """`further` are other mistakes in the same file, told after this one."""
        place = f"{file}: {key}" if key else f"{file}"
        told = f"{place}: {problem}\n  remedy: {remedy}"
        super().__init__("\n".join([told, *map(str, further)]))
        self.file = file
        self.key = key
        """Path of the key, e.g. ``device[0].port``; None where the whole file is meant."""
        self.problem = problem
        self.remedy = remedy

    def with_further(self, *mistakes: "ConfigurationError") -> "ConfigurationError":
        """The same, with other mistakes in the same file told after it."""
        return ConfigurationError(self.file, self.key, self.problem, self.remedy, mistakes)


class DeviceUnavailableError(RemoteError):
    """A command needs a device that does not answer."""


class BrokerUnavailableError(RemoteError):
    """A command needs a broker that does not answer."""
