import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/contract/events.ts';
import type { Hook } from '../../src/contract/terms.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { openHouse, replay, type House } from '../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
});

const hook = (name: string, on: Hook['on'], command: string, changes: Partial<Hook> = {}): Hook => ({
  name,
  on,
  command,
  effect: 'idempotent',
  timeoutMs: 20_000,
  ...changes,
});

function ended(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === 'hook.ended' ? [`${event.hook} ${event.status}`] : []));
}

const write = { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a' } }] };
const freely = { policy: { allow: ['write_file', 'bash'] } } as const;

test('a hook before a tool denies its call, and the model hears why', async () => {
  const deny = hook('office-hours', 'before_tool', `echo '{"decision":"deny","reason":"not on a Sunday"}'`, {
    match: ['write_file'],
  });
  const run = await house.start(steps([write, (seen) => ({ text: seen.lastResults[0]?.text ?? '' })]), {
    ...freely,
    hooks: [deny],
  });
  const result = await run.result();
  expect(result.answer).toContain('not on a Sunday');
  expect(result.totals).toMatchObject({ denied: 1, toolCalls: 0 });
  await replay(house.client, run.runId);
});

test('hooks are run at their moments, in order, and what they say stands where the model can read it', async () => {
  const says = (text: string): string => `cat > /dev/null; echo '{"context":"${text}"}'`;
  const hooks = [
    hook('ahead', 'before_model', says('mind the gap')),
    hook('look', 'before_tool', 'cat > /dev/null'),
    hook('behind', 'after_tool', says('it was written')),
    hook('judged', 'after_critique', 'cat > verdict.json'),
    hook('last', 'before_stop', 'cat > outcome.json'),
  ];
  const run = await house.start(
    (seen) =>
      seen.lastWords.includes('strict reviewer')
        ? { text: '{"action":"continue","reason":"on its way","confidence":90}' }
        : seen.turn === 0
          ? write
          : { text: seen.words.join(' | ') },
    { ...freely, hooks, critique: { when: ['every_turn'], redoMax: 1 } },
  );
  const result = await run.result();
  expect(result.answer).toContain('mind the gap');
  expect(result.answer).toContain('it was written');
  expect(ended(await run.events())).toEqual(['ahead ok', 'look ok', 'behind ok', 'judged ok', 'ahead ok', 'last ok']);
  const outcome = JSON.parse(await readFile(join(house.workspace, 'outcome.json'), 'utf8')) as { outcome: unknown };
  expect(outcome.outcome).toMatchObject({ status: 'completed', reason: 'answered' });
  expect(await readFile(join(house.workspace, 'verdict.json'), 'utf8')).toContain('on its way');
  await replay(house.client, run.runId);
});

test('hooks that break lose no run, and only a required one keeps its call from running', async () => {
  const hooks = [
    hook('broken', 'before_model', 'exit 3'),
    hook('slow', 'after_tool', 'sleep 30', { timeoutMs: 500 }),
    hook('junk', 'before_stop', 'echo no json'),
  ];
  const loose = await house.start(steps([write, { text: 'done' }]), { ...freely, hooks });
  expect(await loose.result()).toMatchObject({ stopReason: 'answered', totals: { toolCalls: 1 } });
  expect(ended(await loose.events())).toEqual(['broken failed', 'slow failed', 'broken failed', 'junk failed']);
  const strict = await house.start(steps([write, (seen) => ({ text: seen.lastResults[0]?.text ?? '' })]), {
    ...freely,
    hooks: [hook('must', 'before_tool', 'exit 3', { required: true })],
  });
  expect((await strict.result()).answer).toMatch(/^permission_denied: the hook "must"/u);
});
