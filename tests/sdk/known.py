"""Reads what a vendor's SDK can send from the SDK's own package: `METHOD /path` (or a procedure) and the fields of
each.

A field of a query begins with `?`, a part of a form with `=`; names of members of a list's elements follow the
list's name directly. The result is compared with the vendor's `fields.txt` beside the emulator's code, which says
how each field is treated.
"""

import importlib
import importlib.util
import pathlib
import re
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# How deeply nested members are followed.
DEPTH = 5


def e2b():
    base = package("e2b")
    for file in sorted((base / "api/client/api").rglob("*.py")):
        text = file.read_text()
        where = re.search(r'"method": "(\w+)",\s+"url": f?"([^"]+)"', text)
        if not where:
            continue
        request = f"{where[1].upper()} {where[2]}"
        request = re.sub(r"\{(\w+)\}", "{id}", request)
        yield request, {f"?{name}" for name in re.findall(r'params\["(\w+)"\]', text)} | set(e2b_body(base, text))
    for service in ("process", "filesystem"):
        text = (base / f"envd/{service}/{service}_pb.py").read_text()
        messages = {
            (name, ): fields for name, fields in protobuf_py(text).items()
        }
        connect = (base / f"envd/{service}/{service}_connect.py").read_text()
        methods = re.findall(r'name="(\w+)",\s+service_name="([\w.]+)",\s+input=(?:[\w.]*\.)?(\w+)', connect)
        known = {name: fields for (name,), fields in messages.items()}
        for method, owner, kind in sorted(set(methods)):
            yield f"POST /{owner}/{method}", set(flat(known, f"{service}.{kind}"))


def e2b_body(base, text, depth=DEPTH):
    """The members of the body of a call in E2B's generated client."""
    for name in re.findall(r"^    body: (?:Union\[\s*)?([\w]+)", text, re.M):
        yield from e2b_model(base, name, depth)


def e2b_model(base, name, depth):
    file = base / "api/client/models" / (re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".py")
    for file in (file, file.with_name(file.name.replace("_v_2", "_v2"))):
        if not file.exists():
            continue
        text = file.read_text()
        for member in dict.fromkeys(re.findall(r'field_dict(?:\["(\w+)"\] =|\.update\()|^\s+"(\w+)": \w+,$', text, re.M)):
            member = member[0] or member[1]
            if not member:
                continue
            yield member
            snake = re.sub(r"(?<!^)(?=[A-Z])", "_", member).lower()
            kind = re.search(rf"^    {snake}: .*?'?(Sandbox\w+|NewS\w+)'?", text, re.M)
            if kind and depth:
                for below in e2b_model(base, kind[1], depth - 1):
                    yield f"{member}.{below}"


def protobuf_py(text):
    """The messages in a module of the `protobuf` package by full name, with their fields and types."""
    messages = {}
    for name, body in re.findall(r"message ([\w.]+)\n(.*?)(?=message [\w.]+\n|\Z)", text, re.S):
        members = re.findall(r"^\s+(?:optional |repeated )?([\w.<>, ]+?) (\w+) = \d+;", body, re.M)
        # The types of alternatives are only in the annotations.
        package = name.split(".")[0]
        for member, kind in re.findall(r'Oneof\[Literal\["(\w+)"\], ([\w.]+)\]', body):
            members.append((f"{package}.{kind}", member))
        messages[name] = [(member, kind) for kind, member in members]
    return messages


def flat(messages, kind, depth=DEPTH):
    for name, below in messages.get(kind, []):
        camel = re.sub(r"_(\w)", lambda found: found[1].upper(), name)
        yield camel
        if depth and below in messages:
            yield from (f"{camel}.{rest}" for rest in flat(messages, below, depth - 1))


def daytona():
    for name, prefix in (("daytona_api_client", "/api"), ("daytona_toolbox_api_client", "/toolbox/{id}")):
        base = package(name)
        models = importlib.import_module(f"{name}.models")
        for file in sorted((base / "api").glob("*_api.py")):
            text = file.read_text()
            for method, body in re.findall(r"\n    def _(\w+)_serialize\((.*?)(?=\n    @|\n    def |\Z)", text, re.S):
                verb = re.search(r"method='(\w+)'", body)[1]
                path = re.search(r"resource_path='([^']+)'", body)[1]
                request = f"{verb} {prefix}{re.sub(r'{[^}]+}', '{id}', path)}"
                fields = {f"?{name}" for name in re.findall(r"_query_params\.append\(\s*\(\s*'(\w+)'", body)}
                fields |= {f"={name}" for name in re.findall(r"_(?:form_params\.append\(\(|files\[)'(\w+)'", body)}
                content = re.search(r"if (\w+) is not None:\s+_body_params = \1", body)
                if content:
                    signature = re.search(rf"\n    def {method}\((.*?)\) ->", text, re.S)[1]
                    # The type without its description.
                    kind = re.search(rf"\b{content[1]}: (.*)", signature)[1].split("Field(")[0]
                    for model in re.findall(r"\w+", kind):
                        if hasattr(models, model):
                            fields |= set(pydantic(getattr(models, model)))
                yield request, fields


def pydantic(model, depth=DEPTH):
    if not hasattr(model, "model_fields"):
        return
    for name, field in model.model_fields.items():
        name = field.serialization_alias or field.alias or name
        if name == "additional_properties":
            continue
        yield name
        for kind in kinds(field.annotation):
            if depth and hasattr(kind, "model_fields"):
                yield from (f"{name}.{below}" for below in pydantic(kind, depth - 1))


def kinds(annotation):
    arguments = typing.get_args(annotation)
    if not arguments:
        return [annotation]
    if typing.get_origin(annotation) is dict:
        return []
    return [kind for argument in arguments for kind in kinds(argument)]


def runloop():
    base = package("runloop_api_client")
    for file in sorted((base / "resources").rglob("*.py")):
        text = file.read_text().split("\nclass Async")[0]
        calls = re.finditer(
            r"self\._(post|get|delete|put|patch|get_api_list)\(\s*(?:path_template\(\s*)?f?\"([^\"]+)\"(.*?)(?=\n    def |\Z)", text, re.S
        )
        for call in calls:
            verb, path, rest = call.groups()
            query = "GET" if verb == "get_api_list" else verb.upper()
            fields = set()
            for kind in re.findall(r"(\w+_params)\.(\w+)", rest):
                if kind[0].startswith("shared"):
                    continue
                for found in (base / "types").rglob(f"{kind[0]}.py"):
                    name = ".".join(("runloop_api_client", *found.relative_to(base).with_suffix("").parts))
                    model = getattr(importlib.import_module(name), kind[1], None)
                    sign = "?" if "query=" in rest.split(kind[0])[0][-300:] or query == "GET" else ""
                    if model is not None:
                        fields |= {sign + name for name in typed(model)}
            if "/executions/" in path:
                # The id is in the path.
                fields -= {"devbox_id", "?devbox_id"}
            if path.endswith("/upload_file"):
                # The body is a form.
                fields = {f"={field}" for field in fields}
            yield f"{query} {re.sub(r'{[^}]+}', '{id}', path)}", fields


def typed(model, depth=DEPTH):
    try:
        hints = typing.get_type_hints(model)
    except Exception:
        hints = model.__annotations__
    for name, annotation in hints.items():
        yield name
        for kind in kinds(annotation):
            if depth and isinstance(kind, type) and hasattr(kind, "__total__"):
                yield from (f"{name}.{below}" for below in typed(kind, depth - 1))


def modal():
    for name, service in (("api", "ModalClient"), ("task_command_router", "TaskCommandRouter")):
        module = importlib.import_module(f"modal_proto.{name}_pb2")
        for method in module.DESCRIPTOR.services_by_name[service].methods:
            yield method.name, set(descriptor(method.input_type))


def descriptor(message, depth=DEPTH, seen=()):
    for field in message.fields:
        name = f"{field.number} {field.name}"
        yield name
        below = field.message_type
        if below is None or depth == 0 or below in seen or below.GetOptions().map_entry:
            continue
        for rest in descriptor(below, depth - 1, (*seen, below)):
            number, rest = rest.split(" ", 1)
            yield f"{field.number}.{number} {field.name}.{rest}"


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


def compare(vendor):
    """Fails if a request or field is not in the emulator's table; prints how many were compared."""
    table, missing, count = treated(vendor), [], 0
    requests = {}
    for request, fields in globals()[vendor]():
        requests.setdefault(request, set()).update(fields)
    for request, fields in sorted(requests.items()):
        if request not in table:
            missing.append(request)
            continue
        # The emulator reads parts of forms by name.
        for field in sorted(field for field in fields if not field.startswith("=")):
            count += 1
            if table[request] is not None and not is_treated(table[request], field):
                missing.append(f"{request}  {field}")
    print(f"{vendor}: {len(requests)} requests and {count} fields of the SDK, {len(missing)} not in the table")
    if missing:
        raise SystemExit("\n".join(missing))


def treated(vendor):
    """The table: for each request its fields and how they are treated; `None` for a refused request."""
    table = {}
    for line in (ROOT / "emulator/src" / vendor / "fields.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, *rest = re.split(r"\s{2,}", line.strip())
        if line.startswith(" "):
            # With numbers, in the form of the SDK: `2.5 definition.resources`.
            name, _, numbers = name.partition("#")
            table[request][f"{numbers} {name}".strip()] = rest[0]
        else:
            request = name
            table[request] = None if rest else {}
    return table


def is_treated(fields, field):
    """Whether a field is in the table, or is a part of one that is treated as a whole."""
    if field in fields:
        return True
    numbers, _, name = field.rpartition(" ")
    while "." in name:
        name, numbers = name.rpartition(".")[0], numbers.rpartition(".")[0]
        above = f"{numbers} {name}".strip()
        if above in fields:
            parts = any(other.split()[-1].startswith(f"{name}.") for other in fields)
            return fields[above] != "honoured" or not parts
    return False


def agentcore():
    import botocore.session

    session = botocore.session.get_session()
    for name in ("bedrock-agentcore", "bedrock-agentcore-control"):
        service = session.get_service_model(name)
        for operation in map(service.operation_model, service.operation_names):
            path = operation.http["requestUri"].split("?")[0].rstrip("/")
            request = f"{operation.http['method']} {re.sub(r'{[^}]+}', '{id}', path)}"
            yield request, set(botocore_shape(operation.input_shape)) if operation.input_shape else set()


def botocore_shape(shape, above="", depth=DEPTH):
    """The members of a request's body and query, from AWS's own description."""
    if shape.type_name == "list":
        yield from botocore_shape(shape.member, above, depth)
    if shape.type_name != "structure" or not depth:
        return
    for name, member in shape.members.items():
        place = member.serialization.get("location")
        name = member.serialization.get("name", name)
        if place == "querystring":
            yield f"?{name}"
        elif place is None or above:
            yield above + name
            yield from botocore_shape(member, f"{above}{name}.", depth - 1)


def sandbox0():
    import pkgutil

    api, models = (importlib.import_module(f"sandbox0.apispec.{name}") for name in ("api", "models"))
    for found in pkgutil.walk_packages(api.__path__, f"{api.__name__}."):
        text = pathlib.Path(found.module_finder.find_spec(found.name).origin).read_text()
        where = re.search(r'"method": "(\w+)",\s+"url": "([^"]+)"', text)
        # Skip requests about the service itself, which no SDK makes.
        if found.ispkg or not where or where[2] in ("/healthz", "/metadata", "/metrics", "/readyz"):
            continue
        request = f"{where[1].upper()} {re.sub(r'{[^}]+}', '{id}', where[2])}"
        fields = {f"?{name}" for name in re.findall(r'params\["(\w+)"\]', text)}
        for kind in re.findall(r"^    body: (?:Union\[)?(\w+)", text, re.M):
            if hasattr(getattr(models, kind, None), "to_dict"):
                fields |= set(sandbox0_model(models, getattr(models, kind)))
        yield request, fields


def sandbox0_model(models, model, above="", depth=DEPTH):
    import inspect

    text = inspect.getsource(model)
    names = re.findall(r'field_dict\["(\w+)"\] =', text) + re.findall(r'^ {16}"(\w+)": \w+,$', text, re.M)
    for name in dict.fromkeys(names):
        yield above + name
        snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        for kind in re.findall(r"\w+", (re.search(rf"^    {snake}_?: (.*)$", text, re.M) or ["", ""])[1]):
            if depth and hasattr(getattr(models, kind, None), "to_dict"):
                yield from sandbox0_model(models, getattr(models, kind), f"{above}{name}.", depth - 1)


def deno():
    text = "\n".join(file.read_text() for file in sorted(package("deno_sandbox").glob("*.py")))
    for method in re.findall(r'_rpc\.call\(\s*"(\w+)"', text):
        yield method, set()
    for options in re.findall(r'^        params: dict\[str, Any\] = \{"(?:path|glob)".*?_rpc\.call\("\w+"', text, re.M | re.S):
        method = re.search(r'call\("(\w+)"', options)[1]
        names = re.findall(r'options\["(\w+)"\]', options)
        camel = lambda name: re.sub(r"_(\w)", lambda letter: letter[1].upper(), name)
        yield method, {f"options.{camel(name)}" for name in names}


def langsmith():
    base = package("langsmith") / "sandbox"
    text = (base / "_client.py").read_text()
    root = "/langsmith/api/v2/sandboxes"
    # Each call is a method of the client, which has the path and builds the payload.
    for call in re.split(r"\n    def ", text)[1:]:
        verb = re.search(r"_http\.(get|post|patch|delete|put)\(|request\(\s*\"(\w+)\"", call)
        place = re.search(r'f"\{self\._base_url\}(/[\w-]+)(/\{)?', call)
        box = re.search(r'_box_url\(self\._base_url, \w+(?:, "([\w-]+)")?\)', call)
        payload = set(re.findall(r'payload\["(\w+)"\]', call)) | set(re.findall(r'^ +"(\w+)": \w+,$', call, re.M))
        query = {f"?{name}" for name in re.findall(r'params\["(\w+)"\]', call)}
        if verb and (place or box):
            path = place[1] + ("/{id}" if place[2] else "") if place else f"/boxes/{{id}}/{box[1] or ''}".rstrip("/")
            yield f"{(verb[1] or verb[2]).upper()} {root}{path}", payload | query


def vercel():
    text = (package("vercel.sandbox") / "_internal" / "api_client.py").read_text()
    for call in re.split(r"\n    (?:async )?def ", text)[1:]:
        verb = re.search(r'"(GET|POST|PATCH|DELETE|PUT)",\s+(?:format_url_path\(\s*)?"(v\d/[^"]+)"', call)
        if not verb:
            continue
        path = re.sub(r"{[^}]+}", "{id}", verb[2])
        model = re.search(r"request = (_\w+Request)\(", call)
        fields = set()
        if model:
            own = re.search(rf"^class {model[1]}\b.*?(?=^class |^def |\Z)", text, re.M | re.S)[0]
            camel = lambda name: re.sub(r"_(\w)", lambda letter: letter[1].upper(), name)
            aliases = dict(re.findall(r'^    (\w+): .*?(?:alias|serialization_alias)="(\w+)"', own, re.M))
            names = {aliases.get(name, camel(name)) for name in re.findall(r"^    (\w+): ", own, re.M)}
            mark = "?" if verb[1] == "GET" else ""
            fields = {mark + name for name in names if name != "modelConfig"}
        yield f"{verb[1]} /vercel/api/{path}", fields


if __name__ == "__main__":
    compare(sys.argv[1])
