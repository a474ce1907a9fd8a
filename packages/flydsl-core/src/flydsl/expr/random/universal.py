"""Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"), and distributions of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from flydsl.base.errors import FrontendError
from flydsl.expr import math
from flydsl.expr.numbers.operands import integer_operand
from flydsl.expr.numbers.promotion import known_integer
from flydsl.expr.numeric import Float32, Int32, Int64, Numeric, Uint32, Uint64, Uint128

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

__all__ = [
    "pair_uniform_to_normal",
    "philox",
    "philox_impl",
    "rand",
    "rand4x",
    "randint",
    "randint4x",
    "randn",
    "randn4x",
    "uint_to_uniform_float",
]

Words: TypeAlias = tuple[Numeric, Numeric, Numeric, Numeric]
Floats: TypeAlias = tuple[Float32, Float32, Float32, Float32]
_ROUNDS = 10
_TWO_PI = 6.2831854820251465  # as a float32


class _Form(NamedTuple):
    """A width of Philox: its words and products, multipliers, steps of the key, and the words of (-1, 1) as floats."""

    word: type[Numeric]
    signed: type[Numeric]
    product: type[Numeric]
    multipliers: tuple[int, int]
    steps: tuple[int, int]
    scale: float


_FORMS = {
    32: _Form(
        *(Uint32, Int32, Uint64),
        (0xD2511F53, 0xCD9E8D57),
        (0x9E3779B9, 0xBB67AE85),
        float.fromhex("0x1.fffffep-32"),
    ),
    64: _Form(
        *(Uint64, Int64, Uint128),
        (0xD2E7470EE14C6C93, 0xCA5A826395121157),
        (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B),
        float.fromhex("0x1.fffffcp-64"),
    ),
}


def randint4x(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Words:
    """Four Uint32, uniform over all their values; of an offset of 64 bits all count."""
    place = _integer("randint4x", offset)
    high = Uint32(Uint64(place) >> 32) if place.width > 32 else Uint32(0)
    return philox(seed, Uint32(place), high, Uint32(0), Uint32(0), n_rounds)


def randint(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Numeric:
    """A Uint32, uniform over all its values: the first of `randint4x`."""
    return randint4x(seed, offset, n_rounds)[0]


def rand4x(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Floats:
    """Four Float32, uniform over [0, 1)."""
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return (
        uint_to_uniform_float(a),
        uint_to_uniform_float(b),
        uint_to_uniform_float(c),
        uint_to_uniform_float(d),
    )


def rand(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Float32:
    """A Float32, uniform over [0, 1): the first of `rand4x`."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def randn4x(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Floats:
    """Four Float32 of the normal distribution of mean 0 and variance 1 (Box and Muller)."""
    a, b, c, d = rand4x(seed, offset, n_rounds)
    return *pair_uniform_to_normal(a, b), *pair_uniform_to_normal(c, d)


def randn(seed: IntLike, offset: IntLike, n_rounds: int = _ROUNDS) -> Float32:
    """A Float32 of the normal distribution of mean 0 and variance 1: the first of `randn4x`."""
    a, b, _, _ = rand4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(a, b)[0]


def philox(seed: IntLike, c0: IntLike, c1: IntLike, c2: IntLike, c3: IntLike, n_rounds: int = _ROUNDS) -> Words:
    """Four words as wide as the counter `c0`, 32 or 64 bits, from a seed of 64 bits and four words of a counter."""
    key, width = Uint64(_integer("philox", seed)), _integer("philox", c0).width
    if width == 64:
        return philox_impl(c0, c1, c2, c3, key, Uint64(0), n_rounds)
    return philox_impl(c0, c1, c2, c3, Uint32(key), Uint32(key >> 32), n_rounds)


def philox_impl(
    c0: IntLike, c1: IntLike, c2: IntLike, c3: IntLike, k0: IntLike, k1: IntLike, n_rounds: int = _ROUNDS
) -> Words:
    """The rounds of Philox on a counter and a key of words of 32 or 64 bits; NotImplementedError for another width."""
    form = _form("philox_impl", _integer("philox_impl", c0))
    n_rounds = known_integer(n_rounds)
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, int) or n_rounds < 1:
        raise FrontendError(f"n_rounds is a number of rounds known while tracing, from 1, found {n_rounds!r}")
    word = form.word
    w0, w1, w2, w3, key0, key1 = (word(_integer("philox_impl", value)) for value in (c0, c1, c2, c3, k0, k1))
    for _ in range(n_rounds):
        low0, high0 = _product(form, w0, form.multipliers[0])
        low1, high1 = _product(form, w2, form.multipliers[1])
        w0, w1, w2, w3 = high1 ^ w1 ^ key0, low1, high0 ^ w3 ^ key1, low0
        key0, key1 = key0 + word(form.steps[0]), key1 + word(form.steps[1])
    return w0, w1, w2, w3


def uint_to_uniform_float(x: IntLike) -> Float32:
    """A word of 32 or 64 random bits as a Float32, uniform over [0, 1)."""
    bits = _integer("uint_to_uniform_float", x)
    form = _form("uint_to_uniform_float", bits)
    signed = form.signed(bits)
    distance = (signed < 0).select(-signed - form.signed(1), signed)
    return Float32(distance) * Float32(form.scale)


def pair_uniform_to_normal(u1: Float32, u2: Float32) -> tuple[Float32, Float32]:
    """Two Float32 of the normal distribution of mean 0 and variance 1 from two uniform over [0, 1)."""
    from flydsl.expr.arith import max

    radius = math.sqrt(math.log(max(Float32(u1), Float32(1e-7))) * Float32(-2.0))
    angle = Float32(u2) * Float32(_TWO_PI)
    return radius * math.cos(angle), radius * math.sin(angle)


def _product(form: _Form, word: Numeric, multiplier: int) -> tuple[Numeric, Numeric]:
    """The low and the high word of a product."""
    product = form.product(word) * form.product(multiplier)
    return form.word(product), form.word(product >> form.product(form.word.width))


def _integer(name: str, value: IntLike) -> Numeric:
    operand: Numeric = integer_operand(name, value)
    if operand.shape is not None:
        raise FrontendError(f"{name} takes scalars, found {operand!r}; call it for each element")
    return operand


def _form(name: str, word: Numeric) -> _Form:
    if word.width not in _FORMS:
        raise NotImplementedError(f"{name} has words of 32 and 64 bits, found {word!r}")
    return _FORMS[word.width]
