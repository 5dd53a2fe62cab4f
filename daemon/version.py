"""The software's version, as status and description messages carry it."""

VERSION = "0.1.0"
"""The same as in the project file, which a test makes sure of; looking it up there costs 20 ms a start."""
