import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRun, watchRun } from '../../src/client.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

test('a bug of ours ends the run as failed, where people see it, instead of holding it for ever', async () => {
  const run = await house.start(steps([{ text: 'unused' }]), { runId: `fine-${house.taskQueue}` });
  await run.result();
  const workflowId = `bug-${house.taskQueue}`;
  const handle = await house.client.workflow.start('agentRun', {
    workflowId,
    taskQueue: house.taskQueue,
    args: [{ spec: { ...run.spec, runId: workflowId, limits: null } }],
  });
  await expect(handle.result()).rejects.toThrow();
  expect((await handle.describe()).status.name).toBe('FAILED');
  const reading = await readRun(house.client, workflowId);
  expect(reading).toMatchObject({ kind: 'ended', closedAs: 'FAILED' });
  const seen = [];
  for await (const item of watchRun(house.client, workflowId)) seen.push(item);
  expect(seen.at(-1)?.kind).toBe('end');
});

test('a run reads, writes and answers, and its history replays', async () => {
  await writeFile(join(house.workspace, 'a.txt'), 'forty-two\n');
  const run = await house.start(
    steps([
      {
        thinking: 'look first',
        calls: [
          { name: 'read_file', input: { path: 'a.txt' } },
          { name: 'ls', input: {} },
        ],
      },
      (seen) => ({
        calls: [{ name: 'write_file', input: { path: 'out.txt', content: `got ${seen.lastResults[0]?.text.trim()}` } }],
      }),
      { text: 'Written.' },
    ]),
    { policy: { allow: ['write_file(*.txt)'] } },
  );
  const result = await run.result();
  expect(result).toMatchObject({
    outcome: { status: 'completed' },
    answer: 'Written.',
    totals: { turns: 3, toolCalls: 3 },
  });
  expect(await readFile(join(house.workspace, 'out.txt'), 'utf8')).toContain('got forty-two');
  await replay(house.client, run.runId);
});
