"""The fortune wheel's round at a glance: what each reading or command does in each stage.

A value names a step of `daemon.rounds.fortune_wheel`, or of `daemon.rounds.machine` where all families take
it alike; a dot means that there is nothing to do; what does not stand here is unexpected and noted. What
means the same in every stage stands in `ANY_STAGE`.
"""

_SPINNING = {
    "WheelPushed": "push",
    "WheelTurned": "turned",
    "WheelHindered": "hindered",
    "WheelAtRest": "settle",
    "RestUnread": "unread",
    "StatesMissed": "half_seen",
    "DeviceLost": "half_seen",
    "ChiefVoid": "chief_void",
    "GameStarted": "no_result",
    "WheelClosed": "no_result",
    "Restarted": "interrupted",
}
_NOT_OURS = {
    "WheelTurned": ".",
    "WheelHindered": ".",
    "WheelAtRest": ".",
    "RestUnread": ".",
    "StatesMissed": ".",
}
"""Of a spin whose beginning was not seen, or which is judged already."""

TRANSITIONS: dict[str, dict[str, str]] = {
    "closed": {
        "GameStarted": "open",
        "WheelPushed": "spin",
        "TableOpened": "wait",
        "TableClosed": "shut",
        "Restarted": "wait",
        "WheelClosed": ".",
        **_NOT_OURS,
    },
    "betting": {
        "WheelPushed": "begin",
        "WheelTurned": "half_seen",
        "WheelHindered": ".",
        "WheelAtRest": "settle",
        "RestUnread": "unread",
        "StatesMissed": "half_seen",
        "NoMoreBets": "close_bets",
        "ButtonPressed": "close_bets",
        "ChiefVoid": "void_unspun",
        "GameStarted": ".",
        "WheelClosed": "shut",
        "TableClosed": "shut",
        "DeviceRestarted": ".",
        "Restarted": ".",
    },
    "in_play": {
        **_SPINNING,
        "NoMoreBets": "close_bets",
        "ButtonPressed": "close_bets",
    },
    "no_more_bets": {
        **_SPINNING,
        "NoMoreBets": ".",
    },
    "condemned": {
        "WheelPushed": "push_on",
        "WheelTurned": ".",
        "WheelHindered": ".",
        "WheelAtRest": "settle",
        "RestUnread": "unread",
        "StatesMissed": ".",
        "NoMoreBets": ".",
        "ChiefVoid": "chief_void",
        "GameStarted": "end",
        "WheelClosed": "end",
        "TableClosed": "end",
        "Restarted": "end",
    },
    "over": {
        "GameStarted": "open",
        "WheelPushed": "spin",
        "TableOpened": "wait",
        "TableClosed": "shut",
        "WheelClosed": "shut",
        "Restarted": ".",
        **_NOT_OURS,
    },
}
ANY_STAGE: dict[str, str] = {
    "DeviceLost": ".",
    "DeviceBack": ".",
    "DeviceRestarted": "restart",
    "ButtonPressed": ".",
}
