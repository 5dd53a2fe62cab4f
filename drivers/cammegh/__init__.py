"""Cammegh roulette wheels; `driver` is where to begin."""
