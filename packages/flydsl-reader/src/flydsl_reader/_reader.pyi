from collections.abc import Callable

class Site:
    """Calls of one function with arguments of the same types."""

    def __new__(
        cls,
        descriptions: tuple[tuple[object, ...], ...],
        defaults: tuple[object, ...],
        stub: Callable[..., None],
        learn: Callable[[tuple[object, ...]], object],
        fail: Callable[[int], object],
        pair: tuple[object, str, object] | None,
        is_current: Callable[[], bool] | None,
        current_stream: Callable[..., int] | None,
        written: tuple[tuple[Callable[[tuple[object, ...]], object], tuple[int, ...]], ...],
        /,
    ) -> Site: ...
    def launch(self, *args: object) -> None:
        """Launch a call."""

    def key(self, *args: object) -> bytes | None:
        """The bytes that tell a call apart; None when the stub has to look at it."""

    def add(
        self,
        key: bytes,
        leaves: tuple[object, ...],
        parts: tuple[tuple[int, bytes] | None, ...],
        launcher: tuple[int, int, int, int],
        device: object,
        owner: object,
        /,
    ) -> bool:
        """Add the plan of calls like the one with these leaves, if `key` is what tells it apart."""
