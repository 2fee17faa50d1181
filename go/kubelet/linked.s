// Functions without a body, as those of linked_*.go are, compile only beside an assembly file.
