"""Trackers: what edges and counts of bare sensors say about a wheel and its ball. Pure, a file a question."""
