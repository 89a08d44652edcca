import { expect, test } from 'vitest';
import type { ToolCall, ToolCallStatus } from '../../../src/contract/tool-calls.ts';
import { CALL_LIFE, ended, isOpen, moved } from '../../../src/core/calls/call-life.ts';

const call = (status: ToolCallStatus): ToolCall => ({
  id: 'c',
  index: 0,
  tool: 'bash',
  effect: 'unsafe',
  digest: '',
  summary: '',
  status,
});

const statuses = Object.keys(CALL_LIFE) as ToolCallStatus[];

test('the life of a call leads from validating to each end, and no further', () => {
  const reached = new Set<ToolCallStatus>(['validating']);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const status of reached) for (const next of CALL_LIFE[status]) reached.add(next);
  }
  expect([...reached].toSorted()).toEqual(statuses.toSorted());
  const ends = statuses.filter((status) => CALL_LIFE[status].length === 0);
  expect(ends).toEqual(['success', 'error', 'denied', 'expired', 'cancelled', 'unknown']);
});

test.each(statuses)('a call that is %s goes where its life leads and nowhere else', (from) => {
  for (const to of statuses) expect(moved(call(from), to).status).toBe(CALL_LIFE[from].includes(to) ? to : from);
});

test('a call that waits its turn never starts once it is cancelled', () => {
  const cancelled = ended(call('scheduled'), { status: 'cancelled', content: 'cancelled', durationMs: 0 });
  expect(isOpen(cancelled)).toBe(false);
  expect(moved(cancelled, 'executing')).toBe(cancelled);
  expect(ended(cancelled, { status: 'success', content: 'late', durationMs: 0 })).toBe(cancelled);
});
