"""The broker's place and credentials, as a table file says them."""

import ssl
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.mqtt.settings import MqttSettings, exposure, read_password, tls_context


@pytest.mark.parametrize(
    ("url", "host", "port", "tls"),
    [
        ("mqtt://127.0.0.1", "127.0.0.1", 1883, False),
        ("mqtt://broker.local:2883/", "broker.local", 2883, False),
        ("mqtts://broker.local", "broker.local", 8883, True),
        ("mqtts://[::1]:8884", "::1", 8884, True),
    ],
)
def test_the_url_says_where_and_how(url: str, host: str, port: int, tls: bool) -> None:
    settings = MqttSettings(url=url)
    assert (settings.host, settings.port, settings.tls) == (host, port, tls)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"url": "http://broker"}, "must begin with mqtt"),
        ({"url": "broker:1883"}, "must begin with mqtt"),
        ({"url": "mqtt://"}, "no host"),
        ({"url": "mqtt://b:70000"}, "port"),
        ({"url": "mqtt://b:0"}, "port"),
        ({"url": "mqtt://b:x"}, "port"),
        ({"url": "mqtt://user:secret@b"}, "no name or password"),
        ({"url": "mqtt://b/path"}, "end after the port"),
        ({"url": "mqtt://b?x=1"}, "end after the port"),
        ({"url": "mqtt://b", "ca": "/ca.pem"}, "mqtts:// only"),
        ({"url": "mqtts://b", "cert": "/c.pem"}, "go together"),
        ({"password_file": "/secret"}, "needs a username"),
        ({"keepalive": 1}, "keepalive"),
        ({"protocol": "4"}, "protocol"),
        ({"pasword_file": "/secret"}, "pasword_file"),
    ],
)
def test_what_does_not_go_together_is_an_error(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=problem) as raised:
        msgspec.convert(fields, MqttSettings)
    assert "secret@" not in str(raised.value)


def test_a_password_is_the_files_content_less_one_line_end(tmp_path: Path) -> None:
    file = tmp_path / "password"
    for content, password in [(b"s3cret\n", "s3cret"), (b"s3cret\r\n", "s3cret"), (b" a b\n\n", " a b\n")]:
        file.write_bytes(content)
        assert read_password(file) == password


@pytest.mark.parametrize("content", [b"", b"\n", b"x" * 65_536, b"\xff\xfe"])
def test_a_file_that_holds_no_password_is_an_error_that_does_not_quote_it(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="password_file") as raised:
        read_password(file)
    assert len(str(raised.value)) < 300


def test_a_missing_password_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_password(tmp_path / "nothing")


def test_who_else_can_read_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("s3cret")
    said = []
    for mode in (0o600, 0o640, 0o604):
        file.chmod(mode)
        said.append(exposure(file))
    assert said == [None, "its group", "everybody"]
    assert exposure(tmp_path / "nothing") is None


def test_certificate_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "ca.pem")
    with pytest.raises(ValueError, match=r"ca .*ca\.pem: No such file"):
        tls_context(MqttSettings(url="mqtts://b", ca=missing))
    with pytest.raises(ValueError, match=r"cert .*ca\.pem, key .*ca\.pem: No such file"):
        tls_context(MqttSettings(url="mqtts://b", cert=missing, key=missing))
    assert tls_context(MqttSettings(url="mqtts://b")).verify_mode is ssl.CERT_REQUIRED
