"""`mesad simulate DEVICE`: a virtual device on a pseudo-terminal or a TCP port."""

import argparse
import asyncio
import contextlib
import sys
from pathlib import Path

from daemon.errors import CannotCreateError, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The device and how it behaves."""
    parser.add_argument(
        "device",
        choices=("wheel", "roulette", "boule", "fortune-wheel"),
        help="what to be: a turnkey wheel, or bare sensors",
    )
    parser.add_argument("--model", choices=("slingshot-2", "mercury-360"), default="slingshot-2")
    parser.add_argument("--protocol", choices=("advanced", "extended", "basic"), default="advanced")
    parser.add_argument("--pockets", type=int, choices=(37, 38), default=37)
    parser.add_argument("--encoder", choices=("counts", "edges"), default="counts", help="of bare sensors")
    parser.add_argument(
        "--fault", metavar="NAME[:RATE|@GAME]", help="'mixed' for all of them; a rate is 0 to 0.5"
    )
    parser.add_argument("--list-faults", action="store_true", help="print the faults and end")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same games")
    parser.add_argument("--rounds", type=int, help="end after so many games")
    parser.add_argument("--speed", type=float, default=1.0, help="times real time")
    parser.add_argument("--port", metavar="pty[:LINK]|tcp[:[HOST:]PORT]", help="where to appear; default pty")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="append each game's truth as a JSON line")


def main(args: argparse.Namespace) -> int:
    """The port's path on the first line of standard output; then the games."""
    from simulators import faults, run, sensor_mishaps  # here alone: the daemon's side never needs them

    if args.list_faults:
        if args.device == "fortune-wheel":
            for name, said in run.spin_faults().items():
                print(f"{name:30} {said}")
            return 0
        bare = [sensor_mishaps.MISHAPS[name] for name in sensor_mishaps.possible(args.device)]
        for fault in bare or faults.FAULTS.values():
            print(f"{fault.name:30} {fault.description}")
        return 0
    if args.speed <= 0:
        raise UsageError("--speed must be more than 0")
    if args.rounds is not None and args.rounds < 1:
        raise UsageError("--rounds must be 1 or more")
    playing = run.simulate(
        args.device,
        model=args.model,
        protocol=args.protocol,
        pockets=args.pockets,
        encoder=args.encoder,
        fault=args.fault,
        seed=args.seed,
        rounds=args.rounds,
        speed=args.speed,
        port=args.port,
        truth_path=args.truth,
        on_ready=lambda path: print(path, flush=True),
        on_unopened=lambda path: print(unopened(path), file=sys.stderr, flush=True),
    )
    try:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(playing)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise CannotCreateError(f"cannot simulate there: {error}") from error
    return 0


def unopened(path: str) -> str:
    """What to do where nobody reads the port: the device is switched on when somebody does."""
    return (
        f"mesad: nobody has opened {path} yet, and the device begins to play when somebody does:\n"
        f'  run a table whose file has port = "{path}" (mesad run TABLE.toml); still waiting'
    )
