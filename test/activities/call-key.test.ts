import { expect, test } from 'vitest';
import { keyOf } from '../../src/activities/call-key.ts';
import type { RunToolInput } from '../../src/contract/activities.ts';
import { safeName } from '../../src/tools/safe-name.ts';

const input: RunToolInput = {
  chain: 'f1e2d3c4-0000-4000-8000-000000000000',
  turn: 3,
  index: 1,
  callId: 'toolu_1',
  digest: `sha256:${'ab'.repeat(32)}`,
  messages: 7,
};
const answer = { action: 'accept', state: 's' } as const;

test('the key of a call is a readable file name', () => {
  expect(keyOf(input)).toBe('f1e2d3c4-t3-c1-abababababab');
  expect(safeName(keyOf(input))).toBe(keyOf(input));
});

test('a run that has the id of an earlier one, on a server whose database was deleted, never finds its results', () => {
  expect(keyOf({ ...input, chain: '00000000-0000-4000-8000-000000000000' })).not.toBe(keyOf(input));
});

test.each<[string, Partial<RunToolInput>]>([
  ['turn', { turn: 4 }],
  ['place in the turn', { index: 2 }],
  ['arguments', { digest: `sha256:${'cd'.repeat(32)}` }],
  ['start by a person’s word', { attempt: 2 }],
  ['start with an answer', { answers: [answer] }],
  ['start with another answer', { answers: [answer, answer] }],
])('another %s is another key', (_what, change) => {
  expect(keyOf({ ...input, ...change })).not.toBe(keyOf(input));
});

test('what a retry may bring along makes no other key', () => {
  expect(keyOf({ ...input, attempt: 1, grant: 'rule', messages: 9, answers: [] })).toBe(keyOf(input));
});
