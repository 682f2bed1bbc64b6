"""What a finder says about one file, before it is decided what becomes of each place. Offsets are into `TextFile.text`."""

from __future__ import annotations

from dataclasses import dataclass, field

from .adapting import CallShape
from .model import Context
from .resolve import Resolution

NO_CALL = CallShape()


@dataclass(frozen=True)
class Mention:
    """A reference as a finder saw it: where, to what, in which role and context.

    `reason` overrides the reason that the role gives, with fate "flag" where `flag` is set. `inside` marks a place in
    the symbol's own definition, which goes with it. `call` is the shape of the call that the reference is made in.
    `own_target` is the target of the symbol in whose definition the place stands, if it does. `fixed_name` marks an entry
    of a lazy-export map that can name another module, but no other name in it.
    """

    start: int
    end: int
    role: str
    resolution: Resolution
    context: Context
    function: str = ""
    local: str = ""
    container: tuple[int, int] | None = None
    reason: str = ""
    flag: bool = False
    inside: bool = False
    call: CallShape = NO_CALL
    own_target: str = ""
    fixed_name: bool = False

    @property
    def certain(self) -> bool:
        """Whether the place surely refers to the symbol."""
        return self.resolution.certain


@dataclass(frozen=True)
class Explained:
    """A place that reads like a symbol and is something else, with what it is."""

    start: int
    end: int
    reason: str


@dataclass
class FileFindings:
    """Everything found in one file. `doubts` says, by place, why a name could not be explained.

    `is_read` is False for a file that holds no more than longer names, and was not looked into.
    """

    mentions: list[Mention] = field(default_factory=list)
    explained: list[Explained] = field(default_factory=list)
    doubts: dict[int, str] = field(default_factory=dict)
    is_read: bool = False

    def join(self, more: FileFindings) -> None:
        """Add what another finder found; a place in the same role counts once."""
        places = {(each.start, each.end, each.role) for each in self.mentions}
        self.mentions.extend(each for each in more.mentions if (each.start, each.end, each.role) not in places)
        self.explained.extend(more.explained)
        self.doubts.update(more.doubts)
