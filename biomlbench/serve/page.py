"""The OpenAPI document as a page that needs no network and no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from biomlbench.contracts.mappings import JsonObject

__all__ = ["CONTENT_SECURITY_POLICY", "render"]

CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

_TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ api.info.title }}: HTTP interface</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: .9rem/1.4 ui-monospace, monospace; }
pre { padding: .75rem; border: 1px solid #8886; border-radius: .4rem; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-top: 1px solid #8884; }
h2 { margin-top: 2.5rem; }
</style>
</head>
<body>
<h1>{{ api.info.title }} {{ api.info.version }}</h1>
<p>{{ api.info.description }} The machine-readable description is
<a href="openapi.json">openapi.json</a>.</p>
{% for path, methods in api.paths.items() %}{% for method, operation in methods.items() %}
<h2><code>{{ method | upper }} {{ path }}</code></h2>
<p>{{ operation.summary }} {{ operation.description }}</p>
{% if operation.requestBody %}
{% set form = operation.requestBody.content["multipart/form-data"].schema %}
<table>
<tr><th>field</th><th>required</th><th>what it is</th></tr>
{% for name, field in form.properties.items() %}
<tr><td><code>{{ name }}</code></td><td>{{ "yes" if name in form.required else "no" }}</td>
<td>{{ field.description }}</td></tr>
{% endfor %}
</table>
<pre>curl -F file=@submission{{ ".py" if path == "/evaluate" else ".csv" -}}
{{ "" if "task_id" not in form.required else " -F task_id=TASK" }} HOST:PORT{{ path }}</pre>
{% endif %}
<table>
<tr><th>status</th><th>when</th><th>JSON</th></tr>
{% for status, response in operation.responses.items() %}
{% set name = response.content["application/json"].schema["$ref"].split("/")[-1] %}
<tr><td>{{ status }}</td><td>{{ response.description }}</td>
<td><a href="#{{ name }}">{{ name }}</a></td></tr>
{% endfor %}
</table>
{% endfor %}{% endfor %}
<h2>JSON</h2>
{% for name, schema in api.components.schemas.items() %}
<h3 id="{{ name }}">{{ name }}</h3>
<p>{{ schema.description }}</p>
{% if schema.enum %}
<p>{% for value in schema.enum %}
<code>{{ value }}</code>{{ "" if loop.last else "," }}
{% endfor %}</p>
{% else %}
<table>
{% for key, value in schema.properties.items() %}
<tr><td><code>{{ key }}</code></td><td>{{ value | kind }}</td>
<td>{{ value.description or "" }}</td></tr>
{% endfor %}
</table>
{% endif %}
{% endfor %}
</body>
</html>
"""


def _kind(schema: JsonObject) -> str:
    if "$ref" in schema:
        result: str = schema["$ref"].rpartition("/")[2]
        return result
    if "const" in schema:
        return f"“{schema['const']}”"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema["type"])


def render(api: JsonObject) -> str:
    """Return the page.

    Parameters
    ----------
    api : dict
        As :func:`biomlbench.serve.openapi.description` gives.

    Returns
    -------
    str
        HTML without links to other hosts.
    """
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["kind"] = _kind
    return environment.from_string(_TEMPLATE).render(api=api)
