"""Re-exports keep their public names."""

from __future__ import annotations

import pytest

from graphlift.migrate.codemods.testing import check_noop, check_transformed

SYMBOL = {"legacy": "legacy.walker.W", "called": "flows.engine.build", "type": "flows.engine.Runner"}
DEFINITION = {"legacy/__init__.py": "from .walker import W\n", "legacy/walker.py": "class W: ...\n"}


def test_a_chain_of_re_exports() -> None:
    check_transformed(
        "from a import Walker\nw = Walker(n)\n",
        "from flows.engine import build\nw = build(n)\n",
        symbols=[SYMBOL],
        flags=["public-export"],
        extra={
            "a/__init__.py": "from .b import *\n",
            "a/b/__init__.py": (
                "from legacy.walker import W as Walker\n",
                "from flows.engine import Runner as Walker\n",
            ),
        },
    )


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pkg/__init__.py", "from legacy.walker import W\n", "from flows.engine import Runner as W\n"),
        (
            "pkg/__init__.py",
            "from legacy.walker import W, f\nf()\n",
            "from legacy.walker import f\nfrom flows.engine import Runner as W\nf()\n",
        ),
        (
            "pkg/m.py",
            "from legacy.walker import W  # noqa: F401\nWalker = W\n",
            "from flows.engine import Runner, Runner as W  # noqa: F401\nWalker = Runner\n",
        ),
        (
            "pkg/m.py",
            "from legacy.walker import W\n__all__ = ['W']\n",
            "from flows.engine import Runner as W\n__all__ = ['W']\n",
        ),
        ("pkg/m.py", "from legacy.walker import W as W\n", "from flows.engine import Runner as W\n"),
        (
            "pkg/m.py",
            "from legacy.walker import W  # noqa: F401\n",
            "from flows.engine import Runner as W  # noqa: F401\n",
        ),
        (
            "pkg/m.py",
            "from legacy.walker import W\n__all__ = ['W']\nx = W(1)\n",
            "from flows.engine import Runner as W, build\n__all__ = ['W']\nx = build(1)\n",
        ),
    ],
)
def test_a_re_export_becomes_the_new_target_under_its_old_name(path: str, before: str, after: str) -> None:
    plan = check_transformed(before, after, symbols=[SYMBOL], path=path)
    assert {flag.kind for flag in plan.flags} == {"public-export"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from legacy.walker import W, f  # noqa: F401\n",
            "from legacy.walker import f  # noqa: F401\nfrom flows.engine import Runner as W  # noqa: F401\n",
        ),
        (
            "from legacy.walker import W as A, f  # noqa: E501, F401 for others\n",
            (
                "from legacy.walker import f  # noqa: E501, F401 for others\n"
                "from flows.engine import Runner as A  # noqa: E501, F401 for others\n"
            ),
        ),
        (
            "from legacy.walker import (  # noqa: F401\n    W,\n    f,\n)\n",
            "from legacy.walker import (  # noqa: F401\n    f,\n)\nfrom flows.engine import Runner as W  # noqa: F401\n",
        ),
        (
            "from legacy.walker import (\n    W,\n    f,\n)  # noqa\n",
            "from legacy.walker import (\n    f,\n)  # noqa\nfrom flows.engine import Runner as W  # noqa\n",
        ),
        (
            "from legacy.walker import (  # noqa: F401\n    W,  # noqa: F401\n    f,\n)\n",
            "from legacy.walker import (  # noqa: F401\n    f,\n)\nfrom flows.engine import Runner as W  # noqa: F401\n",
        ),
        (
            "from legacy.walker import (\n    W,  # noqa: F401\n    f,\n)\nf()\n",
            "from legacy.walker import (\n    f,\n)\nfrom flows.engine import Runner as W  # noqa: F401\nf()\n",
        ),
        (
            "x = 1; from legacy.walker import W, f  # noqa: F401\n",
            "x = 1; from legacy.walker import f; from flows.engine import Runner as W  # noqa: F401\n",
        ),
    ],
)
def test_what_says_that_an_import_is_unused_on_purpose_is_said_of_the_new_one(before: str, after: str) -> None:
    check_transformed(before, after, symbols=[SYMBOL], path="pkg/m.py", flags=["public-export"])


def test_what_is_used_needs_no_such_comment() -> None:
    check_transformed(
        "from legacy.walker import W, f  # noqa: F401\nw = W(1)\n",
        "from legacy.walker import f  # noqa: F401\nfrom flows.engine import build\nw = build(1)\n",
        symbols=[SYMBOL],
        path="pkg/m.py",
        flags=[],
    )


def test_other_comments_stay_where_they_are() -> None:
    check_transformed(
        "from legacy.walker import W, f  # the walker\n__all__ = ['W', 'f']\n",
        "from legacy.walker import f  # the walker\nfrom flows.engine import Runner as W\n__all__ = ['W', 'f']\n",
        symbols=[SYMBOL],
        path="pkg/m.py",
        flags=["public-export"],
    )


def test_a_re_export_that_somebody_still_needs_stays() -> None:
    plan = check_noop(
        "from pkg import W\nclass A(W): ...\n",
        symbols=[SYMBOL],
        flags=["public-export", "subclass"],
        extra={"pkg/__init__.py": "from legacy.walker import W\n"},
    )
    assert "still used by app/user.py:2" in next(flag.reason for flag in plan.flags if flag.kind == "public-export")


def test_the_package_of_the_definition_keeps_its_names() -> None:
    check_transformed(
        "from legacy import W\nw = W(1)\n",
        "from flows.engine import build\nw = build(1)\n",
        symbols=[SYMBOL],
        flags=[],
        extra=DEFINITION,
    )


@pytest.mark.parametrize("user", ["from pkg import W\nW(2)\n", "import pkg\npkg.W(2)\n"])
def test_a_package_keeps_a_name_that_others_take_from_it_though_it_has_no_dunder_all(user: str) -> None:
    called, reached = "from flows.engine import build\nbuild(2)\n", "import flows.engine\nflows.engine.build(2)\n"
    check_transformed(
        "from legacy.walker import W\ndef go(): return W(1)\n",
        "from flows.engine import Runner as W, build\ndef go(): return build(1)\n",
        symbols=[SYMBOL],
        flags=["public-export"],
        path="pkg/__init__.py",
        extra={"app/user.py": (user, called if user.startswith("from") else reached)},
    )


def test_a_package_whose_name_is_only_patched_keeps_nothing() -> None:
    check_transformed(
        "from legacy.walker import W\ndef go(): return W(1)\n",
        "from flows.engine import build\ndef go(): return build(1)\n",
        symbols=[SYMBOL],
        flags=[],
        path="pkg/__init__.py",
        extra={"tests/test_go.py": ("patch('pkg.W')\n", "patch('pkg.build')\n")},
    )
