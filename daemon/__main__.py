"""`python -m daemon` and the installed `mesad`: the command line."""

import sys

from daemon import cli


def main() -> None:
    """Run the command that the process was called with; never returns."""
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
