"""What can be wrong with a journal's file; each text names the file and the remedy.

LocalError
├── JournalError               73   cannot be used: permission, disk, another table's, another program's
│   ├── JournalDamagedError    73   its contents are damaged (a reader's error: the daemon sets it aside)
│   └── JournalNewerError      73   written by a newer mesad
└── AlreadyRunningError
    └── JournalBusyError       75   another process writes it
"""

from pathlib import Path

from daemon.errors import CANNOT_CREATE, AlreadyRunningError, LocalError


class JournalError(LocalError):
    """The journal cannot be used as things are."""

    exit_code = CANNOT_CREATE

    def __init__(self, file: Path, problem: str, remedy: str) -> None:
        super().__init__(f"{file}: {problem}\n  remedy: {remedy}")
        self.file = file
        self.problem = problem
        self.remedy = remedy


class JournalDamagedError(JournalError):
    """The file's contents cannot be trusted."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(
            file,
            problem,
            "keep the file for examination, check the disk; the daemon sets it aside at its next start",
        )


class JournalNewerError(JournalError):
    """A newer mesad wrote the file, and this one does not know its form."""

    def __init__(self, file: Path, version: int, newest: int) -> None:
        super().__init__(
            file,
            f"has schema version {version}, newer than the {newest} that this mesad knows",
            "run the mesad that wrote it, or name another file in [journal] path",
        )


class JournalBusyError(AlreadyRunningError):
    """Another process writes this journal."""

    def __init__(self, file: Path, holder: str) -> None:
        super().__init__(f"the journal {file}", holder)
