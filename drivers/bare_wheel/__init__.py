"""Roulettes and boules with bare sensors, read by mesad's own sensor protocol."""
