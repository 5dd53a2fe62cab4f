"""A round as a picture for a dispute: what the devices said, what came of it, and the rules' limits."""
