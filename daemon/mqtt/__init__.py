"""The table at the broker: what goes out, in which order, and what comes in."""
