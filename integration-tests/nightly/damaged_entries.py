"""Cache folders with one file damaged in some way: each kernel is right, and the cache is whole again afterwards."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.cached_kernel import cache_in, counted_compilations, scaled
from support.long_run import Outcome, long_run

from flydsl.compiler.options.target_options import tools

WHAT = "damaged cache files"
LOST = "lost"
FACTORS = (2.0, 3.0, 5.0, 7.0)
_SECONDS = 120  # no kernel takes so long: it hangs


def run(count: int, seed: int) -> Outcome:
    """Damage one file, run a kernel twice, put everything back; `count` times."""
    chance = random.Random(seed)
    failures: list[str] = []
    kinds: dict[str, float | str] = {}
    with TemporaryDirectory() as folder, cache_in(Path(folder, "cache")) as cache:
        for factor in FACTORS:
            scaled(factor)
        whole = Path(folder, "whole")
        shutil.copytree(cache, whole)
        for _ in range(count):
            shutil.rmtree(cache)
            shutil.copytree(whole, cache)
            files = sorted(path for path in cache.rglob("*") if path.is_file())
            damage = chance.choice(DAMAGES)
            file = chance.choice(files)
            damage(chance, file, files)
            name = damage.__name__.strip("_")
            kinds[name] = int(kinds.get(name, 0)) + 1
            made_by = tools("cpu")
            wrong = _wrong(chance.sample(FACTORS, 2))
            if (
                wrong.startswith(LOST) and tools("cpu") != made_by
            ):  # reinstalled meanwhile: that code is made again is right
                kinds["compilers replaced"] = int(kinds.get("compilers replaced", 0)) + 1
            elif wrong:
                failures.append(f"{name} of {file.relative_to(cache)} (seed {seed}): {wrong}")
    return Outcome(WHAT, count, len(failures), kinds, tuple(failures[:5]))


def _wrong(factors: list[float]) -> str:
    """What goes wrong with the kernels of these factors, nothing if they are right and cached afterwards."""
    signal.signal(signal.SIGALRM, _hang)
    signal.alarm(_SECONDS)
    try:
        for factor in factors:
            found = scaled(factor)
            if found != 7 * factor:
                return f"{found} instead of {7 * factor}"
        with counted_compilations() as made:
            again = [scaled(factor) for factor in factors]
        if made or again != [7 * factor for factor in factors]:
            return f"{LOST}: compiled {len(made)} times more, {again}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return ""


def _hang(*_: object) -> None:
    raise TimeoutError(f"no answer in {_SECONDS} s")


def _flipped_bits(chance: random.Random, file: Path, _: list[Path]) -> None:
    data = bytearray(file.read_bytes())
    for _bit in range(chance.choice((1, 1, 2, 50))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def _truncated(chance: random.Random, file: Path, _: list[Path]) -> None:
    os.truncate(file, chance.choice((0, 1, chance.randrange(file.stat().st_size))))


def _extended(chance: random.Random, file: Path, _: list[Path]) -> None:
    with file.open("ab") as stream:
        stream.write(chance.randbytes(chance.choice((1, 8, 4096))))


def _sparse(chance: random.Random, file: Path, _: list[Path]) -> None:
    if chance.random() < 0.5:
        os.truncate(file, 0)
    os.truncate(file, 1 << chance.choice((32, 40)))


def _zeroed(chance: random.Random, file: Path, _: list[Path]) -> None:
    data = bytearray(file.read_bytes())
    start = chance.randrange(len(data))
    end = chance.randrange(start, len(data)) + 1
    data[start:end] = bytes(end - start)
    file.write_bytes(data)


def _shuffled(chance: random.Random, file: Path, _: list[Path]) -> None:
    data = file.read_bytes()
    cut = chance.randrange(len(data))
    file.write_bytes(data[cut:] + data[:cut])


def _renamed_to_another(chance: random.Random, file: Path, files: list[Path]) -> None:
    file.rename(chance.choice(files))


def _copied_over_another(chance: random.Random, file: Path, files: list[Path]) -> None:
    other = chance.choice([path for path in files if path != file])
    other.write_bytes(file.read_bytes())


def _spliced(chance: random.Random, file: Path, files: list[Path]) -> None:
    one, other = file.read_bytes(), chance.choice(files).read_bytes()
    cut = chance.randrange(len(one))
    file.write_bytes(one[:cut] + other[cut:])


def _removed(chance: random.Random, file: Path, _: list[Path]) -> None:
    if chance.random() < 0.5:
        file.unlink()
    else:
        shutil.rmtree(file.parent)


def _another_kind(chance: random.Random, file: Path, _: list[Path]) -> None:
    file.unlink()
    make: Callable[[Path], None] = chance.choice((os.mkfifo, os.mkdir, _link_to_zeros, _link_to_itself))
    make(file)


def _link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def _of_another_user(chance: random.Random, file: Path, _: list[Path]) -> None:
    if os.geteuid() == 0:
        os.chown(file, 65534, 65534)
    else:
        file.chmod(0o666)


DAMAGES = (
    *(_flipped_bits, _truncated, _extended, _sparse, _zeroed, _shuffled, _renamed_to_another, _copied_over_another),
    *(_spliced, _removed, _another_kind, _of_another_user),
)

if __name__ == "__main__":
    chosen = long_run(__doc__, 5000)
    run(chosen.count, chosen.seed).print()
