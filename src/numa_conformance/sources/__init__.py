"""What Kubernetes says, and since when: pages, statements, rules, options, gates, defaults, quirks. Data only."""
