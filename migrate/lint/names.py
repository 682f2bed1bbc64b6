"""What names in a module stand for, as far as the module alone shows: constants, functions, classes, imports.

Nothing is imported. A name that is bound more than once stands for nothing here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .facts import Function
from .model import END, START, Key

OPAQUE = object()
"""A value that cannot be seen."""


@dataclass(frozen=True)
class Module:
    """One parsed module: its functions and classes by name, and its constants."""

    tree: ast.Module
    functions: Mapping[str, Function] = field(default_factory=dict)
    classes: Mapping[str, ast.ClassDef] = field(default_factory=dict)
    constants: Mapping[str, ast.expr] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: ast.Module) -> Module:
        """Index a module. Functions inside functions and classes are found too, by their last name."""
        functions: dict[str, Function] = {}
        classes: dict[str, ast.ClassDef] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions[node.name] = node
            elif isinstance(node, ast.ClassDef):
                classes[node.name] = node
        constants = dict(_single_assignments(tree))
        functions |= {name: value for name, value in constants.items() if isinstance(value, ast.Lambda)}
        return cls(tree, functions, classes, constants)

    def value(self, expression: ast.expr, local: Mapping[str, object]) -> object:
        """A constant expression's value: text, or a list of values; `OPAQUE` when it cannot be seen."""
        if isinstance(expression, ast.Constant):
            return expression.value
        if isinstance(expression, ast.Name):
            return self._named(expression.id, local)
        if isinstance(expression, ast.Attribute) and expression.attr in ("START", "END"):
            return START if expression.attr == "START" else END
        if isinstance(expression, (ast.List, ast.Tuple, ast.Set)):
            return [self.value(part, local) for part in expression.elts]
        if isinstance(expression, ast.Dict):
            # A path map: what it leads to is what counts.
            return [self.value(part, local) for part in expression.values]
        if isinstance(expression, ast.JoinedStr):
            return self._text(expression, local)
        return OPAQUE

    def _named(self, name: str, local: Mapping[str, object]) -> object:
        if name in local:
            return local[name]
        if name in self.constants:
            found = self.constants[name]
            return OPAQUE if isinstance(found, ast.Name) else self.value(found, {})
        return {"START": START, "END": END}.get(name, OPAQUE)

    def _text(self, expression: ast.JoinedStr, local: Mapping[str, object]) -> object:
        parts = [
            self.value(part.value, local) if isinstance(part, ast.FormattedValue) else self.value(part, local)
            for part in expression.values
        ]
        return "".join(map(str, parts)) if all(isinstance(part, (str, int)) for part in parts) else OPAQUE

    def function(self, expression: ast.expr | None) -> Function | None:
        """The function that an expression names: a lambda, a name, `self.method`."""
        if isinstance(expression, ast.Lambda):
            return expression
        if isinstance(expression, ast.Name):
            return self.functions.get(expression.id)
        if isinstance(expression, ast.Attribute) and isinstance(expression.value, ast.Name):
            return self.functions.get(expression.attr) if expression.value.id in ("self", "cls") else None
        return None

    def keys(self, schema: ast.expr | None) -> dict[str, Key] | None:
        """The keys of a state schema that the module defines, with its bases; None when it is defined elsewhere."""
        if not isinstance(schema, ast.Name):
            return None
        if schema.id == "MessagesState":
            return {"messages": Key("messages", "add_messages", ordered=True)}
        found = self.classes.get(schema.id)
        if found is None:
            return None
        keys: dict[str, Key] = {}
        for base in found.bases:
            inherited = self.keys(base)
            if inherited is None and ast.unparse(base).rsplit(".", 1)[-1] not in ("TypedDict", "BaseModel", "object"):
                return None
            keys |= inherited or {}
        for node in found.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                keys[node.target.id] = _key(node.target.id, node.annotation)
        return keys


def _single_assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    found: dict[str, list[ast.expr]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found.setdefault(node.target.id, []).append(node.value)
    yield from ((name, values[0]) for name, values in found.items() if len(values) == 1)


def _key(name: str, annotation: ast.expr) -> Key:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return Key(name)
    inner = annotation
    while isinstance(inner, ast.Subscript) and ast.unparse(inner.value).rsplit(".", 1)[-1] in (
        "NotRequired",
        "Required",
    ):
        inner = inner.slice
    if not (isinstance(inner, ast.Subscript) and ast.unparse(inner.value).rsplit(".", 1)[-1] == "Annotated"):
        return Key(name)
    parts = inner.slice.elts if isinstance(inner.slice, ast.Tuple) else [inner.slice]
    kind, reducer = ast.unparse(parts[0]).lower(), ast.unparse(parts[-1]) if len(parts) > 1 else ""
    return Key(name, reducer, ordered=is_ordered(kind, reducer), merges=is_merging(kind, reducer))


def is_ordered(kind: str, reducer: str) -> bool:
    """Whether a reducer keeps its writers' order: lists and texts added up."""
    adds = reducer.rsplit(".", 1)[-1] in ("add", "iadd", "concat", "add_messages", "extend")
    return reducer.endswith("add_messages") or (
        adds and kind.startswith(("list", "sequence", "tuple", "str", "typing.list"))
    )


def is_merging(kind: str, reducer: str) -> bool:
    """Whether a reducer merges maps shallowly."""
    merges = reducer.rsplit(".", 1)[-1] in ("or_", "ior", "merge", "merge_dicts", "update") or "**" in reducer
    return merges or ("|" in reducer and kind.startswith(("dict", "mapping")))
