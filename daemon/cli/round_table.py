"""The table of a recorded round, from a table file that may be another by now."""

from pathlib import Path

from daemon.config import TableConfig, load
from daemon.errors import ConfigurationError
from daemon.played import changes
from daemon.replay import TraceHead


def table_of(file: Path, head: TraceHead) -> tuple[TableConfig, list[str]]:
    """The table as the file has it now, and in words what is another than when the round was played.

    Files that options name need not be there, if the round has its own. Raises ConfigurationError.
    """
    told = []
    try:
        config = load(file, here=False)
    except ConfigurationError as error:
        config = load(file, here=False, calibrated=False)  # raises where it is more than such a file
        if head.terms is None:
            remedy = (
                "put back the file that the wheel had when the round was played: the journal does not have it"
            )
            raise ConfigurationError(file, error.key, error.problem, remedy) from None
        told.append(f"{file}: {error.key}: {error.problem}; what it held when the round was played is taken")
    return config, told + changes(config, head)
