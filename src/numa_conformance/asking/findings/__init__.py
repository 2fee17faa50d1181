"""What is told of a requirement that is not met: finding, picture, words."""
