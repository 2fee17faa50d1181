"""Reading what strangers wrote: documents, their fields, and objects of a known form."""

from .documents import Document, read_documents, read_text
from .fields import Fields
from .forms import read_form
from .positions import with_position

__all__ = ["Document", "Fields", "read_documents", "read_form", "read_text", "with_position"]
