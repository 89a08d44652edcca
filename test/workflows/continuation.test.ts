import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerApproval } from '../../src/client.ts';
import { SIGNALS } from '../../src/contract/names.ts';
import { CALLS_PER_TURN_MAX } from '../../src/contract/limits.ts';
import { steps, type Scenario } from '../../src/models/offline/scenario.ts';
import { countingTool, fillerTool } from '../support/counting-tools.ts';
import { openHouse, replay, type House } from '../support/house.ts';

const counts = new Map<string, number>();
let house: House;
beforeAll(async () => {
  house = await openHouse({ tools: [countingTool(counts), fillerTool] });
});
afterAll(async () => {
  await house.close();
});

const roomy = { turns: 10_000, toolCalls: 100_000, activeMs: 1e9, tokens: 1e12, costUsd: 1e6 };

test(
  'a run of 900 turns works: it continues as new, compacts, and does each call once',
  { timeout: 240_000 },
  async () => {
    const turns = 900;
    const script: Scenario = (seen) => {
      const done = Number(/is (\d+)/u.exec(seen.lastResults[0]?.text ?? '')?.[1] ?? 0);
      if (done >= turns - 1) return { text: `counted ${done}` };
      return {
        thinking: 'go on',
        text: 'lorem ipsum '.repeat(80),
        calls: [{ name: 'count', input: { name: 'long', filler: 'x'.repeat(800) } }],
      };
    };
    const run = await house.start(script, { limits: roomy, policy: { allow: ['count'] } });
    const result = await run.result();
    expect(result).toMatchObject({
      outcome: { status: 'completed' },
      answer: `counted ${turns - 1}`,
      totals: { turns, toolCalls: turns - 1 },
    });
    expect(counts.get('long')).toBe(turns - 1);
    const events = await run.handle.query<{ last: number; missed: boolean }, [unknown]>('events', { after: 0 });
    // Five events a turn and more, numbered on through every continuation.
    expect(events.last).toBeGreaterThan(turns * 4);
    const view = await run.handle.query<{ continuations: number }, [unknown]>('state', {});
    expect(view.continuations).toBeGreaterThan(1);
  },
);

test('an open approval, its deadline and the events survive a continuation', { timeout: 240_000 }, async () => {
  const run = await house.start(
    steps([
      { calls: [{ name: 'bash', input: { command: 'echo kept' } }] },
      (seen) => ({ text: seen.results[0]?.text ?? '' }),
    ]),
  );
  const before = await run.until(({ state }) => state === 'awaiting_human');
  // Nothing is done, but the history fills: the run must go on in a new one without losing the question.
  for (let sent = 0; sent < 4_200; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => await run.handle.signal(SIGNALS.resume, { by: 'nobody' })),
    );
  }
  const after = await run.until(({ continuations }) => continuations > 0);
  expect(after.approvals).toEqual(before.approvals);
  expect(after.lastEvent).toBeGreaterThan(before.lastEvent);
  const [approval] = after.approvals;
  await answerApproval(house.client, run.runId, {
    id: approval!.id,
    digest: approval!.digest,
    decision: 'approve',
    by: 'ann',
  });
  const again = await answerApproval(house.client, run.runId, {
    id: approval!.id,
    digest: approval!.digest,
    decision: 'approve',
    by: 'bob',
  });
  expect(again.kind === 'refused' || again.kind === 'gone').toBe(true);
  expect((await run.result()).answer).toContain('kept');
  await replay(house.client, run.runId);
});

test('5,000 messages to one run are all heard, in order, and end nothing', { timeout: 240_000 }, async () => {
  const heard = new Set<string>();
  const script: Scenario = (seen) => {
    for (const word of seen.words) for (const [, n] of word.matchAll(/note (\d+)\b/gu)) heard.add(n!);
    return heard.size >= 5_000
      ? { text: 'heard all' }
      : { calls: [{ name: 'filler', input: { bytes: 10 } }], text: `turn ${seen.turn}` };
  };
  const run = await house.start(script, { limits: roomy });
  for (let i = 0; i < 5_000; i += 250) {
    await Promise.all(
      Array.from(
        { length: 250 },
        async (_, k) => await run.handle.signal(SIGNALS.send, { by: 'ann', text: `note ${i + k}` }),
      ),
    );
  }
  const result = await run.result();
  expect(result).toMatchObject({ outcome: { status: 'completed' }, answer: 'heard all' });
});

test('a turn of 100 large results in parallel stays under every limit', async () => {
  const calls = Array.from({ length: 100 }, (_, i) => ({ name: 'filler', input: { bytes: 250_000, mark: `#${i} ` } }));
  const run = await house.start(steps([{ calls }, (seen) => ({ text: `${seen.lastResults.length} results` })]), {
    limits: roomy,
  });
  expect(await run.result()).toMatchObject({ outcome: { status: 'completed' }, answer: '100 results' });
  await replay(house.client, run.runId);
});

test('a tool result of 5 MB is cut before it can end or wedge the run', async () => {
  const run = await house.start(
    steps([
      { calls: [{ name: 'filler', input: { bytes: 5_000_000 } }] },
      (seen) => ({ text: `${seen.lastResults[0]?.text.length}` }),
    ]),
  );
  const result = await run.result();
  expect(Number(result.answer)).toBeGreaterThan(10_000);
  expect(Number(result.answer)).toBeLessThan(330_000);
});

test(
  'a request for 2,500 calls in one turn is answered for each, and the run goes on',
  { timeout: 240_000 },
  async () => {
    const calls = Array.from({ length: 2_500 }, () => ({ name: 'filler', input: { bytes: 10 } }));
    const run = await house.start(
      steps([{ calls }, (seen) => ({ text: `${seen.lastResults.filter(({ isError }) => isError).length} not run` })]),
      { limits: roomy },
    );
    expect((await run.result()).answer).toBe(`${2_500 - CALLS_PER_TURN_MAX} not run`);
  },
);
