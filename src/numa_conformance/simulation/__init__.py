"""What a node does with pods, as text, data and a picture: what ``simulate`` and ``explain`` answer."""
