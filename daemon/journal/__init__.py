"""The durable record of a table: what is in it survives anything."""
