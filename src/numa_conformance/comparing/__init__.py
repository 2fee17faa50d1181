"""Two targets, or a target and the reference, answer by answer; recorded decisions, asked again."""
