"""Whole calls of LangChain's write_todos: JSON text in, the command with the reply's text out.

python measure.py FOLDER BUDGET_MS SIZE...; prints a JSON line for each median.
"""

import json
import pathlib
import statistics
import sys
import time

from langchain.agents.middleware import TodoListMiddleware
from langchain.tools import ToolRuntime

folder, budget, *sizes = sys.argv[1:]
[write_todos] = TodoListMiddleware().tools


def call(text):
    """Calls the tool as an agent's tool node does, and gives the command and the time in µs."""
    start = time.perf_counter()
    runtime = ToolRuntime(
        state={}, context=None, config={}, stream_writer=lambda _: None, tool_call_id="call-1", store=None
    )
    args = {**json.loads(text), "runtime": runtime}
    command = write_todos.invoke({"type": "tool_call", "id": "call-1", "name": "write_todos", "args": args})
    return command, (time.perf_counter() - start) * 1e6


def confirm(command, tasks, completed):
    todos = command.update["todos"]
    found = len(todos), sum(todo["status"] == "completed" for todo in todos)
    assert found == (tasks, completed), f"the work was not done: {found}"
    [message] = command.update["messages"]
    assert message.status == "success" and todos[-1]["content"] in message.content


def measure(operation, tasks, once):
    """As `measure` in src/measure.rs."""
    start, times = time.perf_counter(), []

    def elapsed():
        return (time.perf_counter() - start) * 1000

    while elapsed() < float(budget) or (len(times) < 3 and elapsed() < 1000):
        times.append(once())
    times = times[len(times) // 4 :]
    micros = statistics.median(times)
    print(json.dumps({"operation": operation, "tasks": tasks, "micros": micros, "calls": len(times)}))


def in_turns(texts, completed, tasks):
    turn = 0

    def once():
        nonlocal turn
        turn = 1 - turn
        command, micros = call(texts[turn])
        confirm(command, tasks, completed[turn])
        return micros

    return once


for size in sizes:
    work = json.loads((pathlib.Path(folder) / f"{size}.json").read_text(encoding="utf-8"))
    tasks, (few, more) = work["tasks"], work["completed"]
    measure("write_omitted", tasks, in_turns(work["todos"], [few, more], tasks))
    measure("write_non_latin", tasks, in_turns([work["todos_non_latin"]] * 2, [few, few], tasks))
    measure("update", tasks, in_turns(work["todos_update"], [few, few + 1], tasks))
