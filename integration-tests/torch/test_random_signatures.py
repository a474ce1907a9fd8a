"""Random signatures, other ones each day: graphs of torch give what eager calls give, and these what torch gives."""

from __future__ import annotations

import copy
import random

import pytest
import torch
from support.day import SEED_VARIABLE, count_of, seed_of_the_day
from support.random_signatures import program
from support.source_modules import module_of
from torch.fx.experimental.proxy_tensor import make_fx

pytestmark = pytest.mark.filterwarnings("ignore:.*LeafSpec.*:FutureWarning")  # torch's own copies of programs
SEED = seed_of_the_day()
PARTS, PROGRAMS, CALLS = 4, count_of(3), 3
FORMS = ("compiled", "compiled", "traced", "exported")


def values(found):
    """The tensors of arguments or results, also in lists."""
    return [one for value in found for one in (value if isinstance(value, list) else [value])]


def check(run, module, args):
    """Results and arguments after a run are those of torch."""
    mine, others = copy.deepcopy(args), copy.deepcopy(args)
    found, wanted = run(*mine.values()), module.expected(*others.values())
    for one, other in zip(values([*found, *mine.values()]), values([*wanted, *others.values()]), strict=True):
        if isinstance(one, torch.Tensor):
            torch.testing.assert_close(one, other, rtol=0, atol=0)


def compiled(module, tried, draw):
    """Compiled once, and called with other sizes and numbers."""
    torch._dynamo.reset()
    options = {"backend": draw.choice(["eager", "aot_eager"]), "dynamic": draw.choice([None, True, False])}
    run = torch.compile(module.model, fullgraph=True, **options)
    for _ in range(CALLS):
        check(run, module, tried.make(draw, draw.choice([4, 7, 40])))


def bound(module, tried, args):
    """The model with its numbers fixed, a function of its tensors, and these."""
    names = [name for name, value in args.items() if isinstance(value, torch.Tensor | list)]
    fixed = {name: value for name, value in args.items() if name not in names}

    def model(*tensors):
        return module.model(**fixed, **dict(zip(names, tensors, strict=True)))

    return model, names


def check_graph(run, module, tried, draw, args, names):
    """A graph that was made for one call, in another one of that size and with the numbers that it has."""
    for other in (args, {**args, **{name: tried.make(draw, 7)[name] for name in names}}):
        check(lambda *every, keys=tuple(other): run(*(v for k, v in zip(keys, every, strict=True) if k in names)),
              module, other)  # fmt: skip


def traced(module, tried, draw):
    """Traced by make_fx."""
    args = tried.make(draw, 7)
    model, names = bound(module, tried, args)
    takes_numbers = "number of a tensor" in tried.arguments.values()
    mode = draw.choice(["fake", "symbolic"] if takes_numbers else ["real", "fake", "symbolic"])
    graph = make_fx(model, tracing_mode=mode)(*copy.deepcopy([args[name] for name in names]))
    check_graph(graph, module, tried, draw, args, names)


def exported(module, tried, draw):
    """Exported, with each way of torch to read the program."""

    class Model(torch.nn.Module):
        def forward(self, *tensors):
            return model(*tensors)

    args = tried.make(draw, 7)
    model, names = bound(module, tried, args)
    program = torch.export.export(Model(), tuple(copy.deepcopy([args[name] for name in names])))
    if draw.random() < 0.5:
        program = program.run_decompositions()
    check_graph(program.module(), module, tried, draw, args, names)


@pytest.mark.parametrize("part", range(PARTS))
def test_graphs_of_random_signatures_give_what_torch_gives(part, tmp_path):
    first = (SEED * PARTS + part) * PROGRAMS
    for seed in range(first, first + PROGRAMS):
        tried, draw = program(seed), random.Random(seed)
        form = draw.choice(FORMS)
        try:
            file = tmp_path / f"signature_{seed}.py"
            file.write_text(tried.text)
            module = module_of(file)
            for _ in range(2):
                check(module.model, module, tried.make(draw, draw.choice([5, 33])))
            globals()[form](module, tried, draw)
        except Exception as error:
            said = f"{SEED_VARIABLE}={SEED}, signature {seed}, {form}: {type(error).__name__}: {error}"
            raise AssertionError(f"{said}\n{tried.text}") from error
