"""The reference implementation: managers, a node, the scheduler, many nodes, advice, and the reference as a target."""
