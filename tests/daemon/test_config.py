"""Table files: what is taken, and that every mistake names the file, the key and the remedy."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon import config
from daemon.composition import table_setup
from daemon.errors import CONFIGURATION, ConfigurationError
from drivers import registry
from drivers.driver import DriverInfo, NoOptions

TABLE = """\
[table]
site = "madrid-1"
id = "ruleta-01"
game = "french_roulette"
catalogue = "es-ct"
language = "ca"

[mqtt]
url = "mqtt://127.0.0.1:1883"

[journal]
path = "ruleta-01.db"

[[device]]
id = "wheel"
role = "wheel"
driver = "cammegh"
port = "/dev/null"
options = { model = "slingshot-2" }
"""
SECOND_DEVICE = """
[[device]]
id = "wheel-2"
role = "wheel"
driver = "cammegh"
port = "/dev/zero"
options = { model = "slingshot-2" }
"""


def write(folder: Path, text: str, name: str = "table.toml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def refused(file: Path) -> ConfigurationError:
    """The error of a file; it names the file and a remedy, and has the configuration's exit code."""
    with pytest.raises(ConfigurationError) as caught:
        config.load(file)
    error = caught.value
    assert error.exit_code == CONFIGURATION == 78
    assert str(file) in str(error)
    assert f"remedy: {error.remedy}" in str(error)
    assert error.remedy
    if error.key:
        assert f"{file}: {error.key}: " in str(error)
    return error


# --- what is taken ----------------------------------------------------------------------------------


def test_wheel_and_ball_have_names(tmp_path: Path) -> None:
    named = TABLE.replace('language = "ca"', 'language = "ca"\nwheel = "10442"\nball = "teflon-18-a"')
    setup = table_setup(config.load(write(tmp_path, named)))
    assert (setup.wheel, setup.ball) == ("10442", "teflon-18-a")


def test_a_table_is_resolved_with_defaults(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE))
    assert (table.site, table.id, table.language) == ("madrid-1", "ruleta-01", "ca")
    assert (table.game.text, table.game.id) == ("es-ct", "french_roulette")
    assert (table.minimum, table.multiple, table.limits) == (None, None, None)
    assert table.test is False
    assert (table.wheel, table.ball) == (None, None)
    assert table.policy == "automatic"
    assert (table.mqtt.host, table.mqtt.port, table.mqtt.tls) == ("127.0.0.1", 1883, False)
    assert table.mqtt.protocol == "auto"
    assert table.journal.path == tmp_path / "ruleta-01.db"
    assert (table.journal.keep_days, table.journal.keep_mb) == (1830, 4096)
    (device,) = table.devices
    assert (device.id, device.role, device.port, device.driver.name) == (
        "wheel",
        "wheel",
        "/dev/null",
        "cammegh",
    )
    assert isinstance(device.options, device.driver.options)
    assert device.description.driver == "cammegh"


def test_every_optional_key_is_taken(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("unguessable\n")
    text = TABLE.replace(
        'catalogue = "es-ct"', 'catalogue = "es-ex"\nminimum = 5\nmultiple = 540\ntest = true'
    )
    text = text.replace(
        "[journal]",
        'username = "table"\npassword_file = "password"\nprotocol = "3.1.1"\n'
        '[policy]\nvoid = "inspector"\n[journal]\nkeep_days = 30\nkeep_mb = 100',
    )
    table = config.load(write(tmp_path, text))
    assert table.limits is not None
    assert table.limits["red"] == 5 * 540
    assert table.limits["straight"] == 5 * 30
    assert table.test is True
    assert table.policy == "inspector"
    assert (table.journal.keep_days, table.journal.keep_mb) == (30, 100)
    assert (table.mqtt.username, table.mqtt.protocol) == ("table", "3.1.1")
    assert table.mqtt.password_file == str(tmp_path / "password")


def test_a_minimum_under_a_text_that_leaves_the_maxima_to_the_authorisation(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE.replace('language = "ca"', 'language = "ca"\nminimum = 5')))
    assert (table.minimum, table.limits) == (5, None)


def test_the_only_multiple_of_a_text_need_not_be_said(tmp_path: Path) -> None:
    text = TABLE.replace("es-ct", "es-1979").replace('language = "ca"', 'language = "es"\nminimum = 2')
    table = config.load(write(tmp_path, text))
    assert table.limits is not None
    assert table.limits["red"] == 2 * 540


def test_a_table_is_a_test_table_by_its_file_or_by_the_command(tmp_path: Path) -> None:
    file = write(tmp_path, TABLE)
    assert config.load(file, test=True).test is True
    assert config.load_all([file], test=True)[0].test is True
    marked = write(tmp_path, TABLE.replace("[mqtt]", "test = true\n[mqtt]"))
    assert config.load(marked, test=False).test is True


def test_mqtts_needs_no_authorities_of_its_own(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE.replace("mqtt://127.0.0.1:1883", "mqtts://broker.example")))
    assert (table.mqtt.port, table.mqtt.tls, table.mqtt.ca) == (8883, True, None)


def test_a_port_that_is_not_plugged_in_is_no_mistake(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE.replace("/dev/null", str(tmp_path / "ttyUSB7"))))
    assert table.devices[0].identity == str(tmp_path / "ttyUSB7")


def test_a_file_from_another_machine_can_be_loaded_without_its_files(tmp_path: Path) -> None:
    text = TABLE.replace("[journal]", 'username = "t"\npassword_file = "/nowhere/password"\n[journal]')
    file = write(tmp_path, text)
    assert refused(file).key == "mqtt.password_file"
    assert config.load(file, here=False).mqtt.password_file is not None


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    assert config.load(write(tmp_path, "\ufeff" + TABLE)).id == "ruleta-01"


def test_nothing_is_opened_or_made(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "port")  # opening it would hang
    config.load(write(tmp_path, TABLE.replace("/dev/null", str(tmp_path / "port"))))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["port", "table.toml"]


# --- the file itself --------------------------------------------------------------------------------


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.toml")
    assert "No such file" in error.problem


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    assert "directory" in refused(tmp_path).problem


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'[table]\nsite = "a"\nid = \n', "line 3, column 6"),
        (b"[table\n", "line 1"),
        (b'[table]\nsite = "a"\nsite = "b"\n', "Cannot overwrite"),
        (b'[table]\nsite = "\xff"\n', "line 2 is not UTF-8"),
        (b"a = " + b"[" * 100_000, "not valid TOML"),
        (b"a = " + b"1" * 10_000, "not valid TOML"),
        (b"#" * 2_000_000, "larger than 1 MiB"),
    ],
)
def test_a_file_that_is_not_toml(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(content)
    error = refused(file)
    assert error.key is None
    assert said in error.problem


# --- keys and values --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "key", "said"),
    [
        # unknown keys
        ("language", "langauge", "table.langauge", "not a key"),
        ("[mqtt]", "[mqqt]", "mqqt", "not a key"),
        ("[journal]", "[journal]\nsync = true", "journal.sync", "not a key"),
        ('role = "wheel"', 'role = "wheel"\nbaud = 9600', "device[0].baud", "not a key"),
        # missing
        ('site = "madrid-1"\n', "", "table.site", "is missing"),
        ('path = "ruleta-01.db"\n', "", "journal.path", "is missing"),
        ('driver = "cammegh"\n', "", "device[0].driver", "is missing"),
        ('port = "/dev/null"\n', "", "device[0].port", "is missing"),
        # types
        ('id = "ruleta-01"', "id = 1", "table.id", "should be text in quotes, but is a whole number"),
        ('language = "ca"', 'language = "ca"\nminimum = "5"', "table.minimum", "should be a whole number"),
        ('language = "ca"', 'language = "ca"\nminimum = 2.5', "table.minimum", "should be a whole number"),
        ('language = "ca"', 'language = "ca"\ntest = 1', "table.test", "should be true or false"),
        ('language = "ca"', 'language = "ca"\nwheel = 10442', "table.wheel", "should be text in quotes"),
        ('language = "ca"', 'language = "ca"\nball = ""', "table.ball", "is not allowed"),
        ("[[device]]", "[device]", "device", "should be a list"),
        ('options = { model = "slingshot-2" }', 'options = "x"', "device[0].options", "should be a table"),
        ('path = "ruleta-01.db"', "path = 2026-01-01", "journal.path", "should be text"),
        # values
        ("madrid-1", "Madrid 1", "table.site", "'Madrid 1' is not allowed"),
        ("madrid-1", "madrid-1\\n", "table.site", "is not allowed"),
        ("madrid-1", "", "table.site", "is not allowed"),
        ('"ruleta-01"', '"ruleta/01"', "table.id", "is not allowed"),
        ('"ruleta-01"', f'"{"x" * 65}"', "table.id", "is not allowed"),
        ('id = "wheel"', 'id = "Wheel"', "device[0].id", "is not allowed"),
        ('language = "ca"', 'language = "fr"', "table.language", "'fr' is not allowed"),
        ('language = "ca"', 'language = "ca"\nminimum = 0', "table.minimum", "is 0, but must be at least 1"),
        ('language = "ca"', 'language = "ca"\nminimum = -5', "table.minimum", "at least 1"),
        ('language = "ca"', 'language = "ca"\nminimum = 5\nmultiple = 0', "table.multiple", "at least 1"),
        ("[mqtt]", '[policy]\nvoid = "never"\n[mqtt]', "policy.void", "'never' is not allowed"),
        ("[journal]", "[journal]\nkeep_days = 0", "journal.keep_days", "at least 1"),
        ("[journal]", "[journal]\nkeep_mb = 1", "journal.keep_mb", "at least 16"),
        ("[journal]", 'protocol = "4"\n[journal]', "mqtt.protocol", "'4' is not allowed"),
        ('port = "/dev/null"', 'port = ""', "device[0].port", "is not allowed"),
        # the catalogue
        ("es-ct", "es-2050", "table.catalogue", "there are: es-1979, es-ct, es-ex"),
        ("es-ct", "../es-ct", "table.catalogue", "there is no catalogue"),
        ("french_roulette", "poker", "table.game", "does not have the game 'poker'"),
        ('language = "ca"', 'language = "ca"\nmultiple = 540', "table.multiple", "no minimum"),
        (
            'language = "ca"',
            'language = "ca"\nminimum = 5\nmultiple = 540',
            "table.multiple",
            "the authorisation sets the maxima",
        ),
        # devices
        ('role = "wheel"', 'role = "wheels"', "device[0].role", "'wheels' is not allowed"),
        ('role = "wheel"', 'role = "shoe"', "device[0].role", "no use for the role shoe"),
        ('role = "wheel"', 'role = "console"', "device", "exactly one device with the role wheel, not 0"),
        ('driver = "cammegh"', 'driver = "camegh"', "device[0].driver", "camegh"),
        ('"slingshot-2"', '"slingshot-9"', "device[0].options.model", "slingshot-9"),
        ("{ model", "{ silence = 1, model", "device[0].options.silence", "is 1, but must be more than 3.5"),
        ("{ model", '{ silence = "x", model', "device[0].options.silence", "should be a number"),
        ("{ model", '{ protocol = "basic", model', "device[0].options", "advanced protocol only"),
        ("{ model", "{ pockets = 36, model", "device[0].options.pockets", "37 or 38"),
        ('{ model = "slingshot-2" }', "{ }", "device[0].options.model", "is missing"),
        ("{ model", "{ colour = 1, model", "device[0].options.colour", "known here: model"),
        ("/dev/null", "rfc2217://10.0.0.7:4001", "device[0].port", "socket://"),
        ("/dev/null", "socket://10.0.0.7", "device[0].port", "socket://HOST:PORT"),
        # the broker
        ("mqtt://127", "tcp://127", "mqtt.url", "mqtt://"),
        ("mqtt://127.0.0.1:1883", "127.0.0.1", "mqtt.url", "mqtt://"),
        (":1883", ":99999", "mqtt.url", "port"),
        (":1883", ":0", "mqtt.url", "port 0"),
        ("127.0.0.1:1883", "", "mqtt.url", "no host"),
        (":1883", ":1883/mesad", "mqtt.url", "end after the port"),
        ("[journal]", 'ca = "ca.pem"\n[journal]', "mqtt.ca", "mqtts"),
        ("[journal]", 'password_file = "p"\n[journal]', "mqtt.password_file", "needs a username"),
    ],
)
def test_a_mistake_is_told_by_its_key(tmp_path: Path, old: str, new: str, key: str, said: str) -> None:
    assert old in TABLE
    error = refused(write(tmp_path, TABLE.replace(old, new)))
    assert error.key == key
    assert said in error.problem + error.remedy


def test_a_game_that_the_text_excludes_is_told_with_the_clause(tmp_path: Path) -> None:
    text = TABLE.replace("es-ct", "es-1979").replace("french_roulette", "american_roulette_double_zero")
    error = refused(write(tmp_path, text))
    assert error.key == "table.game"
    assert "es-1979 01.IV.3.c" in error.problem


@pytest.mark.parametrize("multiple", ["", "\nmultiple = 541"])
def test_a_multiple_that_the_text_does_not_have_is_told_with_those_it_has(
    tmp_path: Path, multiple: str
) -> None:
    text = TABLE.replace("es-ct", "es-ex").replace(
        'language = "ca"', f'language = "es"\nminimum = 5{multiple}'
    )
    error = refused(write(tmp_path, text))
    assert error.key == "table.multiple"
    assert "180, 360, 540, 720" in error.problem
    assert "es-ex 1.1.4.2.A.b" in error.problem


def test_the_nearest_known_key_is_suggested(tmp_path: Path) -> None:
    assert "did you mean language?" in refused(write(tmp_path, TABLE.replace("language", "langage"))).remedy


def test_no_device_at_all(tmp_path: Path) -> None:
    text = TABLE[: TABLE.index("[[device]]")]
    assert refused(write(tmp_path, text)).key == "device"
    assert refused(write(tmp_path, "device = []\n" + text)).key == "device"


def test_a_wheel_of_another_number_of_pockets_than_the_game(tmp_path: Path) -> None:
    double = TABLE.replace("french_roulette", "american_roulette_double_zero")
    error = refused(write(tmp_path, double))
    assert error.key == "device[0].options.pockets"
    assert "38" in error.problem
    assert "es-ct 2.V" in error.problem
    right = double.replace("{ model", "{ pockets = 38, model")
    assert config.load(write(tmp_path, right)).devices[0].options.pockets == 38


def test_two_wheels_at_one_table(tmp_path: Path) -> None:
    error = refused(write(tmp_path, TABLE + SECOND_DEVICE))
    assert error.key == "device"
    assert "exactly one device with the role wheel, not 2" in error.problem


def test_two_devices_of_one_name(tmp_path: Path) -> None:
    error = refused(write(tmp_path, TABLE + SECOND_DEVICE.replace("wheel-2", "wheel")))
    assert error.key == "device[1].id"


# --- secrets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("[journal]", 'password = "unguessable"\n[journal]', "mqtt.password"),
        ("[journal]", 'passwd = "unguessable"\n[journal]', "mqtt.passwd"),
        ("[mqtt]", 'secret = "unguessable"\n[mqtt]', "table.secret"),
        ("mqtt://", "mqtt://table:unguessable@", "mqtt.url"),
        ("mqtt://", "mqtt://unguessable@", "mqtt.url"),
        ("mqtt://127.0.0.1:1883", "mqtt://table:unguessable@[::1", "mqtt"),
        ("mqtt://127.0.0.1:1883", "tcp://table:unguessable@127.0.0.1", "mqtt.url"),
        ("mqtt://127.0.0.1:1883", "mqtt://table:unguessable@h\u2100st", "mqtt"),
    ],
)
def test_a_password_in_the_file_is_refused_and_never_repeated(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    error = refused(write(tmp_path, TABLE.replace(old, new)))
    assert error.key == key
    assert "unguessable" not in str(error)


def test_the_remedy_for_a_password_is_a_file_of_its_own(tmp_path: Path) -> None:
    text = TABLE.replace("[journal]", 'password = "unguessable"\n[journal]')
    assert "mqtt.password_file" in refused(write(tmp_path, text)).remedy


@pytest.mark.parametrize(
    ("content", "said"), [(None, "cannot be read"), (b"", "is empty"), (b"\xff\n", "is not UTF-8")]
)
def test_a_password_file_without_a_password(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "password").write_bytes(content)
    text = TABLE.replace("[journal]", 'username = "t"\npassword_file = "password"\n[journal]')
    error = refused(write(tmp_path, text))
    assert error.key == "mqtt.password_file"
    assert said in error.problem


def test_a_user_without_a_password_is_taken(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE.replace("[journal]", 'username = "table"\n[journal]')))
    assert (table.mqtt.username, table.mqtt.password_file) == ("table", None)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a self-signed `cert.pem` and its `key.pem`."""
    assert shutil.which("openssl"), "openssl makes the certificates of these tests"
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=table"
    subprocess.run(
        [*command.split(), "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"ca": "cert.pem", "cert": "cert.pem", "key": "key.pem"}, None),
        ({"ca": "none.pem"}, "mqtt.ca"),
        ({"ca": "key.pem"}, "mqtt.ca"),
        ({"cert": "cert.pem"}, "mqtt.cert"),
        ({"key": "key.pem"}, "mqtt.cert"),
        ({"cert": "cert.pem", "key": "none.pem"}, "mqtt.cert"),
        ({"cert": "key.pem", "key": "cert.pem"}, "mqtt.cert"),
    ],
)
def test_certificates(tmp_path: Path, certificate: Path, keys: dict[str, str], key: str | None) -> None:
    lines = "".join(f'{name} = "{certificate / file}"\n' for name, file in keys.items())
    file = write(tmp_path, TABLE.replace("mqtt://", "mqtts://").replace("[journal]", lines + "[journal]"))
    if key is None:
        assert config.load(file).mqtt.ca == str(certificate / "cert.pem")
    else:
        assert refused(file).key == key


# --- several tables ---------------------------------------------------------------------------------


def other_table(folder: Path, *changes: tuple[str, str]) -> Path:
    """A second table's file: the first one's with these changes."""
    text = TABLE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return write(folder, text, "other.toml")


ID = ('id = "ruleta-01"', 'id = "ruleta-02"')
JOURNAL = ("ruleta-01.db", "ruleta-02.db")
PORT = ("/dev/null", "/dev/zero")


def together(first: Path, other: Path) -> ConfigurationError:
    with pytest.raises(ConfigurationError) as caught:
        config.load_all([first, other])
    assert caught.value.file == other
    assert str(first) in caught.value.problem
    return caught.value


def test_tables_that_have_nothing_in_common_run_together(tmp_path: Path) -> None:
    tables = config.load_all([write(tmp_path, TABLE), other_table(tmp_path, ID, JOURNAL, PORT)])
    assert [table.id for table in tables] == ["ruleta-01", "ruleta-02"]


def test_one_file_given_twice(tmp_path: Path) -> None:
    file = write(tmp_path, TABLE)
    with pytest.raises(ConfigurationError):
        config.load_all([file, file])


def test_two_tables_of_one_name(tmp_path: Path) -> None:
    assert together(write(tmp_path, TABLE), other_table(tmp_path, JOURNAL, PORT)).key == "table.id"


def test_one_name_in_two_houses_is_two_tables(tmp_path: Path) -> None:
    other = other_table(tmp_path, ("madrid-1", "madrid-2"), JOURNAL, PORT)
    assert len(config.load_all([write(tmp_path, TABLE), other])) == 2


def test_two_tables_with_one_journal_by_two_paths(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    other = other_table(tmp_path, ID, PORT, ("ruleta-01.db", "link/ruleta-01.db"))
    assert together(write(tmp_path, TABLE), other).key == "journal.path"


@pytest.mark.parametrize("plugged", [True, False])
def test_two_tables_with_one_port_by_two_paths(tmp_path: Path, plugged: bool) -> None:
    target = "/dev/null" if plugged else str(tmp_path / "ttyUSB7")
    (tmp_path / "by-path").symlink_to(target)
    first = write(tmp_path, TABLE.replace("/dev/null", target))
    other = other_table(tmp_path, ID, JOURNAL, ("/dev/null", str(tmp_path / "by-path")))
    assert together(first, other).key == "device[0].port"


def test_two_devices_of_one_table_on_one_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a driver of the test's own, because no driver of this release serves a console."""
    info = DriverInfo(
        name="panel",
        summary="a wheel with buttons",
        roles=frozenset({"wheel", "console"}),
        options=NoOptions,
        make=lambda device, options: pytest.fail("a check makes no driver"),
    )
    monkeypatch.setattr(registry, "find", lambda name: info)
    console = SECOND_DEVICE.replace('role = "wheel"', 'role = "console"')
    both = re.sub("options = .*", "", TABLE + console)
    assert len(config.load(write(tmp_path, both)).devices) == 2
    error = refused(write(tmp_path, both.replace("/dev/zero", "/dev/null")))
    assert error.key == "device[1].port"
    assert "device[0].port" in error.problem


def test_two_tables_with_one_name_at_the_broker(tmp_path: Path) -> None:
    named = ("[journal]", 'client_id = "same"\n[journal]')
    other = other_table(tmp_path, ID, JOURNAL, PORT, named)
    assert together(write(tmp_path, TABLE.replace(*named)), other).key == "mqtt.client_id"


def side_by_side(tmp_path: Path, name: str) -> ConfigurationError:
    other = other_table(tmp_path, ID, PORT, ("ruleta-01.db", name))
    return together(write(tmp_path, TABLE), other)


@pytest.mark.parametrize("suffix", [".lock", "-wal", "-shm", ".new"])
def test_a_journal_in_the_place_of_another_ones_own_files(tmp_path: Path, suffix: str) -> None:
    assert side_by_side(tmp_path, "ruleta-01.db" + suffix).key == "journal.path"


def test_two_journals_that_are_one_file_by_two_names(tmp_path: Path) -> None:
    (tmp_path / "ruleta-01.db").touch()
    (tmp_path / "other.db").hardlink_to(tmp_path / "ruleta-01.db")
    assert side_by_side(tmp_path, "other.db").key == "journal.path"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "is a folder"),
        (os.mkfifo, "is a pipe"),
        (lambda path: path.symlink_to("/dev/null"), "is a device"),
        (lambda path: path.symlink_to(path), "symbolic links"),
    ],
)
def test_a_journal_that_can_be_none(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    file = write(tmp_path, TABLE)
    make(tmp_path / "ruleta-01.db")
    error = refused(file)
    assert error.key == "journal.path"
    assert said in error.problem
    assert config.load(file, here=False).journal.path == tmp_path / "ruleta-01.db"


def test_a_name_for_the_journal_that_is_too_long(tmp_path: Path) -> None:
    assert refused(write(tmp_path, TABLE.replace("ruleta-01.db", "x" * 300))).key == "journal.path"


def test_a_journal_that_would_write_over_the_table_file(tmp_path: Path) -> None:
    file = write(tmp_path, TABLE)
    locked = file.with_name("ruleta-01.db.lock")
    locked.write_text(TABLE)
    assert refused(locked).key == "journal.path"
    (tmp_path / "ruleta-01.db").hardlink_to(file)
    assert "is this table file" in refused(file).problem
    write(tmp_path, TABLE.replace("ruleta-01.db", file.name))
    assert refused(file).key == "journal.path"


# --- what is no mistake, but worth a word -----------------------------------------------------------


def test_a_journal_folder_that_is_missing_is_noted(tmp_path: Path) -> None:
    table = config.load(write(tmp_path, TABLE.replace("ruleta-01.db", "none/ruleta-01.db")))
    (note,) = config.notes(table)
    assert str(tmp_path / "none") in note
    assert config.notes(config.load(write(tmp_path, TABLE))) == []


def test_a_password_that_others_can_read_is_noted(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("unguessable\n")
    text = TABLE.replace("[journal]", 'username = "t"\npassword_file = "password"\n[journal]')
    table = config.load(write(tmp_path, text))
    secret.chmod(0o644)
    (note,) = config.notes(table)
    assert note.startswith("mqtt.password_file: everybody can read")
    secret.chmod(0o600)
    assert config.notes(table) == []
