import { expect, test } from 'vitest';
import { EVENTS_KEPT_MAX } from '../../src/contract/limits.ts';
import { emptyLog, pageAfter, record } from '../../src/core/events.ts';

const event = { type: 'run.resumed', by: 'ann' } as const;
const many = Array.from({ length: EVENTS_KEPT_MAX + 200 }, () => event);

test('sequence numbers have no gaps', () => {
  const log = record(record(emptyLog, [event, event], 1), [event], 2);
  expect(log.kept.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test('a reader gets what is after its position, once', () => {
  const log = record(emptyLog, many.slice(0, 10), 1);
  expect(pageAfter(log, 7)).toMatchObject({ last: 10, missed: false, events: [{ seq: 8 }, { seq: 9 }, { seq: 10 }] });
  expect(pageAfter(log, 10).events).toEqual([]);
});

test('a reader that is too far behind is told, never served from the wrong place', () => {
  const log = record(emptyLog, many, 1);
  expect(log.kept.length).toBe(EVENTS_KEPT_MAX);
  expect(pageAfter(log, 5)).toMatchObject({ missed: true, last: many.length });
  expect(pageAfter(log, 200).missed).toBe(false);
});
