"""Operators made of kernels: torch's own checks, gradients, batches, and what is wrong with them."""

import itertools

import pytest
import torch
from support.kernels import scale

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch
from flydsl.base.errors import ArgumentError, RuntimeFailure

_numbers = itertools.count()


def name():
    """A name that no operator has."""
    return f"flydsl_tests::op{next(_numbers)}"


@flyc.kernel
def square_kernel(x: fx.Tensor, y: fx.Tensor, f: fx.Float64):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < x.shape[0]:
        y[i] = x[i] * x[i] * f


@flyc.jit
def square(x: fx.Tensor, y: fx.Tensor, f: fx.Float64 = 1.0, stream: fx.Stream = fx.Stream(None)):
    square_kernel(x, y, f).launch(grid=(x.shape[0] + 31) // 32, block=32, stream=stream)


@flyc.kernel
def product_kernel(a: fx.Tensor, b: fx.Tensor, f: fx.Float64, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = a[i] * b[i] * f
    z[i] = a[i] + b[i]


@flyc.jit
def product(a: fx.Tensor, b: fx.Tensor, f: fx.Float64, y: fx.Tensor, z: fx.Tensor):
    product_kernel(a, b, f, y, z).launch(grid=1, block=a.shape[0])


def make_square():
    """f * x * x with derivatives of any order: the derivative of a product is made of products."""
    times = flydsl.torch.op(name(), out=lambda a, b, f: (torch.empty_like(a), torch.empty_like(a)))(product)
    op = flydsl.torch.op(name(), out=lambda x, f=1.0: torch.empty_like(x))(square)

    def save(ctx, inputs, output):
        x, ctx.f = inputs
        ctx.save_for_backward(x)

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return times(g.contiguous(), x, 2 * ctx.f)[0], None

    def save_both(ctx, inputs, output):
        *both, ctx.f = inputs
        ctx.save_for_backward(*both)
        ctx.mark_non_differentiable(output[1])

    def backward_of_times(ctx, g, _):
        a, b = ctx.saved_tensors
        return times(g.contiguous(), b, ctx.f)[0], times(g.contiguous(), a, ctx.f)[0], None

    op.register_backward(backward, setup_context=save)
    times.register_backward(backward_of_times, setup_context=save_both)
    return op, times


def doubles(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def overload(op):
    namespace, _, short = op.name.partition("::")
    return getattr(getattr(torch.ops, namespace), short).default


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf:UserWarning")  # a check reads it
def test_torchs_own_checks_pass():
    op, times = make_square()
    x, recorded = doubles(7), doubles(7).requires_grad_()
    for operator, args in ((op, (x, 2.0)), (op, (recorded,)), (times, (x, recorded, 3.0)), (times, (x, x, 0.5))):
        found = torch.library.opcheck(overload(operator), args)
        assert set(found.values()) == {"SUCCESS"}
        assert len(found) == 4


def test_gradients_equal_finite_differences_to_the_second_order():
    op, times = make_square()
    x, y = doubles(5).requires_grad_(), doubles(5).requires_grad_()
    assert torch.autograd.gradcheck(lambda v: op(v, 3.0), (x,))
    assert torch.autograd.gradgradcheck(lambda v: op(v, 3.0), (x,))
    assert torch.autograd.gradcheck(lambda a, b: times(a, b, 2.0)[0], (x, y))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
@pytest.mark.filterwarnings("ignore:.*torch.jit.script_method.*:DeprecationWarning")
def test_compiled_gradients_equal_eager_ones(backend):
    op, _ = make_square()
    run = torch.compile(lambda v, f: op(v.sin(), f).sum(), backend=backend, fullgraph=True, dynamic=True)
    for length in (5, 33):
        x = doubles(length).requires_grad_()
        run(x, 1.5).backward()
        torch.testing.assert_close(x.grad, 2 * 1.5 * x.detach().sin() * x.detach().cos())


def test_a_batch_is_mapped_or_ruled():
    op, times = make_square()
    x, y = doubles(3, 6), doubles(6)
    torch.testing.assert_close(torch.vmap(lambda v: op(v, 2.0))(x), x * x * 2)
    torch.testing.assert_close(torch.vmap(lambda v: op(v), in_dims=1, out_dims=1)(x), x * x)
    a, b = torch.vmap(lambda v: times(v, y, 2.0))(x)
    torch.testing.assert_close((a, b), (x * y * 2, x + y))
    assert torch.vmap(lambda v: op(v))(x[:0]).shape == (0, 6)
    batches = []

    @op.register_vmap
    def rule(info, in_dims, v, f):
        batches.append(info.batch_size)
        return op(v.movedim(in_dims[0], 0).reshape(-1), f).reshape(info.batch_size, -1), 0

    torch.testing.assert_close(torch.vmap(lambda v: op(v, 2.0))(x), x * x * 2)
    assert batches == [3]


def test_functional_transforms_are_refused():
    op, _ = make_square()
    with pytest.raises(RuntimeError, match="setup_context"):
        torch.func.grad(lambda v: op(v, 1.0).sum())(doubles(3))


def test_inference_mode_and_module_parameters():
    op, _ = make_square()
    with torch.inference_mode():
        x = doubles(4)
        torch.testing.assert_close(op(x), x * x)
    weight = torch.nn.Parameter(doubles(4))
    op(weight).sum().backward()
    torch.testing.assert_close(weight.grad, 2 * weight.detach())


def test_without_a_backward_a_gradient_is_an_error():
    op = flydsl.torch.op(name(), out=lambda x: torch.empty_like(x))(square)
    loss = op(doubles(3).requires_grad_()).sum()
    with pytest.raises(RuntimeFailure, match=f"operator '{op.name}' has no backward.*register_backward"):
        loss.backward()


def test_a_second_derivative_through_bare_kernels_is_an_error():
    op, _ = make_square()

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        out, rest = torch.empty_like(x), torch.empty_like(x)
        product(g.contiguous(), x.detach(), 2.0, out, rest)
        return out, None

    op.register_backward(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]))
    x = doubles(3).requires_grad_()
    torch.testing.assert_close(torch.autograd.grad(op(x).sum(), x)[0], 2 * x.detach())
    with pytest.raises(RuntimeFailure, match="calls kernels that autograd cannot see"):
        torch.autograd.grad(op(x).sum(), x, create_graph=True)


def test_an_output_that_is_not_written_and_an_input_that_is_are_errors():
    @flydsl.torch.op(name(), out=lambda x: (torch.empty_like(x), torch.empty_like(x)))
    def one_of_two(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
        square(x, y)

    with pytest.raises(RuntimeFailure, match=r"no kernel of operator .* writes its output 'z'"):
        one_of_two(doubles(3))

    @flydsl.torch.op(name(), out=lambda x: torch.empty_like(x))
    def in_place(x: torch.Tensor, y: torch.Tensor) -> None:
        square(x, y)
        square(y, x)

    with pytest.raises(RuntimeFailure, match=r"writes its input 'x'"):
        in_place(doubles(3))


def test_wrong_declarations_are_refused():
    with pytest.raises(ArgumentError, match="an operator has a name such as 'mylib::rmsnorm', found 'square'"):
        flydsl.torch.op("square", out=torch.empty_like)(square)
    with pytest.raises(ArgumentError, match=r"out= takes 'z', which the function does not have; .* x, y, f, stream"):
        flydsl.torch.op(name(), out=lambda z: torch.empty_like(z))(square)
    with pytest.raises(ArgumentError, match="has no output"):
        flydsl.torch.op(name(), out=lambda x, y: torch.empty_like(x))(square)
    with pytest.raises(ArgumentError, match="'x' is annotated with"):
        flydsl.torch.op(name(), out=lambda x: torch.empty_like(x))(lambda x, y: None)
    made = flydsl.torch.op(name(), out=lambda x: torch.empty_like(x))(square)
    with pytest.raises(ArgumentError, match="is registered already"):
        flydsl.torch.op(made.name, out=lambda x: torch.empty_like(x))(square)
    few = flydsl.torch.op(name(), out=lambda x: [])(square)
    with pytest.raises(ArgumentError, match="out= of operator .* returns 1 new tensors, found 0 of types"):
        few(doubles(3))


def test_a_lazily_negated_tensor_is_resolved_by_torch():
    op = flydsl.torch.op(name(), out=lambda x: torch.empty_like(x))(product_with_itself)
    lazy = torch.view_as_complex(doubles(3, 2)).conj().imag
    assert lazy.is_neg()
    torch.testing.assert_close(op(lazy), lazy + lazy)


def product_with_itself(x: torch.Tensor, y: torch.Tensor) -> None:
    """Both launches write what is not a lazy view."""
    product(x, x, 1.0, torch.empty_like(x), y)


def define_optional():
    @flydsl.torch.op("operators::optional", out=lambda x, other=None, dtype=None: torch.empty_like(x, dtype=dtype))
    def optional(
        x: torch.Tensor, other: torch.Tensor | None, y: torch.Tensor, dtype: torch.dtype | None = None
    ) -> None:
        scale(x if other is None else x + other, y, 3.0, x.numel())

    return optional


@flydsl.torch.op("operators::listed", out=lambda tensors, factors: torch.empty_like(tensors[0]))
def listed(tensors: list[torch.Tensor], factors: list[int], y: torch.Tensor) -> None:
    scale(tensors[0] + tensors[1], y, float(factors[0]), y.numel())


listed.register_backward(
    lambda ctx, g: ([g * ctx.factor] * 2, None),
    setup_context=lambda ctx, inputs, output: setattr(ctx, "factor", inputs[1][0]),
)


def test_an_argument_can_be_optional_and_an_operator_be_defined_again():
    """As the cell of a notebook is, run twice; another function does not take the name."""
    define_optional()
    optional = define_optional()
    optional.register_backward(
        lambda ctx, g: (g * 3, g * 3 if ctx.has_other else None, None),
        setup_context=lambda ctx, inputs, output: setattr(ctx, "has_other", inputs[1] is not None),
    )
    x = torch.randn(5, requires_grad=True)
    for other in (None, torch.randn(5)):
        expected = (x if other is None else x + other) * 3
        for function in (optional, torch.compile(lambda x, y: optional(x, y), fullgraph=True, backend="aot_eager")):
            torch.testing.assert_close(function(x, other), expected)
            torch.testing.assert_close(torch.autograd.grad(function(x, other).sum(), x)[0], torch.full((5,), 3.0))
        torch.library.opcheck(torch.ops.operators.optional.default, (x.detach(), other, torch.float32))
    torch.testing.assert_close(torch.vmap(lambda v: optional(v, None))(torch.ones(2, 3)), torch.full((2, 3), 3.0))
    with pytest.raises(ArgumentError, match="registered already"):
        flydsl.torch.op("operators::optional", out=lambda x: torch.empty_like(x))(scale)


def test_an_argument_can_be_a_list():
    x, other = torch.randn(5, requires_grad=True), torch.randn(5)
    for function in (listed, torch.compile(lambda xs, n: listed(xs, n), fullgraph=True, backend="aot_eager")):
        result = function([x, other], [2])
        torch.testing.assert_close(result, (x + other) * 2)
        torch.testing.assert_close(torch.autograd.grad(result.sum(), x)[0], torch.full((5,), 2.0))
    torch.library.opcheck(torch.ops.operators.listed.default, ([other, other], [3]))
    batched = torch.vmap(lambda a, b: listed([a, b], [2]), in_dims=(0, None))(torch.ones(3, 5), other)
    torch.testing.assert_close(batched, ((1 + other) * 2).expand(3, 5))


def test_autocast_casts_inputs_where_it_is_told_to():
    optional = define_optional()
    optional.register_autocast("cpu", torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert optional(torch.ones(4)).dtype == torch.bfloat16
    assert optional(torch.ones(4)).dtype == torch.float32
