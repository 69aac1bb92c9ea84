"""The official client of the Model Context Protocol, connected to `sandshell mcp`."""

import contextlib
import os

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from servers import http_server

PROGRAM = os.environ["SANDSHELL"]


@contextlib.asynccontextmanager
async def over_stdio(directory, *arguments, mode="auto"):
    server = StdioServerParameters(
        command=PROGRAM, args=["mcp", "--no-packs", *arguments], cwd=directory, env={"HOME": str(directory.parent)}
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


@contextlib.asynccontextmanager
async def over_http(directory, *arguments, mode="auto"):
    with http_server(directory, *arguments) as url:
        async with Client(url, mode=mode) as client:
            yield client


OVER = pytest.mark.parametrize("connect", [over_stdio, over_http])


async def call(client, name, /, **arguments):
    result = await client.call_tool(name, arguments)
    return result.content[0].text, bool(result.is_error)


async def data(client, name, /, **arguments):
    """The answer for clients that read only the structured form."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    return result.structured_content
