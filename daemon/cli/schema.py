"""`mesad schema`: the MQTT contract as an AsyncAPI document and JSON Schemas."""

import argparse
from pathlib import Path
from typing import Any

import msgspec

from daemon import asyncapi
from daemon.errors import OK, CannotCreateError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--asyncapi", action="store_true", help="the AsyncAPI 3 document (what is printed by default)"
    )
    form.add_argument("--json-schema", action="store_true", help="the JSON Schemas of the payloads, by name")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write files there, one JSON Schema a file, and print nothing"
    )


def main(args: argparse.Namespace) -> int:
    """Print one form, or write the chosen form (both, if none was chosen) as files."""
    if args.out is None:
        print(_text(asyncapi.json_schemas() if args.json_schema else asyncapi.document()))
        return OK
    files: dict[str, Any] = {}
    if not args.json_schema:
        files["asyncapi.json"] = asyncapi.document()
    if not args.asyncapi:
        files |= {f"{name}.schema.json": schema for name, schema in asyncapi.json_schemas().items()}
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (args.out / name).write_text(_text(content) + "\n")
    except OSError as error:
        raise CannotCreateError(f"cannot write the schemas to {args.out}: {error.strerror}") from error
    return OK


def _text(document: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
