"""How strong the suite is: the reference changed at random, one place at a time, and the suite asked each time."""
