"""Backend and runtime together: kernels that run on a device, compared with NumPy."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from flydsl.base.errors import FlyDSLError, PairMismatchError
from flydsl.compiler.jit import JitFunction
from flydsl.compiler.stages.artifact import Artifact
from flydsl.testing.capabilities import Capability, requires
from flydsl.testing.suite import kernels
from flydsl.testing.suite.device_array import DeviceArray
from flydsl.testing.suite.suite import Suite, told

Array = np.ndarray[Any, Any]
_DEVICE = (Capability.DEVICE, Capability.EXECUTION)
_THREADS = 16


class LaunchSuite(Suite):
    """Kernels of the suite on the current device. Shapes are small: an implementation may be an interpreter."""

    level = 2

    def launch(self, function: JitFunction, *arguments: Any) -> None:
        """Call the host function and wait for the device."""
        self.bench.function(function)(*arguments)
        self.bench.device.sync()

    def array(self, values: Array) -> DeviceArray:
        """On the device."""
        return self.bench.array(values)

    @requires(*_DEVICE)
    @pytest.mark.parametrize("length", [1, 31, 32, 33, 101])
    def test_vectors_of_any_length_are_added(self, length: int) -> None:
        a, b = floats(length), floats(length, seed=1)
        c = self.array(np.zeros(length, np.float32))
        self.launch(kernels.add, self.array(a), self.array(b), c, None)
        np.testing.assert_array_equal(c.numpy(), a + b)

    @requires(*_DEVICE)
    def test_one_compilation_serves_every_length(self) -> None:
        function = JitFunction(kernels.add.__wrapped__)
        for length in (5, 64, 3):
            a, c = floats(length), self.array(np.zeros(length, np.float32))
            function(self.array(a), self.array(a), c, None)
            np.testing.assert_array_equal(c.numpy(), a + a)
        assert function._code.loads == 1

    @requires(*_DEVICE)
    def test_an_empty_grid_launches_nothing(self) -> None:
        mark, one = self.array(np.full(1, -3, np.float32)), self.array(np.zeros(1, np.float32))
        self.launch(kernels.mark_from_each_element, self.array(np.zeros(0, np.float32)), mark)
        assert mark.numpy().tolist() == [-3]
        self.launch(kernels.mark_from_each_element, one, mark)
        assert mark.numpy().tolist() == [1]

    @requires(*_DEVICE)
    def test_scalars_arrive_in_their_own_width(self) -> None:
        x, y = floats(50), self.array(np.full(50, -1, np.float32))
        self.launch(kernels.scale, self.array(x), y, 0.5, -3, 41)
        expected = np.full(50, -1, np.float32)
        expected[:41] = x[:41] * np.float32(0.5) + np.float32(-3)
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-6, atol=1e-6)

    @requires(*_DEVICE)
    @pytest.mark.parametrize("element", ["int8", "int16", "int32", "int64", "float16", "float32"])
    def test_elements_of_any_width_are_read_computed_and_written(self, element: str) -> None:
        self._square(element)

    @requires(*_DEVICE, Capability.FLOAT64)
    def test_doubles_are_computed(self) -> None:
        self._square("float64")

    def _square(self, dtype: str) -> None:
        x = (np.arange(37) % 11 - 5).astype(dtype)
        y = self.array(np.zeros_like(x))
        self.launch(kernels.square, self.array(x), y)
        np.testing.assert_array_equal(y.numpy(), x * x)

    @requires(*_DEVICE)
    def test_strides_are_followed_and_gaps_stay(self) -> None:
        a, b = floats(60), floats(20, seed=1)
        frame = self.array(np.full(60, 9, np.float32))
        self.launch(
            kernels.add, self.array(a).view(lambda x: x[::3]), self.array(b), frame.view(lambda x: x[1:41:2]), None
        )  # fmt: skip
        expected = np.full(60, 9, np.float32)
        expected[1:41:2] = a[::3] + b
        np.testing.assert_array_equal(frame.numpy(), expected)

    @requires(*_DEVICE)
    def test_a_vector_is_read_backwards(self) -> None:
        a, c = floats(33), self.array(np.zeros(33, np.float32))
        backwards = self.array(a).view(lambda x: x[::-1])
        self.launch(kernels.add, backwards, backwards, c, None)
        np.testing.assert_array_equal(c.numpy(), 2 * a[::-1])

    @requires(*_DEVICE)
    @pytest.mark.parametrize("shape", [(1, 1), (4, 16), (5, 17), (9, 3)])
    def test_predicates_keep_tiles_inside_of_a_matrix(self, shape: tuple[int, int]) -> None:
        rows, columns = shape
        source = floats(rows, columns)
        frame = self.array(np.full((rows + 2, columns + 2), -7, np.float32))
        self.launch(kernels.copy_by_ones, self.array(source), frame.view(lambda x: x[1:-1, 1:-1]))
        expected = np.full((rows + 2, columns + 2), -7, np.float32)
        expected[1:-1, 1:-1] = source
        np.testing.assert_array_equal(frame.numpy(), expected)

    @requires(*_DEVICE)
    def test_a_transposed_matrix_is_copied(self) -> None:
        source = floats(7, 6)
        target = self.array(np.zeros((6, 7), np.float32))
        self.launch(kernels.copy_by_ones, self.array(source).view(lambda x: x.T), target)
        np.testing.assert_array_equal(target.numpy(), source.T)

    @requires(*_DEVICE)
    def test_wide_copies_move_four_elements_at_once(self) -> None:
        source = floats(5, 20)
        frame = self.array(np.full((7, 24), -7, np.float32))
        self.launch(kernels.copy_by_fours, self.array(source), frame.view(lambda x: x[1:6, 4:]))
        expected = np.full((7, 24), -7, np.float32)
        expected[1:6, 4:] = source
        np.testing.assert_array_equal(frame.numpy(), expected)

    @requires(*_DEVICE, Capability.BARRIERS)
    def test_threads_of_a_block_wait_for_each_other(self) -> None:
        values = floats(256)
        x = self.array(values)
        self.launch(kernels.reverse, x)
        np.testing.assert_array_equal(x.numpy(), values.reshape(2, 128)[:, ::-1].ravel())

    @requires(*_DEVICE, Capability.BARRIERS, Capability.SHARED_MEMORY)
    def test_threads_of_a_block_share_memory_that_no_other_block_sees(self) -> None:
        values = floats(192)
        x = self.array(values)
        self.launch(kernels.rotate, x)
        np.testing.assert_array_equal(x.numpy(), np.roll(values.reshape(3, 64), -1, axis=1).ravel())

    @requires(*_DEVICE)
    def test_loops_and_branches_depend_on_the_thread(self) -> None:
        x = np.random.default_rng(2).integers(-9, 9, (3, 7)).astype(np.float32)
        y = self.array(np.zeros((3, 4), np.float32))
        self.launch(kernels.sum_rows, self.array(x), y)
        np.testing.assert_array_equal(y.numpy(), np.abs([[x[r, k:].sum() for k in range(4)] for r in range(3)]))

    @requires(*_DEVICE)
    def test_every_thread_knows_where_it_is(self) -> None:
        x = self.array(np.zeros((3, 2, 4, 5, 2, 3), np.int32))
        self.launch(kernels.where, x)
        place = np.indices(x.host.shape)
        np.testing.assert_array_equal(x.numpy(), np.tensordot(10 ** np.arange(6), place, 1))

    @requires(*_DEVICE)
    def test_kernels_of_one_function_run_in_order(self) -> None:
        a, b = floats(40), floats(40, seed=1)
        c = self.array(np.zeros(40, np.float32))
        self.launch(kernels.add_then_square, self.array(a), self.array(b), c)
        np.testing.assert_array_equal(c.numpy(), (a + b) * (a + b))

    @requires(*_DEVICE)
    def test_launches_of_one_stream_run_in_order_on_it(self) -> None:
        stream, function = self.bench.device.create_stream(), self.bench.function(kernels.add)
        one = self.array(np.ones(64, np.float32))
        total = self.array(np.zeros(64, np.float32))
        for _ in range(10):
            function(one, total, total, stream)
        stream.sync()
        np.testing.assert_array_equal(total.numpy(), np.full(64, 10, np.float32))

    @requires(*_DEVICE)
    def test_a_block_that_is_too_large_is_an_error_and_the_process_goes_on(self) -> None:
        x = self.array(np.zeros(4, np.float32))
        with pytest.raises(FlyDSLError):
            self.launch(kernels.mark_from_static_huge_block, x)
        with pytest.raises(FlyDSLError):
            self.launch(kernels.mark_from_huge_block, x, 1024)
        self.test_vectors_of_any_length_are_added(33)

    @requires(*_DEVICE)
    def test_many_threads_launch_one_function(self) -> None:
        function = self.bench.function(kernels.add)
        inputs = [floats(40, seed=seed) for seed in range(_THREADS)]
        outputs = [self.array(np.zeros(40, np.float32)) for _ in inputs]
        on_device = [self.array(values) for values in inputs]
        failures = list[BaseException]()
        start = threading.Barrier(_THREADS)

        def work(index: int) -> None:
            try:
                start.wait()
                for _ in range(3):
                    function(on_device[index], on_device[index], outputs[index], None)
            except BaseException as error:
                failures.append(error)

        _run_all(work)
        self.bench.device.sync()
        assert not failures, told(failures)
        for values, output in zip(inputs, outputs, strict=True):
            np.testing.assert_array_equal(output.numpy(), values + values)

    @requires(Capability.DEVICE)
    def test_an_artifact_of_another_kind_of_device_is_refused(self) -> None:
        vector = np.zeros(4, np.float32)
        artifact = self.bench.compile(kernels.add, vector, vector, vector, None, target=self.bench.device.arch)
        entry = artifact.to_entry()
        entry.header["runtime_kind"] = "of-another-kind"  # type: ignore[index]
        with pytest.raises(PairMismatchError, match="of-another-kind"):
            Artifact.from_entry(entry).load()

    @requires(Capability.DEVICE)
    def test_the_backend_makes_code_for_the_device(self) -> None:
        info = self.bench.device.info
        backend = self.bench.backend(info.arch)
        assert backend.warp_size(info.arch) == info.warp_size


def floats(*shape: int, seed: int = 0) -> Array:
    """Random values of float32."""
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def _run_all(work: Any) -> None:
    threads = [threading.Thread(target=work, args=(index,)) for index in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
