"""`python -m daemon` and the installed `mesad`: the command line."""

import os
import sys

from daemon import cli


def _open_standard_streams() -> None:
    """Give descriptors 0 to 2 to /dev/null where they are closed.

    Otherwise the next file opened, a journal or a port, would be what is printed to.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - for as long as the process lives


def main() -> None:
    """Run the command that the process was called with; never returns."""
    _open_standard_streams()
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
