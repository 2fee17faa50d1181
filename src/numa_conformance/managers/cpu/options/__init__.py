"""The options of the static policy, one file each."""
