import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compact, planCompaction } from '../../../src/core/memory/compaction.ts';
import { receive } from '../../../src/core/people/inbox.ts';
import type { Run } from '../../../src/core/run.ts';
import { settleRun } from '../../../src/core/settle.ts';
import { after, fresh, planOf, reply, T0, words } from '../builders.ts';
import { limits, terms, turn } from './turns.ts';

const drawn = fc.array(fc.constantFrom('turn', 'words', 'plan', 'compact'), { minLength: 6, maxLength: 60 });

test('whatever happened in between, no compaction loses or repeats a word of people', () => {
  fc.assert(
    fc.property(drawn, (steps) => {
      let run = fresh({ compaction: { ...terms, by: 'model' }, limits });
      const said: string[] = [];
      for (const step of [...steps, 'compact']) {
        if (step === 'turn') run = turn(run, 10);
        if (step === 'plan') run = after({ ...run, planned: false }, planOf(run.turn));
        if (step === 'words') {
          said.push(`word ${said.length}.`);
          run = settleRun(receive(run, { by: 'ann', text: said.at(-1) ?? '' }, T0), T0);
        }
        const { messages } = planCompaction(run);
        if (step !== 'compact' || messages === 0) continue;
        run = compact(run, { messages, by: 'model', result: words('We read.') }, T0);
        const told = JSON.stringify(run.messages);
        expect(said.map((word) => told.split(`ann says: ${word}`).length - 1)).toEqual(said.map(() => 1));
      }
    }),
  );
});

/** A run in which the agent asked a person, got an answer, and went on. */
function answered(): Run {
  const asked = after(
    fresh({ compaction: { ...terms, by: 'model' }, limits }),
    reply(1, '', [['ask_human', { question: 'Which database?' }]]),
  );
  const approvals = asked.approvals.map((approval) => ({
    ...approval,
    status: 'answered' as const,
    answer: { by: 'ann', at: T0, text: 'Postgres, and never touch prod.' },
  }));
  const run = settleRun({ ...asked, approvals }, T0);
  return Array.from({ length: 8 }).reduce<Run>((so) => turn(so, 10), run);
}

test('an answer that people gave outlasts each compaction word for word, with what was asked', () => {
  let run = answered();
  for (const _ of [1, 2]) {
    const { messages } = planCompaction(run);
    run = compact(run, { messages, by: 'model', result: words('We read.') }, T0);
    const text = JSON.stringify(run.messages);
    expect(text.split('Postgres, and never touch prod.').length - 1).toBe(1);
    expect(text).toContain('Which database?');
    run = turn(turn(run, 10), 10);
  }
});

test('an answer that still stands in the kept turns is not told twice', () => {
  const run = answered();
  const kept = compact(run, { messages: 1, by: 'model', result: words('Nothing.') }, T0);
  expect(JSON.stringify(kept.messages)).not.toContain('What people told you');
});
