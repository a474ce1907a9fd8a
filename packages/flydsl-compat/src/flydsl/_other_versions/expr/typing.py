"""Names of `flydsl.expr.typing`."""

from __future__ import annotations

from flydsl.base.errors import FrontendError
from flydsl.expr import AddressSpace, is_generic_address_space


def address_space_from_attr(attribute: object) -> AddressSpace:
    """The address space of an attribute, as `tensor.address_space` is one; FrontendError for one of a target's own."""
    found = next((space for space in AddressSpace if is_generic_address_space(attribute, space)), None)
    if found is None:
        known = ", ".join(space.name for space in AddressSpace)
        raise FrontendError(f"address_space_from_attr takes {known}, found {attribute}; compare attributes instead")
    return found
