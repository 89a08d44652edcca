import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { steps } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
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
