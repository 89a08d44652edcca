import { afterAll, beforeAll, expect, test } from 'vitest';
import { classifyFailure } from '../../src/models/errors.ts';
import type { ModelErrorKind } from '../../src/models/model.ts';
import { faults, type Fault } from '../../src/models/offline/faults.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { failureOf, modelAt, quiet, requestTo, speech } from './offline/calling.ts';

let offline: OfflineModel;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

interface Expected {
  readonly kind: ModelErrorKind;
  readonly operator?: 'credentials' | 'credit';
  readonly retryAfterMs?: number;
  readonly says?: RegExp;
}

const failures: readonly [name: string, fault: Fault, expected: Expected][] = [
  [
    'a rate limit with a time to wait',
    faults.rateLimited(3),
    { kind: 'unavailable', retryAfterMs: 3_000, says: /429 rate_limit_error/ },
  ],
  [
    'a wait longer than ten minutes, which is cut',
    faults.rateLimited(7_200),
    { kind: 'unavailable', retryAfterMs: 600_000 },
  ],
  ['a spend limit as 429', faults.spendLimit(), { kind: 'operator', operator: 'credit' }],
  ['an empty account as 400', faults.outOfCredit(), { kind: 'operator', operator: 'credit' }],
  ['402', faults.paymentRequired(), { kind: 'operator', operator: 'credit' }],
  ['401', faults.unauthorized(), { kind: 'operator', operator: 'credentials' }],
  ['403', faults.forbidden(), { kind: 'operator', operator: 'credentials' }],
  ['529', faults.overloaded(), { kind: 'unavailable', says: /529 overloaded_error: Overloaded \(request req_/ }],
  ['500', faults.internal(), { kind: 'unavailable' }],
  ['502 with a page', faults.badGateway(), { kind: 'unavailable' }],
  ['200 with a page', faults.notAMessage(), { kind: 'unavailable' }],
  ['408', { kind: 'http', status: 408, type: 'timeout_error', message: 'slow' }, { kind: 'unavailable' }],
  ['409', { kind: 'http', status: 409, type: 'conflict_error', message: 'busy' }, { kind: 'unavailable' }],
  ['400', faults.badRequest('messages: no'), { kind: 'rejected', says: /400 invalid_request_error: messages: no/ }],
  [
    '400 that the API wants repeated',
    { kind: 'http', status: 400, type: 'invalid_request_error', message: 'hm', shouldRetry: true },
    { kind: 'unavailable' },
  ],
  [
    '500 that the API does not want repeated',
    { kind: 'http', status: 500, type: 'api_error', message: 'no', shouldRetry: false },
    { kind: 'rejected' },
  ],
  ['404', { kind: 'http', status: 404, type: 'not_found_error', message: 'model: x' }, { kind: 'rejected' }],
  ['a prompt that is too long', faults.promptTooLong(), { kind: 'context' }],
  [
    'a full window of prompt and reply',
    faults.badRequest('input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000'),
    { kind: 'context' },
  ],
  ['413', faults.tooLarge(), { kind: 'context' }],
  ['a connection that breaks', { kind: 'drop', afterEvents: 5 }, { kind: 'unavailable' }],
  ['a connection that breaks before the first event', { kind: 'drop', afterEvents: 0 }, { kind: 'unavailable' }],
  ['a stream that ends early in good order', { kind: 'close', afterEvents: 6 }, { kind: 'unavailable' }],
  ['a stream without its last event', { kind: 'close', afterEvents: 1_000 }, { kind: 'unavailable' }],
  [
    'an overload told in mid-stream',
    { kind: 'error_event', afterEvents: 4, type: 'overloaded_error', message: 'Overloaded' },
    { kind: 'unavailable', says: /in mid-stream overloaded_error: Overloaded/ },
  ],
  [
    'a refusal told in mid-stream',
    { kind: 'error_event', afterEvents: 4, type: 'invalid_request_error', message: 'no' },
    { kind: 'rejected' },
  ],
  [
    'an unheard-of error told in mid-stream',
    { kind: 'error_event', afterEvents: 4, type: 'moon_error', message: 'full' },
    { kind: 'unavailable' },
  ],
];

test.each(failures)('call(): %s has its own kind', async (name, fault, expected) => {
  const id = `offline-${name}`;
  offline.script(id, () => speech);
  offline.inject(id, fault);
  const error = await failureOf(modelAt(offline).call(requestTo(id), quiet()));
  expect({ kind: error.kind, operator: error.operator, retryAfterMs: error.retryAfterMs }).toEqual({
    kind: expected.kind,
    operator: expected.operator,
    retryAfterMs: expected.retryAfterMs,
  });
  expect(error.message).toMatch(/^Cannot call "offline-.*": /s);
  expect(error.message).toMatch(expected.says ?? /./);
  expect(offline.counts(id).requests).toBe(1);
});

test('causes are told once, and a circle of them has an end', () => {
  const inner = new Error('other side closed.');
  const outer = new Error('terminated', { cause: inner });
  inner.cause = outer;
  const { message } = classifyFailure(outer, { model: 'offline', cancelled: false, silentMs: null });
  expect(message).toBe('Cannot call "offline": terminated: other side closed: terminated: other side closed');
});
