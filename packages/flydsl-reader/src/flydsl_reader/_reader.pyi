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
        guards: tuple[tuple[str, object, str, object], ...],
        is_current: Callable[[], bool] | None,
        current_stream: object,
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

class Calls:
    """The sites of one function, by the types of what callers pass."""

    def launch(self, *args: object) -> object:
        """Launch a call; NotImplemented when no site is for such arguments."""

    def add(self, types: tuple[type, ...], site: Site, /) -> bool:
        """Serve calls with arguments of exactly these types by a site, if there is room."""

    def clear(self) -> None:
        """Forget all sites."""
