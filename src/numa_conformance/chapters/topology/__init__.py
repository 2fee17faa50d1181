"""The page Control Topology Management Policies on a node: policies, scopes, merged hints, options, admission."""
