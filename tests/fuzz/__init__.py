"""Fuzzing of every reader: ``tox run -e fuzz``; the corpora are read by an ordinary test too."""
