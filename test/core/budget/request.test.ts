import { describe, expect, test } from 'vitest';
import { emptyLedger } from '../../../src/core/budget/ledger-state.ts';
import { leaseFor } from '../../../src/core/budget/ledger.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const none = { costUsd: 0, tokens: 0 };
const day = { key: 'day:2026-11-21', costUsd: 5 };

describe('leaseFor()', () => {
  const good = { run: 'a', execution: 'e', caps: [day], input: { lease: 1, wanted: none, spent: none } };
  const bad: [name: string, given: unknown][] = [
    ['nothing', null],
    ['no caps', { ...good, caps: [] }],
    ['two caps of one key', { ...good, caps: [day, day] }],
    ['a negative sum', { ...good, input: { ...good.input, spent: { costUsd: -1, tokens: 0 } } }],
    ['a sum that is no number', { ...good, input: { ...good.input, wanted: { costUsd: null, tokens: 0 } } }],
    ['a lease of number 0', { ...good, input: { ...good.input, lease: 0 } }],
    ['a top-up by nobody', { ...good, input: { ...good.input, topUp: { id: 'x', cap: day.key, ...none } } }],
    ['a key of 201 characters', { ...good, caps: [{ ...day, key: 'x'.repeat(201) }] }],
  ];
  test.each(bad)('answers %s with what was expected, and changes nothing', (_name, given) => {
    const { ledger, answer } = leaseFor(emptyLedger, given, { now: NOON, today: '2026-11-21' });
    expect(answer).toMatchObject({
      status: 'unanswerable',
      message: expect.stringContaining('expected {"run"') as string,
    });
    expect(ledger).toBe(emptyLedger);
  });

  test('answers what can be read', () => {
    const { answer } = leaseFor(emptyLedger, good, { now: NOON, today: '2026-11-21' });
    expect(answer).toEqual({ status: 'granted', granted: none });
  });
});
