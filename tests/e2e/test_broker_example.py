"""The example broker that is shipped: it starts as it is written, and gives nobody more than it says."""

import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from brokers import Mosquitto
from patience import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "systemd" / "mosquitto"
ROOT = "mesad/v1/madrid-1"
CLIENTS = ("ruleta-01", "ruleta-02", "board", "chief-sala-1", "backoffice", "stranger")


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def certify(folder: Path, name: str) -> None:
    """A key and a certificate by the folder's authority, good for the loopback address."""
    key, request, cert = (str(folder / f"{name}.{end}") for end in ("key", "csr", "crt"))
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request)
    (folder / "san").write_text("subjectAltName=IP:127.0.0.1")
    authority = ["-CA", str(folder / "ca.crt"), "-CAkey", str(folder / "ca.key"), "-CAcreateserial"]
    openssl("x509", "-req", "-in", request, *authority, "-extfile", str(folder / "san"), "-out", cert)


@pytest.fixture(scope="module")
def certs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house's authority with the certificates of its broker and its clients."""
    folder = tmp_path_factory.mktemp("certs")
    key, cert = str(folder / "ca.key"), str(folder / "ca.crt")
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    openssl("req", "-x509", "-new", "-key", key, "-subj", "/CN=house", "-days", "1", "-out", cert)
    for name in ("broker", *CLIENTS):
        certify(folder, name)
    return folder


class House(Mosquitto):
    """The example's broker, with its paths led into a folder of the test's and its port a free one."""

    def __init__(self, folder: Path, certs: Path) -> None:
        (folder / "data").mkdir()
        (folder / "mesad.acl").write_text((EXAMPLE / "mesad.acl").read_text())
        config = (EXAMPLE / "mesad.conf").read_text()
        for installed, here in (
            ("/etc/mosquitto/certs", certs),
            ("/etc/mosquitto/mesad.acl", folder / "mesad.acl"),
            ("/var/lib/mosquitto/", f"{folder / 'data'}/"),
        ):
            assert installed in config
            config = config.replace(installed, str(here))
        super().__init__(folder, "")
        self.certs = certs
        assert "\nlistener 8883\n" in config
        # the settings of the first listener stand after the test's own line for it
        first, _, second = config.partition("listener 8883\n")
        self._config = first + second

    def client(self, program: str, user: str | None, topic: str, *more: str) -> list[str]:
        """The command line of a mosquitto client; without a certificate for None."""
        line = [program, "-h", "127.0.0.1", "-p", str(self.port), "-V", "5", "-q", "1", "-t", topic]
        line += ["--cafile", str(self.certs / "ca.crt")]
        if user is not None:
            line += ["--cert", str(self.certs / f"{user}.crt"), "--key", str(self.certs / f"{user}.key")]
        return [*line, *more]

    def says(self, user: str, topic: str, payload: str = "x", *, retain: bool = False) -> None:
        """`user` publishes; whether it is passed on is to be seen by who hears it."""
        more = ["-m", payload, *(["-r"] if retain else [])]
        subprocess.run(self.client("mosquitto_pub", user, topic, *more), check=True, timeout=PATIENCE)


@pytest.fixture
def house(tmp_path: Path, certs: Path) -> Iterator[House]:
    broker = House(tmp_path, certs)
    broker.start()
    yield broker
    broker.kill()


Hears = Callable[[str, str, str], bool]


@pytest.fixture
def hears(house: House) -> Hears:
    """Whether `reader` gets what `speaker` says on `topic`.

    What is retained is there for whoever comes later, so nothing depends on who is first. It comes in the
    order of the subscriptions: that none comes is known from the one on the second topic, which the reader
    may hear.
    """

    def ask(speaker: str, reader: str, topic: str) -> bool:
        house.says(speaker, topic, "asked", retain=True)
        known_speaker, known = {
            "ruleta-01": ("chief-sala-1", f"{ROOT}/ruleta-01/cmd/limits"),
            "ruleta-02": ("chief-sala-1", f"{ROOT}/ruleta-02/cmd/limits"),
            "chief-sala-1": ("ruleta-01", "mesad-reply/chief-sala-1/end"),
        }.get(reader, ("ruleta-01", f"{ROOT}/ruleta-01/status"))
        house.says(known_speaker, known, "end", retain=True)
        line = house.client("mosquitto_sub", reader, topic, "-t", known, "-F", "%p", "-W", "10")
        with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as listening:
            assert listening.stdout is not None
            heard = []
            while "end" not in heard:
                said = listening.stdout.readline()
                assert said, "it waited for ten seconds in vain"
                heard.append(said.strip())
            listening.kill()
        return "asked" in heard

    return ask


@pytest.mark.parametrize(
    ("speaker", "reader", "topic", "passed"),
    [
        # a table speaks for itself and for nobody else
        ("ruleta-01", "board", f"{ROOT}/ruleta-01/result", True),
        ("ruleta-01", "board", f"{ROOT}/ruleta-02/result", False),
        ("ruleta-01", "backoffice", f"{ROOT}/ruleta-01/event/round", True),
        # commands are said by the chief and heard by the table and the audit
        ("chief-sala-1", "ruleta-01", f"{ROOT}/ruleta-01/cmd/void", True),
        ("chief-sala-1", "ruleta-02", f"{ROOT}/ruleta-01/cmd/void", False),
        ("chief-sala-1", "backoffice", f"{ROOT}/ruleta-01/cmd/void", True),
        ("chief-sala-1", "board", f"{ROOT}/ruleta-01/cmd/void", False),
        ("board", "ruleta-01", f"{ROOT}/ruleta-01/cmd/void", False),
        ("backoffice", "ruleta-01", f"{ROOT}/ruleta-01/cmd/void", False),
        ("ruleta-02", "ruleta-01", f"{ROOT}/ruleta-01/cmd/void", False),
        # nobody but a table gives results
        ("chief-sala-1", "board", f"{ROOT}/ruleta-01/result", False),
        ("board", "board", f"{ROOT}/ruleta-01/result", False),
        # answers reach who asked
        ("ruleta-01", "chief-sala-1", "mesad-reply/chief-sala-1/1", True),
        ("ruleta-01", "board", "mesad-reply/chief-sala-1/1", False),
        # a certificate alone gives no rights
        ("stranger", "board", f"{ROOT}/ruleta-01/result", False),
    ],
)
def test_rights(hears: Hears, speaker: str, reader: str, topic: str, passed: bool):
    assert hears(speaker, reader, topic) is passed


def test_nobody_comes_in_without_a_certificate_of_the_house(house: House):
    line = house.client("mosquitto_pub", None, f"{ROOT}/ruleta-01/status", "-m", "x")
    assert subprocess.run(line, capture_output=True, timeout=PATIENCE, check=False).returncode != 0


def test_nobody_comes_in_without_tls(house: House):
    connect = b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x3c\x00\x01a"
    with socket.create_connection(("127.0.0.1", house.port), timeout=PATIENCE) as plain:
        plain.sendall(connect)
        try:
            answer = plain.recv(4)
        except ConnectionResetError:
            answer = b""
    assert not answer.startswith(b"\x20"), "a CONNACK"
