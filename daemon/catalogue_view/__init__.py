"""The catalogue as people read it: games, differences, house edges, in lines of 80 columns. Pure."""
