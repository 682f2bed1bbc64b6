"""What becomes of a reference: rewritten, kept or flagged, and why. Decided by its role and the symbol's targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import model
from .adapting import Refused, adapted, changes
from .model import Fate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...plugins.configuration import Symbol
    from .mention import Mention
    from .signatures import Signature

CALLED = frozenset({model.CALL, model.PARTIAL})
TYPED = frozenset({model.ANNOTATION, model.STRING_ANNOTATION})
IMPORTS = frozenset({model.IMPORT, model.MODULE_IMPORT, model.RE_EXPORT, model.STAR_IMPORT})

MOVED = frozenset(
    {model.SUBCLASS, model.ISINSTANCE, model.CLASS_PATTERN, model.CLASS_ATTRIBUTE, model.ESCAPE, model.DECORATOR}
)
"""Roles that a symbol with one target for everything (`to`) is rewritten in too."""

FLAGS: Mapping[str, str] = {
    model.STAR_IMPORT: "a star import brings the name in; it stays, and the new name is imported beside it",
    model.SUBCLASS: "a subclass relies on the class as it is",
    model.ISINSTANCE: "a type check tests for the class itself",
    model.CLASS_PATTERN: "a class pattern tests for the class itself",
    model.CLASS_ATTRIBUTE: "a member of the symbol is used, which its target may not have",
    model.ESCAPE: "passed on as a value; what becomes of it cannot be seen",
    model.DECORATOR: "used as a decorator, which its target may not be",
    model.STRING_TARGET_MEMBER: "names a member of the symbol, which its target may not have",
    model.STRING_TARGET_DYNAMIC: "a dotted path that is put together at run time",
    model.SCRIPT: "code that is not read as Python; it is not rewritten",
    model.DYNAMIC_ACCESS: "a name of the module is taken by a value; it may be the symbol's",
    model.PRIVATE_MEMBER: "relies on a private member, which no target promises",
}
KEPT: Mapping[str, str] = {
    model.PROSE: "a text; rewriting documents is opt-in",
    model.COMMENT: "a comment; rewriting documents is opt-in",
    model.DOCSTRING_EXAMPLE: "an example; rewriting documents is opt-in",
    model.NAME_STRING: "the name stays exported, as an alias",
    model.MODULE_STRING: "names the symbol's module, which stays",
}

UNSEEN = "its definition is not in sight, so the positional argument is taken for none that changes"


@dataclass(frozen=True)
class Decision:
    """A fate and its reason."""

    fate: Fate
    reason: str


def decide(mention: Mention, symbol: Symbol, signature: Signature | None = None) -> Decision:
    """What becomes of one mention; imports are decided by `decide_import`, once the uses in their file are known.

    `signature` is what a call of the symbol may pass, where that is in sight.
    """
    role = mention.role
    if mention.context == "guard":
        return Decision("keep", "checks that the name is gone")
    if mention.flag:
        return Decision("flag", mention.reason)
    if mention.inside:
        return Decision("keep", "part of the symbol's own definition, and goes with it")
    if role == model.DEFINITION:
        return _definition(mention)
    if role in KEPT:
        return Decision("keep", mention.reason or KEPT[role])
    if mention.own_target:
        return Decision("flag", _itself(mention))
    if not mention.certain:
        return Decision("flag", mention.reason or "the name has another binding too, so it may mean something else")
    return _by_target(mention, symbol, signature)


def _itself(mention: Mention) -> str:
    return f"inside the definition of its own target {mention.own_target}, which would come to refer to itself"


def _definition(mention: Mention) -> Decision:
    if len(mention.resolution.chain) == 1:
        return Decision("keep", "the definition; `graphlift retire` removes it")
    if not mention.certain:
        return Decision("keep", "the name is bound to something else here")
    return Decision("keep", "an alias's own name, which stays")


def _by_target(mention: Mention, symbol: Symbol, signature: Signature | None) -> Decision:
    role = mention.role
    if role in MOVED and symbol.to and not changes(symbol.arguments):
        return Decision("rewrite", f"becomes {symbol.to}")
    if role in FLAGS:
        return Decision("flag", mention.reason or FLAGS[role])
    if role in CALLED and isinstance(refused := adapted(mention.call, symbol.arguments, signature), Refused):
        return Decision("flag", refused.reason)
    if role in CALLED:
        decision = _towards(symbol.call_target, "called", "calls")
        if signature is None and mention.call.positional and (symbol.arguments.rename or symbol.arguments.drop):
            return Decision(decision.fate, f"{decision.reason}; {UNSEEN}")
        return decision
    if role in TYPED:
        return _towards(symbol.type_target, "type", "annotations")
    if role == model.ALIAS:
        return _towards(symbol.call_target or symbol.alias_target, "called", "aliases")
    if role == model.CONFIG and mention.resolution.members:
        return Decision("flag", "names a member of the symbol, which its target may not have")
    if role == model.CONFIG and changes(symbol.arguments):
        return Decision("flag", "the arguments change, and what the configuration passes cannot be seen")
    if role == model.LAZY_EXPORT:
        return _lazy(mention, symbol)
    if role in (model.STRING_TARGET, model.CONFIG):
        return _towards(symbol.call_target or symbol.alias_target, "called", "dotted paths")
    return Decision("flag", "nothing is configured for this role")


def _lazy(mention: Mention, symbol: Symbol) -> Decision:
    target = symbol.alias_target
    if target and mention.fixed_name and target.rpartition(".")[2] != mention.local:
        module, _, name = target.rpartition(".")
        return Decision("flag", f"{module} knows it as {name}, which the map cannot say")
    return _towards(target, "called", "lazily exported names")


def _towards(target: str | None, key: str, what: str) -> Decision:
    if target:
        return Decision("rewrite", f"becomes {target}")
    return Decision("flag", f"no target for {what} is configured; set `{key}`")


def decide_import(mention: Mention, symbol: Symbol, uses: list[tuple[Mention, Decision]]) -> Decision:
    """What becomes of an import, from what became of the uses of its name in the file."""
    if mention.context == "guard":
        return Decision("keep", "checks that the name is gone")
    if mention.flag:
        return Decision("flag", mention.reason)
    if mention.own_target:
        return Decision("flag", _itself(mention))
    if mention.role == model.STAR_IMPORT:
        return Decision("flag", FLAGS[model.STAR_IMPORT])
    if mention.role == model.RE_EXPORT:
        target = symbol.alias_target
        if target:
            return Decision("rewrite", f"the public name stays and becomes {target}")
        return Decision("flag", "other modules import the name from here, and no target is configured")
    rewritten = [decision for _, decision in uses if decision.fate == "rewrite"]
    left = [used for used, decision in uses if decision.fate != "rewrite"]
    if mention.role == model.MODULE_IMPORT:
        return Decision("keep", "the module through which the symbol is reached")
    if left:
        return Decision(
            "keep", f"still used by {len(left)} {'place that stays' if len(left) == 1 else 'places that stay'}"
        )
    if rewritten:
        return Decision("rewrite", "every use of the name is rewritten")
    return Decision("flag", "imported and not used in this file")
