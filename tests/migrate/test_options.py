"""Options as dataclasses: a command of groups is a flat command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from graphlift.migrate.options import grouped


@dataclass(frozen=True)
class Which:
    case: Annotated[list[str] | None, typer.Option("--case")] = None
    loud: Annotated[bool, typer.Option("--loud")] = False


@dataclass(frozen=True)
class How:
    jobs: Annotated[int, typer.Option("--jobs", min=0)] = 2


def run(*arguments: str) -> tuple[int, str]:
    app = typer.Typer()

    @app.command("say")
    @grouped
    def say(ctx: typer.Context, which: Which, how: How, last: Annotated[str, typer.Option("--last")] = "z") -> None:
        """Say what was asked for."""
        typer.echo(f"{ctx.info_name} {which} {how} {last}")

    ran = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})
    return ran.exit_code, ran.output


def test_each_group_gets_its_options_and_their_defaults() -> None:
    assert run("--case", "a", "--case", "b", "--last", "y") == (
        0,
        "say Which(case=['a', 'b'], loud=False) How(jobs=2) y\n",
    )
    assert run() == (0, "say Which(case=None, loud=False) How(jobs=2) z\n")


def test_the_help_is_flat_and_in_order_and_has_the_commands_own_words() -> None:
    code, out = run("--help")
    assert (code, "Say what was asked for." in out) == (0, True)
    places = [out.index(name) for name in ("--case", "--loud", "--jobs", "--last")]
    assert places == sorted(places)


def test_what_an_option_refuses_is_refused() -> None:
    assert run("--jobs", "-1")[0] == 2
