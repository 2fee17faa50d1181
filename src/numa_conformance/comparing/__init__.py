"""Two targets, or a target and the reference, answer by answer."""
