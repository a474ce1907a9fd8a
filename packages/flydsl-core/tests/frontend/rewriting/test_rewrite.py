"""Rewritten functions behave like the originals on static values, and emit scf on dynamic ones."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.frontend.rewriting.rewrite import rewrite


def every_construct(a, b, items=(1, 2, 3), *, scale=2):
    total, TEST, BODY = 0, a, b
    if a > b and not (b < 0):
        TEST = a - b
    elif a == b or b < 0:
        TEST = 0
        if scale > 1:
            BODY = -1
    else:
        BODY = BODY + 1
    for i in items:
        if i == 2:
            continue
        if i > 5:
            break
        total += i * scale
    while total > 3:
        total = total // 2
        if total == 5:
            continue
        TEST += 1
    chosen = TEST if 0 <= total < 3 else BODY
    pairs = [(x, y) for x in items for y in items if x < y and y != scale]
    (first, *rest), last = items, items[-1]
    if (n := len(pairs)) > 1:
        chosen += n

    def inner(value, by=scale):
        if value > 2:
            return value * by
        return value + last

    table = {"first": inner(first), "rest": [inner(r) for r in rest]}
    with_lambda = (lambda value: value > 1 and value < 5)(total)
    return total, TEST, BODY, chosen, pairs, table, with_lambda


@pytest.mark.parametrize("a, b", [(1, 2), (2, 1), (3, 3), (5, -1), (0, 0)])
@pytest.mark.parametrize("items", [(1, 2, 3), (2, 9, 4, 7), (4,)])
def test_static_values_give_what_python_gives(a, b, items):
    assert rewrite(every_construct)(a, b, items) == every_construct(a, b, items)
    assert rewrite(every_construct)(a, b, scale=3) == every_construct(a, b, scale=3)


def returns_early(x):
    if x > 3:
        return x * 2
    elif x > 2:
        if x == 3:
            return 100
        else:
            return 200
    y = x + 1
    if y < 0:
        return y
    return y * 10


def test_a_value_returned_under_a_dynamic_condition_is_joined(emitted):
    for value in (-5, 1, 3, 4):
        assert rewrite(returns_early)(value) == returns_early(value)
    run = emitted(rewrite(returns_early), fx.Int32)
    assert run.result.dtype is fx.Int32
    assert run.names.count("scf.if") == 4


def returns_nothing(x, out):
    if x > 3:
        return
    out.append(x)


def test_an_early_return_without_a_value_skips_the_rest():
    out = []
    for value in (1, 5, 2):
        rewrite(returns_nothing)(value, out)
    assert out == [1, 2]


def test_paths_that_return_other_things_are_an_error(emitted):
    def mixed(x):
        if x > 3:
            return x

    with pytest.raises(FrontendError, match="the returned value is a dynamic Int32 on one path and None on the other"):
        emitted(rewrite(mixed), fx.Int32)


def carries(x):
    state = SimpleNamespace(total=0, limit=10, name="s")
    pair, table = (x, 1.0), {"a": [0, 1], "b": x}
    for i in range(x):
        state.total = state.total + i
        table["a"][1] += 2
        if i > state.limit:
            continue
        pair = (pair[0] + 1, pair[1] * 2.0)
    return state, pair, table


def test_trees_are_carried_and_what_a_loop_leaves_alone_stays_static(emitted):
    run = emitted(rewrite(carries), fx.Int32)
    state, pair, table = run.result
    assert (state.limit, state.name, table["a"][0]) == (10, "s", 0)
    assert [v.dtype for v in (state.total, *pair, table["a"][1])] == [fx.Int32, fx.Int32, fx.Float32, fx.Int32]
    loops = [op for op in run.ops if '"scf.for"' in op]
    assert len(loops) == 1
    assert run.names.count("scf.if") == 1


def test_items_of_containers_change_in_place_on_both_paths(emitted):
    def branch(x):
        items = [0, 1, 2]
        alias = items
        if x > 0:
            items[1] = x
        else:
            items[2] = 5.0
        return alias

    run = emitted(rewrite(branch), fx.Int32)
    assert run.result[0] == 0
    assert [run.result[1].dtype, run.result[2].dtype] == [fx.Int32, fx.Float32]


def test_a_container_that_grows_under_a_dynamic_condition_is_an_error(emitted):
    def grows(x):
        items = []
        if x > 0:
            items.append(x)
        return items

    with pytest.raises(FrontendError, match="variable 'items' holds 0 values before .* and 1 in it"):
        emitted(rewrite(grows), fx.Int32)


def test_loops_widen_what_they_carry(emitted):
    def widens(x):
        total = 0
        for _ in range(x):
            total = total + 0.5
        while total > 1.0:
            total = total / fx.Float64(2.0)
        return total

    assert emitted(rewrite(widens), fx.Int32).result.dtype is fx.Float64


def test_the_typed_range_carries_a_state(emitted):
    def carries(x):
        for i, state in fx.range(x, init=[0]):
            total = yield [state[0] + i]
        return total

    run = emitted(rewrite(carries), fx.Int32)
    assert run.names.count("scf.for") == 1
    assert run.result.dtype is fx.Int32


def test_a_dynamic_continue_skips_the_rest_of_a_turn(emitted):
    def skips(x):
        total = 0
        for i in range(x):
            if i % 2 == 0:
                continue
            total += i
        return total

    run = emitted(rewrite(skips), fx.Int32)
    assert ("scf.for" in run.names, "scf.if" in run.names) == (True, True)


def test_a_dynamic_break_makes_a_loop_that_ends(emitted):
    def for_(x):
        total = 0
        for i in range(4):
            if x > i:
                break
            total += i
        return total

    def while_(x):
        while x > 0:
            if x % 7 == 3:
                break
            x = x - 1
        return x

    for function in (for_, while_):
        assert emitted(rewrite(function), fx.Int32).names.count("scf.while") == 1


def test_a_break_of_a_loop_that_python_runs_guards_what_is_left(emitted):
    def unrolled(x):
        for i in (1, 2, 3):
            if i == 3 or x > i:
                break
            x = x + i
        else:
            x = -x
        return x

    run = emitted(rewrite(unrolled), fx.Int32)
    assert "scf.while" not in run.names
    assert [rewrite(unrolled)(value) for value in (0, 1, 5)] == [unrolled(value) for value in (0, 1, 5)]


@pytest.mark.parametrize(
    "body, message",
    [
        ("try:\n  pass\n finally:\n  return 1", "an exit from finally cannot be traced"),
        ("global x", "global statement"),
        ("yield 1", "yield cannot be traced"),
        ("match a:\n  case 1: pass", "match cannot be traced; use if and elif"),
        ("while (n := a) > 1:\n  pass\n else:\n  pass", "while with := and else"),
        ("for i in range(3, step=1): pass", "keywords init and unroll, found 'step'"),
        ("for i in range(3, init=a): pass", "gives the index and the state"),
        ("for i, s in range(3, init=a): pass", "ends with `yield`"),
        ("for i in fx.range(3, init=a): pass", "gives the index and the state"),
        ("for i, s in fx.range(3, init=a): pass", "ends with `yield`"),
    ],
)
def test_what_cannot_be_traced_is_refused_with_its_line(load, body, message):
    module = load(f"def function(a):\n {body}\n")
    with pytest.raises(UnsupportedConstructError, match=message) as error:
        rewrite(module.function)
    assert error.value.location.line >= 2
    assert "^" in str(error.value)


def test_a_name_without_a_value_on_one_path_fails_where_it_is_used(emitted):
    def one_path(x):
        if x > 0:
            value = 1
        return value + 1

    with pytest.raises(FrontendError, match="variable 'value' has no value on some path"):
        emitted(rewrite(one_path), fx.Int32)

    def loop_variable(x):
        for i in range(x):  # noqa: B007
            pass
        return i + 1

    with pytest.raises(FrontendError, match="variable 'i' has no value"):
        emitted(rewrite(loop_variable), fx.Int32)


def test_an_undefined_global_is_a_name_error():
    def reads():
        return undefined_name + 1  # noqa: F821

    with pytest.raises(NameError, match="undefined_name"):
        rewrite(reads)()


class Owner:
    __secret = 7

    def method(self, x, by=2):
        if x > 1:
            return self.__secret * by
        return by


def test_methods_keep_private_names_and_defaults():
    assert rewrite(Owner.method)(Owner(), 5) == 14
    assert rewrite(Owner.method)(Owner(), 0, by=3) == 3


def test_closures_are_shared_not_copied():
    factor = 2

    def reads(x):
        return x * factor if x > 0 else 0

    made = rewrite(reads)
    factor = 5
    assert made(3) == 15


def test_what_was_rewritten_can_be_shown(monkeypatch, capsys):
    monkeypatch.setenv("FLYDSL_DEBUG_AST_DIFF", "1")
    rewrite(returns_early)
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("+") and "__flydsl__.if_return(" in line for line in lines)
    assert any(line.startswith("-    if ") for line in lines)


def test_and_or_not_and_chains_short_circuit(emitted):
    def logic(x, flag):
        a = (x > 1 and x < 5) or not x >= 3
        b = flag and x > 2
        c = 0 < x < 10 <= 20
        return a, b, c

    run = emitted(lambda x: rewrite(logic)(x, False), fx.Int32)
    a, b, c = run.result
    assert (a.dtype, b, c.dtype) == (fx.Boolean, False, fx.Boolean)
    assert rewrite(logic)(3, "") == logic(3, "")


def count_leaves(value):
    return sum(count_leaves(part) for part in value) if isinstance(value, tuple) else 1


def test_a_global_function_may_call_itself():
    assert rewrite(count_leaves)((1, (2, 3), ())) == 3
