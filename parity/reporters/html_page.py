"""HTML pages as single files: templates, styles and scripts put into one text that needs no network and no server.

Everything that a template is given is escaped. The page's own policy (a meta element) lets a browser run nothing but the
scripts and styles that are in the file, and ask for nothing else. jinja2 is an extra; it is imported when a page is made.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...adapters.errors import EnvironmentProblem

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

FOLDER = "templates"


def html_ready() -> None:
    """Raises `EnvironmentProblem` where jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise EnvironmentProblem(
            "an HTML page needs jinja2, which is not installed", mend="pip install 'graphlift[html]'"
        )


class Pages:
    """The templates of a package's folder `templates`, with those of this package (the base page) behind them."""

    def __init__(self, package: str) -> None:
        html_ready()
        self._environment = _environment(package)

    def fragment(self, template: str, **values: Any) -> Markup:
        """A part of a page, to be put into another template as it is."""
        from markupsafe import Markup

        # It is the output of a template that escapes, not text from anywhere else.
        return Markup(self._environment.get_template(template).render(values))  # noqa: S704

    def page(self, template: str, *, scripts: Sequence[str] = (), styles: Sequence[str] = (), **values: Any) -> str:
        """A whole page, with the base's style and script and more of both by file name."""
        style = "\n".join(self._source(name) for name in ("page.css", *styles))
        script = "\n".join(self._source(name) for name in ("page.js", *scripts))
        policy = (
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )
        shown = self._environment.get_template(template).render(
            values, style=self._as_it_is(style), script=self._as_it_is(script), policy=policy
        )
        return "\n".join(line.rstrip() for line in shown.splitlines() if line.strip()) + "\n"

    def _source(self, name: str) -> str:
        loader = self._environment.loader
        text = loader.get_source(self._environment, name)[0] if loader else ""
        # A browser reads CRLF as LF before it takes the digest.
        return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())

    @staticmethod
    def _as_it_is(source: str) -> Markup:
        from markupsafe import Markup

        return Markup(source)  # noqa: S704  # a file of this package


@lru_cache
def _environment(package: str) -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    names = dict.fromkeys([package, __package__ or ""])
    loader = ChoiceLoader([PackageLoader(name, FOLDER) for name in names])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode("ascii")
