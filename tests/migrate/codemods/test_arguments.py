"""Arguments of a rewritten call: renamed, dropped, added, with every other byte as it was."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.codemods.arguments import Refused, rewrite_arguments
from graphlift.migrate.codemods.source import Source
from graphlift.migrate.edits import splice
from graphlift.plugins.configuration import Arguments

RULES = Arguments(rename={"max_depth": "recursion_limit"}, drop=("trace", "debug"), add={"strict": "False"})


def rewritten(text: str, rules: Arguments = RULES, skip: int = 0) -> str:
    source = Source(text.encode())
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    edits = rewrite_arguments(source, call, rules, skip=skip)
    assert not isinstance(edits, Refused), edits
    return splice(source.text, edits).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(strict=False)"),
        ("f(  )", "f(strict=False  )"),
        ("f(n)", "f(n, strict=False)"),
        ("f(n,)", "f(n, strict=False,)"),
        ("f((n))", "f((n), strict=False)"),
        ("(f)((n), (m))", "(f)((n), (m), strict=False)"),
        ("f ( n )", "f ( n, strict=False )"),
        ("f(x for x in y)", "f((x for x in y), strict=False)"),
        ("f((x for x in y))", "f((x for x in y), strict=False)"),
        ("f(')', \"(\", n=',')", "f(')', \"(\", n=',', strict=False)"),
        ("f(strict=True)", "f(strict=True)"),
        ("f(max_depth=3)", "f(recursion_limit=3, strict=False)"),
        ("f(max_depth = 3)", "f(recursion_limit = 3, strict=False)"),
        ("f(trace=True)", "f(strict=False)"),
        ("f(n, trace=True)", "f(n, strict=False)"),
        ("f(trace=True, n=1)", "f(n=1, strict=False)"),
        ("f(trace=1, debug=(), n=1)", "f(n=1, strict=False)"),
        ("f(n, trace=1, debug=-1)", "f(n, strict=False)"),
        ("f(n, trace=1, m=2, debug=[1, 'a', {}])", "f(n, m=2, strict=False)"),
        ("f(é, trace='é', max_depth='ü')", "f(é, recursion_limit='ü', strict=False)"),
        ("f(n,\n  trace=True)", "f(n, strict=False)"),
        ("f(n,  # number\n  trace=True)", "f(n, strict=False,  # number\n  )"),
        ("f(a=1,\n  n=3)", "f(a=1,\n  n=3,\n  strict=False)"),
        ("f(\n    n\n)", "f(\n    n,\n    strict=False\n)"),
        ("f(\n    n,\n)", "f(\n    n,\n    strict=False,\n)"),
        ("f(\n\tn,  # why\n)", "f(\n\tn,  # why\n\tstrict=False,\n)"),
        ("f(\n    n  # why\n)", "f(\n    n,  # why\n    strict=False\n)"),
        ("f(\r\n    n,\r\n)", "f(\r\n    n,\r\n    strict=False,\r\n)"),
        ("f(\n    n,\n    trace=True,  # old\n    m=1,\n)", "f(\n    n,\n    m=1,\n    strict=False,\n)"),
        ("f(\n    n,  # why\n    trace=True,\n)", "f(\n    n,  # why\n    strict=False,\n)"),
        ("f(\n    n,\n    trace=True\n)", "f(\n    n,\n    strict=False,\n)"),
        ("f(\n    n, trace=True,\n    m=1,\n)", "f(\n    n,\n    m=1,\n    strict=False,\n)"),
        (
            "f(\n    # about n\n    n,\n    # the end\n)",
            "f(\n    # about n\n    n,\n    strict=False,\n    # the end\n)",
        ),
        ("f(g(trace=1), h(max_depth=2))", "f(g(trace=1), h(max_depth=2), strict=False)"),
        ("f(lambda trace=1: 0)", "f(lambda trace=1: 0, strict=False)"),
    ],
)
def test_a_call_is_rewritten(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize("text", ["f()", "f(*a, **k)", "f(n, trace=log())", "f(max_depth=1)"])
def test_without_rules_a_call_stays(text: str) -> None:
    assert rewritten(text, Arguments()) == text


def test_the_function_given_to_partial_is_not_an_argument_of_the_call() -> None:
    assert rewritten("partial(f, max_depth=3)", skip=1) == "partial(f, recursion_limit=3, strict=False)"
    assert rewritten("partial(f)", skip=1) == "partial(f, strict=False)"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f(*a)", "dynamic-args"),
        ("f(1, *a, x=2)", "dynamic-args"),
        ("f(**k)", "dynamic-kwargs"),
        ("f(max_depth=1, **k)", "dynamic-kwargs"),
        ("f(trace=log())", "dropped-arg-has-effect"),
        ("f(trace=debug)", "dropped-arg-has-effect"),
        ("f(trace=[log()])", "dropped-arg-has-effect"),
        ("f(trace={**x})", "dropped-arg-has-effect"),
        ("f(trace=f'{x}')", "dropped-arg-has-effect"),
        ("f(max_depth=1, recursion_limit=2)", "argument-collision"),
    ],
)
def test_what_cannot_be_rewritten_says_why(text: str, kind: str) -> None:
    source = Source(text.encode())
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    refused = rewrite_arguments(source, call, RULES)
    assert isinstance(refused, Refused)
    assert refused.kind == kind


value = st.sampled_from(["1", "(2)", "'a,)('", "[3, 4]", "x", "g(1, trace=2)", "((5))"])
literal = st.sampled_from(["1", "(True)", "'a,)('", "(-1)", "[]"])
gap = st.sampled_from(["", " ", "\n  ", " # c, )\n  "])


@given(st.data())
def test_any_call_means_the_same_with_its_arguments_adapted(data: st.DataObject) -> None:
    names = data.draw(
        st.lists(st.sampled_from(["a", "max_depth", "trace", "debug", "strict"]), unique=True, max_size=4)
    )
    positional = data.draw(st.lists(value, max_size=3))
    given_ = positional + [f"{name}={data.draw(literal if name in RULES.drop else value)}" for name in names]
    pieces = [data.draw(gap) + item + data.draw(gap) for item in given_]
    text = "f(" + ",".join(pieces) + ("," if pieces and data.draw(st.booleans()) else "") + data.draw(gap) + ")"
    before, after = ast.parse(text, mode="eval").body, ast.parse(rewritten(text), mode="eval").body
    assert isinstance(before, ast.Call)
    assert isinstance(after, ast.Call)
    assert [ast.dump(item) for item in after.args] == [ast.dump(item) for item in before.args]
    expected = {
        RULES.rename.get(str(k.arg), k.arg): ast.dump(k.value) for k in before.keywords if k.arg not in RULES.drop
    }
    expected.setdefault("strict", ast.dump(ast.parse("False", mode="eval").body))
    assert {keyword.arg: ast.dump(keyword.value) for keyword in after.keywords} == expected
