"""Arguments of a rewritten call: renamed, dropped, added, with every other byte as it was."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlift.migrate.codemods.arguments import rewrite_arguments
from graphlift.migrate.codemods.source import Source
from graphlift.migrate.edits import splice
from graphlift.migrate.ledger.adapting import Refused
from graphlift.migrate.ledger.signatures import Signature, of_definition
from graphlift.plugins.configuration import Arguments

RULES = Arguments(rename={"max_depth": "recursion_limit"}, drop=("trace", "debug"), add={"strict": "False"})


def takes(parameters: str | None) -> Signature | None:
    return None if parameters is None else of_definition(ast.parse(f"def f({parameters}): ...").body[0])


def attempt(
    text: str, rules: Arguments = RULES, old: str | None = None, new: str | None = None, partial: bool = False
) -> str | Refused:
    """The first call of `text` rewritten; `old` and `new` are the parameters of the old and the new target."""
    source = Source(text.encode())
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    edits = rewrite_arguments(source, call, rules, partial=partial, signature=takes(old), target=takes(new))
    return edits if isinstance(edits, Refused) else splice(source.text, edits).decode()


def rewritten(text: str, rules: Arguments = RULES, old: str | None = None, new: str | None = None) -> str:
    result = attempt(text, rules, old, new)
    assert not isinstance(result, Refused), result
    return result


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f()", "f(strict=False)"),
        ("f(  )", "f(strict=False  )"),
        ("f(n)", "f(n, strict=False)"),
        ("f(n,)", "f(n, strict=False,)"),
        ("f((n))", "f((n), strict=False)"),
        ("(f)((n), m=(m))", "(f)((n), m=(m), strict=False)"),
        ("f ( n )", "f ( n, strict=False )"),
        ("f(x for x in y)", "f((x for x in y), strict=False)"),
        ("f((x for x in y))", "f((x for x in y), strict=False)"),
        ("f(')', m=\"(\", n=',')", "f(')', m=\"(\", n=',', strict=False)"),
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
        ("f(g(trace=1), m=h(max_depth=2))", "f(g(trace=1), m=h(max_depth=2), strict=False)"),
        ("f(lambda trace=1: 0)", "f(lambda trace=1: 0, strict=False)"),
    ],
)
def test_a_call_is_rewritten(before: str, after: str) -> None:
    assert rewritten(before) == after


@pytest.mark.parametrize("text", ["f()", "f(*a, **k)", "f(n, trace=log())", "f(max_depth=1)"])
def test_without_rules_a_call_stays(text: str) -> None:
    assert rewritten(text, Arguments()) == text


def test_the_function_given_to_partial_is_not_an_argument_of_the_call() -> None:
    assert attempt("partial(f, max_depth=3)", partial=True) == "partial(f, recursion_limit=3, strict=False)"
    assert attempt("partial(f)", partial=True) == "partial(f, strict=False)"
    assert attempt("partial(f, h)", old="h, trace", partial=True) == "partial(f, h, strict=False)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(h)", "f(h, strict=False)"),
        ("f(h, True)", "f(h, strict=False)"),
        ("f(h, True, 3)", "f(h, recursion_limit=3, strict=False)"),
        ("f(h, True, 3, x)", "f(h, recursion_limit=3, last=x, strict=False)"),
        ("f(h, True, last=x)", "f(h, last=x, strict=False)"),
        ("f(h, True, (3))", "f(h, recursion_limit=(3), strict=False)"),
        ("f(h, True, n := 3)", "f(h, recursion_limit=(n := 3), strict=False)"),
        ("f(\n    h,\n    True,  # t\n    3,\n)", "f(\n    h,\n    recursion_limit=3,\n    strict=False,\n)"),
    ],
)
def test_a_positional_argument_counts_as_the_parameter_in_its_place(before: str, after: str) -> None:
    assert rewritten(before, old="h, trace=False, max_depth=5, last=None, strict=True") == after


def test_what_is_given_by_position_is_not_added_by_name() -> None:
    assert rewritten("f(h, True)", old="h, strict") == "f(h, True)"


@pytest.mark.parametrize(
    ("new", "after"),
    [
        ("h, recursion_limit, last", "f(h, 3, x, strict=False)"),
        ("h, last, recursion_limit", "f(h, recursion_limit=3, last=x, strict=False)"),
        ("h, recursion_limit, other, last", "f(h, 3, last=x, strict=False)"),
        ("**more", "f(h, recursion_limit=3, last=x, strict=False)"),
    ],
)
def test_it_stays_positional_where_the_new_target_has_it_in_that_place(new: str, after: str) -> None:
    assert rewritten("f(h, True, 3, x)", old="h, trace, max_depth, last", new=new) == after


def test_a_lone_generator_that_becomes_a_keyword_gets_parentheses() -> None:
    assert rewritten("f(x for x in y)", old="max_depth") == "f(recursion_limit=(x for x in y), strict=False)"
    rules = Arguments(rename={"n": "m"})
    assert rewritten("f(x for x in y)", rules, old="n") == "f(m=(x for x in y))"


@pytest.mark.parametrize(
    ("text", "old", "kind"),
    [
        ("f(h, log())", "h, trace", "dropped-arg-has-effect"),
        ("f(h, 1)", None, "positional-args"),
        ("f(True, 1, 2, 3)", "trace, a, *more", "positional-args"),
        ("f(1)", "max_depth, /", "positional-args"),
        ("f(True, 1)", "trace, a, /", "positional-args"),
        ("f(3, recursion_limit=3)", "max_depth", "argument-collision"),
    ],
)
def test_a_positional_argument_that_cannot_be_adapted_says_why(text: str, old: str | None, kind: str) -> None:
    refused = attempt(text, old=old)
    assert isinstance(refused, Refused)
    assert refused.kind == kind


def test_partial_with_an_argument_in_a_place_that_changes_says_why() -> None:
    refused = attempt("partial(f, h, True)", old="h, trace", partial=True)
    assert isinstance(refused, Refused)
    assert refused.kind == "positional-args"


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
    after_text = rewritten(text, old="p, q, r, a, max_depth, trace, debug, strict")
    before, after = ast.parse(text, mode="eval").body, ast.parse(after_text, mode="eval").body
    assert isinstance(before, ast.Call)
    assert isinstance(after, ast.Call)
    assert [ast.dump(item) for item in after.args] == [ast.dump(item) for item in before.args]
    expected = {
        RULES.rename.get(str(k.arg), k.arg): ast.dump(k.value) for k in before.keywords if k.arg not in RULES.drop
    }
    expected.setdefault("strict", ast.dump(ast.parse("False", mode="eval").body))
    assert {keyword.arg: ast.dump(keyword.value) for keyword in after.keywords} == expected


PARAMETERS = ["a", "b", "max_depth", "trace", "debug", "strict"]


@given(st.data())
def test_each_parameter_gets_what_it_was_given_however_it_was_given(data: st.DataObject) -> None:
    """The old call's arguments by parameter, against those of the rewritten one."""
    old = data.draw(st.permutations(PARAMETERS))
    count = data.draw(st.integers(0, len(old)))
    first = next(index for index, name in enumerate(old) if name in RULES.drop or name in RULES.rename)
    rest = [RULES.rename.get(name, name) for name in old[first:] if name not in RULES.drop]
    # What is first and does not change keeps its place in any target; what follows may have moved.
    new = [*old[:first], *data.draw(st.permutations(rest))]
    texts = [f"{index}" if index < count else f"{name}={index}" for index, name in enumerate(old)]
    seen = ", ".join(new) if data.draw(st.booleans()) else None
    call = ast.parse(rewritten(f"f({', '.join(texts)})", old=", ".join(old), new=seen), mode="eval").body
    assert isinstance(call, ast.Call)
    places = [each.value for each in call.args if isinstance(each, ast.Constant)]
    named = {str(each.arg): each.value.value for each in call.keywords if isinstance(each.value, ast.Constant)}
    expected = {RULES.rename.get(name, name): index for index, name in enumerate(old) if name not in RULES.drop}
    assert {**dict(zip(new, places, strict=False)), **named} == expected
    assert len(places) + len(named) == len(expected)
