"""How the arguments of a call change for its new target, or why they cannot.

One answer for the ledger, which says what becomes of a call, and for the codemod, which does it.

The rules name keywords. An argument that is given by position counts as the keyword that the old signature has there: a
dropped one goes, and from the first that changes on the others are given by keyword, since their places have moved.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .signatures import Signature

if TYPE_CHECKING:
    from ...plugins.configuration import Arguments


@dataclass(frozen=True)
class CallShape:
    """What can be read of a call's arguments.

    `positional` says of each argument before the first unpacked one whether it is a literal, `keywords` of each keyword.
    `partial`: the call is one of `functools.partial`, whose first argument is not counted.
    """

    positional: tuple[bool, ...] = ()
    keywords: tuple[tuple[str, bool], ...] = ()
    unpacks_positional: bool = False
    unpacks_keywords: bool = False
    partial: bool = False


@dataclass(frozen=True)
class Refused:
    """Why a call's arguments cannot be rewritten: the stable kind of the flag, and the sentence."""

    kind: str
    reason: str


@dataclass(frozen=True)
class Adapted:
    """What becomes of a call's positional arguments, and the names of all that it gives afterwards, as far as known.

    For each argument: None where it goes, "" where it stays as it is, else the keyword by which it is given.
    """

    positional: tuple[str | None, ...]
    names: frozenset[str]


def changes(rules: Arguments) -> bool:
    """Whether calls change at all."""
    return bool(rules.rename or rules.drop or rules.add)


def shape_of(call: ast.Call, *, partial: bool = False) -> CallShape:
    """The shape of a call; the first argument of `functools.partial` left out."""
    arguments = call.args[1:] if partial else call.args
    first = next((index for index, each in enumerate(arguments) if isinstance(each, ast.Starred)), len(arguments))
    return CallShape(
        tuple(is_literal(each) for each in arguments[:first]),
        tuple((each.arg, is_literal(each.value)) for each in call.keywords if each.arg),
        first < len(arguments),
        any(each.arg is None for each in call.keywords),
        partial,
    )


def is_literal(node: ast.expr) -> bool:
    """Whether evaluating `node` can neither do nor depend on anything: constants and displays of constants."""
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float() | complex())):
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return all(is_literal(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(key is not None and is_literal(key) for key in keys) and all(map(is_literal, values))
    return False


def adapted(
    call: CallShape, rules: Arguments, signature: Signature | None, target: Signature | None = None
) -> Adapted | Refused:
    """How a call is adapted to its new target. `signature` is the old one's, `target` the new one's; None: not in sight.

    `target` decides only whether an argument may stay positional, never whether the call is refused.
    """
    if not changes(rules):
        return Adapted(("",) * len(call.positional), frozenset())
    if refused := _unreadable(call, rules, signature):
        return refused
    parameters = signature.positional if signature else ()
    new: list[str | None] = []
    changed = False
    names: list[str] = [rules.rename.get(name, name) for name, _ in call.keywords if name not in rules.drop]
    for index, literal in enumerate(call.positional):
        old = parameters[index] if index < len(parameters) else ""
        changed = changed or old in rules.drop or old in rules.rename
        # What comes before any change keeps its place, whatever the new target calls it.
        became = _becomes(old, new, rules, target) if changed else ""
        if became is None and not literal:
            return _acting(old)
        if became != "" and (refused := _unmovable(old, became, call, signature)):
            return refused
        if changed and not old:
            return Refused(
                "positional-args", "a further positional argument would move, and no parameter is named for it"
            )
        new.append(became)
        names += [rules.rename.get(old, old)] if old and became is not None else []
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        return Refused("argument-collision", f"{twice[0]}= would be given twice")
    return Adapted(tuple(new), frozenset(names))


def _unreadable(call: CallShape, rules: Arguments, signature: Signature | None) -> Refused | None:
    if call.unpacks_positional:
        return Refused("dynamic-args", "the call unpacks positional arguments, which cannot be read")
    if call.unpacks_keywords:
        return Refused("dynamic-kwargs", "the call unpacks keyword arguments, which cannot be read")
    for name, literal in call.keywords:
        if name in rules.drop and not literal:
            return _acting(name)
    # What comes first is hardly an option that is renamed or dropped; of what follows nothing is known.
    if signature is None and len(call.positional) > 1 and (rules.rename or rules.drop):
        reason = "its definition does not say in sight which parameters its positional arguments are for"
        return Refused("positional-args", reason)
    return None


def _acting(name: str) -> Refused:
    return Refused("dropped-arg-has-effect", f"{name}= would be dropped, but its value is not a literal")


def _becomes(old: str, before: list[str | None], rules: Arguments, target: Signature | None) -> str | None:
    """What a positional argument for the parameter `old` becomes, after those `before` it, of which some may change."""
    if old in rules.drop:
        return None
    name = rules.rename.get(old, old)
    if any(before):
        return name
    place = len([each for each in before if each is not None])
    fits = target is not None and target.positional[place : place + 1] == (name,)
    return "" if fits else name


def _unmovable(old: str, became: str | None, call: CallShape, signature: Signature | None) -> Refused | None:
    if call.partial:
        return Refused("positional-args", f"{old} is given by position, and what is called later adds to the positions")
    if became and signature is not None and old in signature.positional and old not in signature.keywords:
        return Refused("positional-args", f"{old} can be given by position only, and its place would change")
    return None
