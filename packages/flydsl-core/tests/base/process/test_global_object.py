"""Copies and pickles of objects that variables of modules hold."""

from __future__ import annotations

import copy
import pickle

import pytest

from flydsl.base.process.global_object import GlobalObject


class Named(GlobalObject):
    def __init__(self, name: str) -> None:
        self.__qualname__ = name

    def __repr__(self) -> str:
        return f"<named {self.__qualname__}>"


top, other = Named("top"), Named("top")


class Holder:
    inner = Named("Holder.inner")


def test_copies_are_the_object():
    held = {"one": top, "both": [top, Named("local")]}
    copied = copy.deepcopy(held)
    assert copy.copy(top) is top
    assert copied["one"] is top
    assert copied["both"][1] is held["both"][1]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("thing", [top, Holder.inner, other], ids=["qualified name", "attribute", "another name"])
def test_pickle_finds_the_object_by_its_name(thing: Named, protocol: int):
    assert pickle.loads(pickle.dumps(thing, protocol)) is thing


def test_what_no_name_leads_to_cannot_be_pickled():
    with pytest.raises(pickle.PicklingError, match=r"<named local> cannot be pickled: no variable of a module leads"):
        pickle.dumps(Named("local"))
