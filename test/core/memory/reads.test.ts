import { expect, test } from 'vitest';
import type { Observation } from '../../../src/core/apply.ts';
import { compact } from '../../../src/core/memory/compaction.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, reply, result, started, T0 } from '../builders.ts';

const long = 'line of a file\n'.repeat(100);
const other = 'line of another\n'.repeat(100);

/** A call whose digest is that of its input, as the worker makes it. */
function read(
  turn: number,
  path: string,
  content: string,
  tool = 'read',
): readonly (Observation | ((run: Run) => Run))[] {
  const asked = reply(turn, '', [[tool, { path }]]);
  if (asked.kind !== 'reply') throw new Error('unreachable');
  const calls = asked.result.calls.map((call) => ({ ...call, digest: `sha256:${path}` }));
  return [{ ...asked, result: { ...asked.result, calls } }, started(`c${turn}-0`), result(`c${turn}-0`, content)];
}

function lastResult(run: Run): string {
  const block = run.messages.at(-1)?.content[0];
  return block?.type === 'tool_result' ? block.content : '';
}

const reusing = { reuseReads: true };
const policy = { allow: ['write'], ask: [], deny: [] };

const cases: [name: string, run: Run, isReused: boolean][] = [
  ['the same read that finds the same', after(fresh(reusing), ...read(1, 'a', long), ...read(2, 'a', long)), true],
  [
    'the same read that finds something else',
    after(fresh(reusing), ...read(1, 'a', long), ...read(2, 'a', other)),
    false,
  ],
  ['another read that finds the same', after(fresh(reusing), ...read(1, 'a', long), ...read(2, 'b', long)), false],
  ['a short result', after(fresh(reusing), ...read(1, 'a', 'short'), ...read(2, 'a', 'short')), false],
  [
    'a call that changes something',
    after(fresh({ ...reusing, policy }), ...read(1, 'a', long, 'write'), ...read(2, 'a', long, 'write')),
    false,
  ],
  ['a run that does not want it', after(fresh(), ...read(1, 'a', long), ...read(2, 'a', long)), false],
  [
    'what changed and changed back, since its first finding still stands above',
    after(fresh(reusing), ...read(1, 'a', long), ...read(2, 'a', other), ...read(3, 'a', long)),
    false,
  ],
];

test.each(cases)('%s', (_name, run, isReused) => {
  expect(lastResult(run).startsWith('[Unchanged: this read found exactly what the same call found in turn 1')).toBe(
    isReused,
  );
  expect(run.totals.reusedReads ?? 0).toBe(isReused ? 1 : 0);
});

test('what is saved is counted, and told as an event', () => {
  const run = after(fresh(reusing), ...read(1, 'a', long), ...read(2, 'a', long));
  expect(run.totals.reusedBytes).toBeGreaterThan(1_000);
  expect(run.log.kept.find(({ type }) => type === 'read.reused')).toMatchObject({ fromTurn: 1 });
});

test('after a compaction the earlier result no longer stands above, and the read is told in full', () => {
  const turns = [1, 2, 3, 4, 5].flatMap((turn) => read(turn, `f${turn}`, long));
  const run = compact(after(fresh(reusing), ...turns), null, T0);
  expect(lastResult(after(run, ...read(6, 'f1', long)))).toBe(long);
});

test('what was left out because the turn was full does not stand above, and is told in full when asked for again', () => {
  const paths = Array.from({ length: 9 }, (_, index) => `f${index}`);
  const big = (path: string): string => `${path} ${'x'.repeat(49_000)}`;
  const asked = reply(
    1,
    '',
    paths.map((path) => ['read', { path }]),
  );
  if (asked.kind !== 'reply') throw new Error('unreachable');
  const calls = asked.result.calls.map((call, index) => ({ ...call, digest: `sha256:f${index}` }));
  const full = after(
    fresh(reusing),
    { ...asked, result: { ...asked.result, calls } },
    started(...calls.map(({ id }) => id)),
    ...paths.map((path, index) => result(`c1-${index}`, big(path))),
  );
  const left = full.messages.at(-1)?.content.at(-1);
  expect(left?.type === 'tool_result' && left.content).toContain('was left out');
  expect(lastResult(after(full, ...read(2, 'f8', big('f8'))))).toBe(big('f8'));
  expect(lastResult(after(full, ...read(2, 'f0', big('f0'))))).toContain('Unchanged');
});
