"""Generators: what to ask, as values that can be made, mixed and tested without a target."""
