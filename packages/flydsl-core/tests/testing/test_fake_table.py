"""The runtime table of callbacks: what is asked is recorded, and codes are given back in order."""

from __future__ import annotations

import ctypes

from flydsl.runtime.abi import FlyLaunchConfig, FlyTensorMapSpec
from flydsl.testing.fake_table import FakeTable, RecordedLaunch, RecordedMap


def load(table: FakeTable, image: bytes = b"code", *names: bytes) -> tuple[int, int]:
    module = ctypes.c_void_p()
    array = (ctypes.c_char_p * len(names))(*names)
    code = table.api.module_load(table.api.self, 3, image, len(image), array, len(names), ctypes.byref(module))
    return code, module.value or 0


def test_loads_are_recorded_and_give_handles() -> None:
    table = FakeTable(load_codes=[7])
    assert load(table)[0] == 7
    code, module = load(table, b"code\0more", b"a", b"b")
    assert code == 0
    assert table.loads[1] == (3, b"code\0more", ["a", "b"])
    assert list((ctypes.c_void_p * 2).from_address(module)) == [0x100, 0x101]
    assert table.api.module_unload(table.api.self, module) == 0
    assert table.unloads == 1


def test_a_launch_records_its_shape_and_the_bytes_of_its_parameters() -> None:
    table = FakeTable(launch_codes=[0, 9])
    value = ctypes.create_string_buffer(b"\1\2\3\4", 4)
    sizes, parameters = (ctypes.c_uint32 * 1)(4), (ctypes.c_void_p * 1)(ctypes.addressof(value))
    config = FlyLaunchConfig(ctypes.sizeof(FlyLaunchConfig), (2, 1, 1), (64, 2, 1), (1, 1, 1), 128, 1, sizes)
    codes = [table.api.launch(table.api.self, 0x100, ctypes.byref(config), 5, parameters) for _ in range(3)]
    assert codes == [0, 9, 0]
    assert table.launches[0] == RecordedLaunch(0x100, (2, 1, 1), (64, 2, 1), (1, 1, 1), 128, 5, (b"\1\2\3\4",))


def test_maps_are_recorded_and_their_bytes_tell_them_apart() -> None:
    table = FakeTable(map_codes=[0, 0, 5])
    memory = ctypes.create_string_buffer(128 + 63)
    address = -(-ctypes.addressof(memory) // 64) * 64
    recipe = ctypes.create_string_buffer(b"box", 3)
    written = []
    for place in (0x1000, 0x2000, 0x2000):
        spec = FlyTensorMapSpec(ctypes.sizeof(FlyTensorMapSpec), 2, place, (8, 4), (4, 32))
        spec.recipe, spec.recipe_size = ctypes.addressof(recipe), 3
        written.append((table.api.encode_tensor_map(table.api.self, spec, address), ctypes.string_at(address, 128)))
    assert table.maps[0] == RecordedMap(0x1000, (8, 4), (4, 32), b"box")
    assert [code for code, _ in written] == [0, 0, 5]
    assert [image for _, image in written] == [found.to_bytes() for found in table.maps]
    assert written[0][1] != written[1][1] == written[2][1]
    assert table.api.encode_tensor_map(table.api.self, FlyTensorMapSpec(), address + 8) == 99


def test_a_table_or_configuration_of_another_version_is_refused() -> None:
    table = FakeTable()
    config = FlyLaunchConfig(struct_size=8)
    assert table.api.launch(table.api.self, 0, ctypes.byref(config), None, None) == 99
    assert table.launches == []
