"""The tree of commands: what loads when, exit codes, and how errors are told."""

import argparse
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hall import table_file
from patience import PATIENCE, wait_for

from daemon import cli, errors
from daemon.cli import COMMANDS, main
from daemon.version import VERSION

ROOT = Path(__file__).parents[2]
PUT_IN_ITS_PLACE = """\
import sys, types
from daemon import cli
module = types.SimpleNamespace(add_arguments=lambda parser: None, main=lambda args: {body})
cli.import_module = lambda name: module
sys.exit(cli.main(["check"]))
"""
"""A process whose command `check` does something of the test's own."""


def leave(argv: list[str]) -> int | str | None:
    """The exit code of a call that argparse ends by itself."""
    with pytest.raises(SystemExit) as caught:
        main(argv)
    return caught.value.code


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[argparse.Namespace], int]], None]:
    """Puts a command of the test's own in the place of `check`."""

    def replace(run: Callable[[argparse.Namespace], int]) -> None:
        module = SimpleNamespace(add_arguments=lambda parser: None, main=run)
        monkeypatch.setattr(cli, "import_module", lambda name: module)

    return replace


def test_the_help_names_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert leave(["--help"]) == 0
    said = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n    {name} " in said or f"\n    {name}\n" in said
    for code in (0, 64, 69, 73, 75, 78):
        assert f"{code} " in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_of_its_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert leave([name, "--help"]) == 0
    assert f"usage: mesad {name}" in capsys.readouterr().out


def test_the_help_loads_no_command_and_nothing_heavy() -> None:
    program = (
        "import sys, contextlib\n"
        "from daemon.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = set(done.stderr.split())
    assert "daemon.cli" in loaded
    assert not [name for name in loaded if name.startswith("daemon.cli.")]
    assert not loaded & {
        "msgspec",
        "structlog",
        "asyncio",
        "serial",
        "aiomqtt",
        "sqlite3",
        "pathlib",
        "logging",
    }


@pytest.mark.parametrize(
    "argv", [[], ["nonsense"], ["check"], ["check", "--nonsense", "x"], ["schema", "--js"]]
)
def test_a_wrong_call_ends_with_64_and_says_how_it_is_used(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert leave(argv) == 64
    said = capsys.readouterr()
    assert said.out == ""
    assert "usage: mesad" in said.err
    assert "mesad: error: " in said.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("no such round"), 64),
        (errors.DeviceUnavailableError("no wheel"), 69),
        (errors.BrokerUnavailableError("no broker"), 69),
        (errors.CannotCreateError("no room"), 73),
        (errors.AlreadyRunningError("the port", "pid 7"), 75),
        (errors.ConfigurationError(Path("t.toml"), "table.id", "is missing", "add it"), 78),
    ],
)
def test_an_error_of_the_tree_is_told_in_a_line_with_its_exit_code(
    error: errors.MesadError,
    code: int,
    command: Callable[[Callable[[argparse.Namespace], int]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(args: argparse.Namespace) -> int:
        raise error

    command(run)
    assert main(["check"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"mesad: error: {error}\n"


def test_the_holder_is_named() -> None:
    assert str(errors.AlreadyRunningError("the port", "pid 7")) == "the port is in use by pid 7"


def test_an_unexpected_exception_keeps_its_traceback_and_ends_with_70() -> None:
    program = PUT_IN_ITS_PLACE.format(body="1 / 0")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 70
    assert "Traceback" in done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr


def test_an_interrupt_ends_quietly(
    command: Callable[[Callable[[argparse.Namespace], int]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    def run(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    command(run)
    assert main(["check"]) == 130
    assert capsys.readouterr().err == ""


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    program = PUT_IN_ITS_PLACE.format(body="[print('line') for _ in range(100_000)] and 0")
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "line\n"
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("command", ["catalogue", "schema"])  # less than a buffer, and more than one
@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        (">/dev/full", 73, "mesad: error: cannot write to standard output: No space left on device\n"),
        ("1</dev/null", 73, "mesad: error: cannot write to standard output: Bad file descriptor\n"),
        (">/dev/full 2>/dev/full", 73, ""),
        (">&-", 0, ""),
        (">&- 2>&- <&-", 0, ""),
    ],
)
def test_an_output_that_takes_nothing_is_told_in_a_line(
    command: str, redirection: str, code: int, said: str
) -> None:
    call = f'"$0" -m daemon {command} {redirection}'
    done = subprocess.run(
        ["bash", "-c", call, sys.executable], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (code, said)


def _catches(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal: mesad's come when its tables run."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (number - 1) & 1)


@pytest.mark.parametrize("redirection", [">&- 2>&- <&-", ">/dev/full"])
def test_the_daemon_runs_and_stops_without_an_output(tmp_path: Path, redirection: str) -> None:
    table = tmp_path / "table.toml"
    table.write_text(table_file(1, tmp_path / "wheel", tmp_path / "table.db"))
    call = f'exec "$0" -m daemon run "$1" {redirection}'
    with subprocess.Popen(["bash", "-c", call, sys.executable, str(table)], cwd=ROOT) as process:
        try:
            wait_for(lambda: process.poll() is not None or _catches(process.pid, signal.SIGTERM))
            assert process.poll() is None
            open_files = Path(f"/proc/{process.pid}/fd")
            assert str((open_files / "1").readlink()) in ("/dev/null", "/dev/full")
            process.terminate()
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()


def test_the_version_is_the_project_files(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == VERSION
    assert leave(["--version"]) == 0
    assert capsys.readouterr().out == f"mesad {VERSION}\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rounds", "0"], "--rounds must be 1 or more"),
        (["--rounds", "-1"], "--rounds must be 1 or more"),
        (["--speed", "0"], "--speed must be more than 0"),
        (["--port", "tcp:99999"], "is no port"),
    ],
)
def test_a_simulation_that_cannot_be_is_refused_at_once(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "wheel", *options]) == 64
    assert said in capsys.readouterr().err
