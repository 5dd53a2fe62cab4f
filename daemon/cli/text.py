"""Text of others - requests, devices, brokers - as a terminal may be given it."""


def one_line(text: str) -> str:
    """The text with `?` for all that ends a line, moves the cursor or turns the direction of writing.

    So nobody's name or reason can pass for a line of mesad's own.
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text)
