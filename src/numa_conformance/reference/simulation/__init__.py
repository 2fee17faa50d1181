"""What a node does with pods, as text, data and a picture: what ``simulate`` and ``explain`` answer."""

from .answer import Answer as Answer
from .questions import Explanation as Explanation
from .questions import explain as explain
from .questions import simulate as simulate
