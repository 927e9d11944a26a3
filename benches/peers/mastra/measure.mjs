// Whole calls of Mastra's task tools: JSON text in, JSON text out, over its store in memory.
// node measure.mjs FOLDER BUDGET_MS SIZE...; prints a JSON line for each median.
import { Mastra } from '@mastra/core/mastra';
import { RequestContext } from '@mastra/core/request-context';
import { InMemoryStore } from '@mastra/core/storage';
import { taskCheckTool, taskUpdateTool, taskWriteTool } from '@mastra/core/tools';
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, budget, ...sizes] = process.argv.slice(2);
const threadId = 'thread-1';
const storage = new InMemoryStore();
const mastra = new Mastra({ storage, logger: false });
const states = await storage.getStore('threadState');

const stored = () => states.getState({ threadId, type: 'task' });
const begin = tasks => states.setState({ threadId, type: 'task', value: tasks });

async function call(tool, text) {
  const start = performance.now();
  const context = { mastra, requestContext: new RequestContext(), agent: { threadId, resourceId: 'user-1' } };
  const result = await tool.execute(JSON.parse(text), context);
  const reply = JSON.stringify(result);
  const micros = (performance.now() - start) * 1000;
  assert.equal(result.isError, false, reply.slice(0, 300));
  return { list: result.tasks, micros };
}

function confirm(list, tasks, completed) {
  const found = list.filter(task => task.status === 'completed').length;
  assert.deepEqual([list.length, found], [tasks, completed], 'the work was not done');
}

function median(times) {
  times.sort((a, b) => a - b);
  const middle = Math.floor(times.length / 2);
  return times.length % 2 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

// As `measure` in src/measure.rs.
async function measure(operation, tasks, once) {
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  let times = [];
  while (elapsed() < budget || (times.length < 3 && elapsed() < 1000)) times.push(await once());
  times = times.slice(Math.floor(times.length / 4));
  console.log(JSON.stringify({ operation, tasks, micros: median(times), calls: times.length }));
}

for (const size of sizes) {
  const work = JSON.parse(readFileSync(join(folder, `${size}.json`), 'utf8'));
  const [few, more] = work.completed;
  const inTurns = [
    ['write_omitted', taskWriteTool, work.omitted, [few, more]],
    ['write_explicit', taskWriteTool, work.explicit, [few, more]],
    ['update', taskUpdateTool, work.update, [few, few + 1]],
    ['check', taskCheckTool, ['{}', '{}'], [few, few]],
  ];
  for (const [operation, tool, texts, completed] of inTurns) {
    await begin(JSON.parse(work.explicit[0]).tasks);
    let turn = 0;
    await measure(operation, work.tasks, async () => {
      turn = 1 - turn;
      const { list, micros } = await call(tool, texts[turn]);
      confirm(list, work.tasks, completed[turn]);
      return micros;
    });
    confirm(await stored(), work.tasks, completed[turn]);
  }
  await measure('write_non_latin', work.tasks, async () => {
    await begin([]);
    const { list, micros } = await call(taskWriteTool, work.non_latin);
    confirm(list, work.tasks, few);
    return micros;
  });
  confirm(await stored(), work.tasks, few);
}
process.exit(0);
