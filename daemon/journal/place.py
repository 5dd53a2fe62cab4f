"""What a journal takes for itself on the disk, and what stands there: a file, nothing yet, something else."""

import contextlib
import os
import stat
from pathlib import Path

from daemon.journal.errors import JournalError

ELSEWHERE = "name a file of its own in [journal] path"

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def place(path: Path) -> Path:
    """The path without links, where a journal can be or come to be. Raises JournalError."""
    try:
        path = path.resolve()
        parent, kind = path.parent.is_dir(), kind_of(path)
    except (RuntimeError, ValueError) as error:  # a loop of links; a null character
        raise JournalError(path, f"is no usable path: {error}", ELSEWHERE) from error
    except OSError as error:
        raise JournalError(path, f"is no usable path: {error.strerror}", ELSEWHERE) from error
    if not parent:
        remedy = "make it, owned by the daemon's user"
        raise JournalError(path, f"the folder {path.parent} does not exist", remedy)
    if kind is not None:
        raise JournalError(path, f"is {kind}, not a file", ELSEWHERE)
    return path


def kind_of(path: Path) -> str | None:
    """What stands there instead of a regular file; None if it is one or there is nothing. Raises OSError."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return None if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "a special file")


def files_of(path: str) -> list[str]:
    """The file of a journal under this path, and those that come to be beside it."""
    return [path + suffix for suffix in ("", ".lock", "-wal", "-shm", ".new")]


def taken(path: Path) -> list[str]:
    """What a journal takes for itself: its files' real paths, and the file itself if there is one."""
    names = files_of(os.path.realpath(path))
    with contextlib.suppress(OSError):  # there is none yet
        found = path.stat()
        names.append(f"the file {found.st_ino} on device {found.st_dev}")
    return names
