"""Runs the session of session.json with the official Python client, and asserts what comes back.

usage: session.py SESSION TOOLS MODE COMMAND...

SESSION and TOOLS are JSON files: the calls with their answers, and the tools that the server lists. MODE is
how the client begins: legacy (initialize) or auto (server/discover).
"""

import asyncio
import importlib.metadata
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def wire(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def equal(received, wanted):
    assert received == wanted, f"\nreceived {json.dumps(received)}\nwanted   {json.dumps(wanted)}"


async def step(client, step):
    text = "\n".join(step["text"])
    arguments = step.get("arguments")
    print(f"> {step['tool']} {json.dumps(arguments) if arguments is not None else ''}".rstrip())
    try:
        result = wire(await client.call_tool(step["tool"], arguments))
    except MCPError as error:
        equal(error.error.message, text)
        equal(error.error.code, step.get("protocolError"))
        outcome = f"protocol error {error.error.code}"
    else:
        assert "protocolError" not in step, result
        equal(result["content"], [{"type": "text", "text": text}])
        equal(result["isError"], "data" not in step)
        wanted = {"content": text, **step["data"]} if "data" in step else None
        equal(result.get("structuredContent"), wanted)
        assert wanted or "structuredContent" not in result
        outcome = f"revision {wanted['revision']}" if wanted else "isError"
        if wanted and "summary" in wanted:
            outcome += f", canFinish {str(wanted['summary']['canFinish']).lower()}"
    for line in text.splitlines():
        print(f"  {line}".rstrip())
    print(f"  [{outcome}]")


async def main(session, tools, mode, command):
    with open(session) as file:
        session = json.load(file)
    with open(tools) as file:
        tools = json.load(file)
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with Client(stdio_client(server), mode=mode) as client:
        equal(wire(client.server_info), session["serverInfo"])
        equal(client.instructions, session["instructions"])
        equal(client.protocol_version, VERSIONS[mode])
        listed = await client.list_tools()
        equal([wire(tool) for tool in listed.tools], tools)
        version = importlib.metadata.version("mcp")
        info = client.server_info
        print(f"== Python mcp {version}, protocol {client.protocol_version}: {info.name} {info.version}, "
              f"{len(listed.tools)} tools")
        for each in session["steps"]:
            await step(client, each)
    print()


asyncio.run(main(*sys.argv[1:4], sys.argv[4:]))
