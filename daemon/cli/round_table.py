"""The table of a recorded round, from a table file that may be another by now."""

from pathlib import Path

from daemon.config import TableConfig, load
from daemon.errors import ConfigurationError
from daemon.played import changes
from daemon.replay import TraceHead


def table_now(file: Path) -> tuple[TableConfig, ConfigurationError | None]:
    """The table as the file has it now, and the mistake if it is only a file that an option names.

    Raises ConfigurationError for any other.
    """
    try:
        return load(file, here=False), None
    except ConfigurationError as error:
        return load(file, here=False, calibrated=False), error


def told_of(config: TableConfig, mistake: ConfigurationError | None, head: TraceHead) -> list[str]:
    """In words what is another than when the round was played. Raises ConfigurationError.

    Files that options name need not be there, if the round has its own.
    """
    told = []
    if mistake is not None:
        if head.terms is None:
            remedy = (
                "put back the file that the wheel had when the round was played: the journal does not have it"
            )
            raise ConfigurationError(mistake.file, mistake.key, mistake.problem, remedy)
        what = f"{mistake.file}: {mistake.key}: {mistake.problem}"
        told.append(f"{what}; what it held when the round was played is taken")
    return told + changes(config, head)
