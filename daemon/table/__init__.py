"""One table: its inputs, its rounds and records, its commands, and what it shows."""
