"""The wheel's round at a glance: what each reading or command does in each stage.

A value names a step of `daemon.rounds.wheel`; a dot means that there is nothing to do; what does not stand
here is unexpected and noted. What means the same in every stage stands in `ANY_STAGE`.
"""

from typing import Literal

Stage = Literal["closed", "betting", "in_play", "no_more_bets", "condemned", "over"]

TRANSITIONS: dict[Stage, dict[str, str]] = {
    "closed": {
        "GameStarted": "open",
        "TableOpened": "wait",
        "TableClosed": "shut",
        "Restarted": "wait",
        "WheelClosed": ".",
        "BallLaunched": ".",
        "BallLeavingRim": ".",
        "LaunchFailed": ".",
        "PocketSettled": ".",
        "PocketUnread": ".",
        "GameAbandoned": ".",
        "StatesMissed": ".",
    },
    "betting": {
        "BallLaunched": "launch",
        "LaunchFailed": "relaunch",
        "BallLeavingRim": "close_bets",
        "NoMoreBets": "close_bets",
        "PocketSettled": "settle",
        "PocketUnread": "unread",
        "StatesMissed": "half_seen",
        "GameStarted": "reopen",
        "ChiefVoid": "chief_void",
        "GameAbandoned": "drop",
        "WheelClosed": "drop",
        "TableClosed": "shut",
        "Restarted": ".",
    },
    "in_play": {
        "BallLeavingRim": "close_bets",
        "NoMoreBets": "close_bets",
        "LaunchFailed": "relaunch",
        "PocketSettled": "settle",
        "PocketUnread": "unread",
        "StatesMissed": "half_seen",
        "DeviceLost": "half_seen",
        "ChiefVoid": "chief_void",
        "GameAbandoned": "no_result",
        "GameStarted": "no_result",
        "WheelClosed": "no_result",
        "Restarted": "interrupted",
    },
    "no_more_bets": {
        "BallLaunched": "launch",
        "BallLeavingRim": ".",
        "NoMoreBets": ".",
        "WaitingForDealer": "dealer",
        "LaunchFailed": "defective",
        "PocketSettled": "settle",
        "PocketUnread": "unread",
        "StatesMissed": "half_seen",
        "DeviceLost": "half_seen",
        "ChiefVoid": "chief_void",
        "GameAbandoned": "no_result",
        "GameStarted": "no_result",
        "WheelClosed": "no_result",
        "Restarted": "interrupted",
    },
    "condemned": {
        "BallLaunched": "throw_again",
        "LaunchFailed": "throw_again",
        "BallLeavingRim": ".",
        "NoMoreBets": ".",
        "PocketSettled": "settle",
        "PocketUnread": "unread",
        "StatesMissed": ".",
        "ChiefVoid": "chief_void",
        "GameAbandoned": "end",
        "GameStarted": "end",
        "WheelClosed": "end",
        "TableClosed": "end",
        "Restarted": "end",
    },
    "over": {
        "GameStarted": "open",
        "BallLaunched": "throw_again",
        "LaunchFailed": "throw_again",
        "StatesMissed": "wait",
        "WheelClosed": "shut",
        "TableClosed": "shut",
        "TableOpened": "wait",
        "Restarted": ".",
        "BallLeavingRim": ".",
        "PocketSettled": ".",
        "PocketUnread": ".",
        "GameAbandoned": ".",
    },
}
ANY_STAGE: dict[str, str] = {
    "DeviceLost": "deafen",
    "DeviceRestarted": "restart",
    "BallWithRotor": "evidence",
    "BallMissing": "evidence",
    "VoidSignalled": "evidence",
    "RotorSpeedOutOfRange": "evidence",
    "BallLap": "evidence",
    "WaitingForDealer": ".",
    "DeviceBack": ".",
}

LEADS_TO: dict[str, tuple[Stage, ...]] = {
    "open": ("betting",),
    "reopen": ("betting",),
    "wait": ("closed",),
    "shut": ("closed",),
    "drop": ("closed",),
    "restart": ("closed",),
    "launch": ("in_play", "no_more_bets"),
    "relaunch": ("betting",),
    "defective": ("betting",),
    "throw_again": ("betting", "in_play", "condemned"),
    "close_bets": ("no_more_bets",),
    "settle": ("over",),
    "unread": ("over",),
    "interrupted": ("over",),
    "no_result": ("over", "betting", "closed"),
    "end": ("over", "betting", "closed"),
    "half_seen": ("condemned",),
    "chief_void": ("condemned",),
    "evidence": ("condemned",),
}
"""Where each step can lead. A step that stays where it is (`dealer`, `deafen`, evidence that voids nothing)
is not drawn."""


def diagram() -> str:
    """The table as a Mermaid state diagram, an edge for each pair of stages with what leads along it."""
    edges: dict[tuple[str, str], list[str]] = {}
    for stage, row in TRANSITIONS.items():
        for event, step in {**ANY_STAGE, **row}.items():
            if event in ANY_STAGE and stage in ("closed", "over") and step == "evidence":
                continue
            for target in LEADS_TO.get(step, ()):
                if target != stage or step != "evidence":
                    edges.setdefault((stage, target), []).append(event)
    lines = ["stateDiagram-v2", "    [*] --> closed"]
    lines += [f"    {a} --> {b}: {', '.join(sorted(events))}" for (a, b), events in sorted(edges.items())]
    return "\n".join(lines) + "\n"
