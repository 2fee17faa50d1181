"""Exporters judged: NodeResourceTopology objects held against what the node's kubelet keeps and can still give."""
