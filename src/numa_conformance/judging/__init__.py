"""Judging histories: what checkers judge, and the arithmetic that is the judge's own."""
