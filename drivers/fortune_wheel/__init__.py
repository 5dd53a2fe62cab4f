"""Fortune wheels read from their bare sensors: encoder, index and pointer."""
