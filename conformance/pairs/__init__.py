"""For each judge of a sentence a case that it condemns, and one that it passes."""
