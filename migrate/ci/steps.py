"""Shell that both pipelines run. Every value comes in as an environment variable, so that no name can become a command."""

from __future__ import annotations

MARK = "<!-- graphlift status -->"
"""The first line of the comment on a pull request, by which the next run finds it again."""

GITHUB_COMMENT = f"""\
{{ echo '{MARK}'; cat "$STATUS"; }} > "$STATUS.comment"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
known=$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("{MARK}")) | .id')
known=${{known%%$'\\n'*}}
if [ -n "$known" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" --field "body=@$STATUS.comment"
else
  gh api --silent --method POST "$comments" --field "body=@$STATUS.comment"
fi
"""
"""Write the status as one comment that is kept up to date. Needs `gh`, STATUS (a file) and PULL_REQUEST (a number)."""

GITLAB_COMMENT = f"""\
if [ -z "${{GRAPHLIFT_TOKEN:-}}" ] || [ -z "${{CI_MERGE_REQUEST_IID:-}}" ]; then
  echo "no comment: this is no merge request, or GRAPHLIFT_TOKEN (a token with the scope api) is not set"
else
  {{ echo '{MARK}'; cat "$STATUS"; }} > "$STATUS.comment"
  notes="$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes"
  header="PRIVATE-TOKEN: $GRAPHLIFT_TOKEN"
  curl --fail --silent --show-error --header "$header" "$notes?per_page=100" --output "$STATUS.notes"
  find='import json, sys; print(next((n["id"] for n in json.load(open(sys.argv[1])) if n["body"].startswith(sys.argv[2])), ""))'
  known=$(python -c "$find" "$STATUS.notes" '{MARK}')
  curl --fail --silent --show-error --header "$header" --output /dev/null \\
    --request "$([ -n "$known" ] && echo PUT || echo POST)" "$notes${{known:+/$known}}" --data-urlencode "body@$STATUS.comment"
fi
"""
"""The same for a merge request, where the project has a token. Needs `curl` and STATUS (a file)."""

INVENTORY = """\
code=0
graphlift inventory --format sarif > "$SARIF" || code=$?
graphlift inventory --format markdown > "$SUMMARY" || true
[ "$code" -eq 0 ] || graphlift inventory || true
exit "$code"
"""
"""The inventory as SARIF and as Markdown, both written also where places are left unexplained."""

GITHUB_GATE = """\
mkdir -p "$REPORTS"
code=0
graphlift parity --report "junit=$REPORTS/parity.xml" --report "markdown=$REPORTS/parity.md" \\
  --report "github=$REPORTS/annotations" || code=$?
if [ -f "$REPORTS/annotations" ]; then cat "$REPORTS/annotations"; fi
if [ -f "$REPORTS/parity.md" ]; then cat "$REPORTS/parity.md" >> "$GITHUB_STEP_SUMMARY"; fi
exit "$code"
"""
"""The gate with its reports in the folder REPORTS; annotations and a summary also where it is red."""

GITLAB_GATE = """\
graphlift parity --report junit=.graphlift/parity.xml --report markdown=.graphlift/parity.md
"""

STATUS = 'graphlift status --format markdown > "$STATUS"\n'


def indented(text: str, by: int) -> str:
    """The text with spaces before every line that is not empty."""
    return "".join(f"{' ' * by}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
