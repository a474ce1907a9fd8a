"""Buffer pointers and tensors by the names that they have on every AMD GPU."""

from .buffer import get_buffer_rsrc as get_buffer_rsrc
from .buffer import make_buffer_ptr as make_buffer_ptr
from .buffer import make_buffer_tensor as make_buffer_tensor
