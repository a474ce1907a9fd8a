"""The registry of argument types: what may be registered, and what traced functions see."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.kinds import bind
from flydsl.compiler.call.registry import JitArgumentRegistry, is_jit_argument
from flydsl.frontend.signature import Parameter


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    monkeypatch.setattr(JitArgumentRegistry, "registry", {})
    monkeypatch.setattr(JitArgumentRegistry, "jit_arg2dsl_type", {})


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees


def test_a_registered_type_is_passed_as_what_its_callable_makes():
    @JitArgumentRegistry.register(Celsius, dsl_type=fx.Float32)
    def degrees(value):
        return fx.Float32(value.degrees)

    argument = bind(Parameter("t", "any"), Celsius(20.5), frozenset())
    assert argument.spec.text() == "Float32"
    assert argument.convert is degrees
    assert float(argument.passed.value) == 20.5


def test_a_callable_that_makes_another_registered_type_is_refused():
    JitArgumentRegistry.register(Celsius, dsl_type=fx.Float32)(lambda value: value)
    with pytest.raises(ArgumentError, match="the JIT argument of a Celsius is a Celsius, which is registered itself"):
        bind(Parameter("t", "any"), Celsius(1), frozenset())


def test_a_compile_time_value_of_a_registered_type_is_itself():
    JitArgumentRegistry.register(Celsius, dsl_type=fx.Float32)(lambda value: 1.0)
    value = Celsius(1)
    assert bind(Parameter("t", "constexpr"), value, frozenset()).passed is value


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda: JitArgumentRegistry.register(5), "register takes a Python type, found 5"),
        (lambda: JitArgumentRegistry.register(Celsius)(lambda value: 1.0), "made by a class, or by a function with"),
        (lambda: JitArgumentRegistry.register_jit_arg(Celsius, 5), "register_jit_arg takes two classes"),
        (lambda: JitArgumentRegistry.get_dsl_type(Celsius), "no type of the language is known for a Celsius"),
    ],
)
def test_what_cannot_be_registered_is_refused(register, message):
    with pytest.raises(ArgumentError, match=message):
        register()


def test_an_object_with_the_three_methods_is_an_argument():
    assert not is_jit_argument(Celsius(1))
    methods = dict.fromkeys(("__get_ir_types__", "__cache_signature__", "__c_abi_spec__"))
    assert is_jit_argument(type("Said", (), methods)())
