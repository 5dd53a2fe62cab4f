"""What a technician does about a fault of bare sensors, by its code; `docs/operating.md` tells more."""

_REMEDIES = {
    "not_calibrated": "run `mesad calibrate` with this table's file",
    "calibration_foreign": "run `mesad calibrate` with this device, or plug in that of the calibration",
    "calibration_old": "run `mesad calibrate` again, as sensors were moved",
    "encoder_counts": "set `counts` in the table file to what the encoder has, or change the encoder",
    "channels_missing": "connect the sensors that are named, or plug in the device of this wheel",
    "faults_flap": "look for a loose contact: `mesad status` says later which faults stand",
    "sensor_faults_too_many": "change the device",
    "sensor_supply": "look at the device's supply and its cable",
    "sensor_memory": "load the device's firmware again, or change the device",
    "sensor_clock": "change the device: its clock is at fault",
    "sensor_edges_lost": "look for a sensor that picks up noise; the line may be too slow for the encoder",
    "sensor_encoder": "look at the encoder's two channels and their cable",
    "sensor_fault": "see the manual of the device's maker",
    "sensor": "look at the sensor that is named, its cable and its place",
    "self_test": "look at the sensor that is named, its cable and its place",
    "edges_lost": "look for a sensor that picks up noise; the line may be too slow for the encoder",
    "clock": "look at the device's power and oscillator",
    "device_restarts": "look at the device's supply and cable, and for a second device on its line",
    "index_silent": "look at the index sensor, its mark and its cable",
    "pocket_silent": "look at the pocket sensor, its cable and its height over the pockets",
    "rim": "look at the rim sensor that is named and its cable",
    "encoder_slip": "tighten the encoder's coupling, look at the index and its mark",
    "encoder_invalid": "look at the encoder's two channels and their cable",
    "lid_flutters": "look at the lid's switch and its cable",
    "button_flutters": "look at the button and its cable",
}


def remedy_of(code: str) -> str:
    """The remedy of the code, or of its longest beginning up to an underscore."""
    while code not in _REMEDIES and "_" in code:
        code = code.rpartition("_")[0]
    return _REMEDIES.get(code, "see the device's manual")
