import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveText } from '../../src/contract/activities.ts';
import type { Message } from '../../src/contract/messages.ts';
import { ModelError, type ModelErrorKind } from '../../src/models/model.ts';
import { faults, type Fault } from '../../src/models/offline/faults.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { modelAt, quiet, requestTo, result, textIn, user } from './offline/calling.ts';

let offline: OfflineModel;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

const speech = { thinking: 'I should look.', text: 'Looking at it now, in several small pieces.', calls: [{ name: 'bash', input: { command: 'ls', deep: { n: 1 } } }] };

interface Expected {
  readonly kind: ModelErrorKind;
  readonly operator?: 'credentials' | 'credit';
  readonly retryAfterMs?: number;
  readonly says?: RegExp;
}

const failures: readonly [name: string, fault: Fault, expected: Expected][] = [
  ['a rate limit with a time to wait', faults.rateLimited(3), { kind: 'unavailable', retryAfterMs: 3_000, says: /429 rate_limit_error/ }],
  ['a wait longer than ten minutes, which is cut', faults.rateLimited(7_200), { kind: 'unavailable', retryAfterMs: 600_000 }],
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
  ['400 that the API wants repeated', { kind: 'http', status: 400, type: 'invalid_request_error', message: 'hm', shouldRetry: true }, { kind: 'unavailable' }],
  ['500 that the API does not want repeated', { kind: 'http', status: 500, type: 'api_error', message: 'no', shouldRetry: false }, { kind: 'rejected' }],
  ['404', { kind: 'http', status: 404, type: 'not_found_error', message: 'model: x' }, { kind: 'rejected' }],
  ['a prompt that is too long', faults.promptTooLong(), { kind: 'context' }],
  ['a full window of prompt and reply', faults.badRequest('input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000'), { kind: 'context' }],
  ['413', faults.tooLarge(), { kind: 'context' }],
  ['a connection that breaks', { kind: 'drop', afterEvents: 5 }, { kind: 'unavailable' }],
  ['a connection that breaks before the first event', { kind: 'drop', afterEvents: 0 }, { kind: 'unavailable' }],
  ['a stream that ends early in good order', { kind: 'close', afterEvents: 6 }, { kind: 'unavailable' }],
  ['a stream without its last event', { kind: 'close', afterEvents: 1_000 }, { kind: 'unavailable' }],
  ['an overload told in mid-stream', { kind: 'error_event', afterEvents: 4, type: 'overloaded_error', message: 'Overloaded' }, { kind: 'unavailable', says: /in mid-stream overloaded_error: Overloaded/ }],
  ['a refusal told in mid-stream', { kind: 'error_event', afterEvents: 4, type: 'invalid_request_error', message: 'no' }, { kind: 'rejected' }],
  ['an unheard-of error told in mid-stream', { kind: 'error_event', afterEvents: 4, type: 'moon_error', message: 'full' }, { kind: 'unavailable' }],
];

test.each(failures)('call(): %s has its own kind', async (name, fault, expected) => {
  const id = `offline-${name}`;
  offline.script(id, () => speech);
  offline.inject(id, fault);
  const error = await failureOf(modelAt(offline).call(requestTo(id), quiet()));
  expect({ kind: error.kind, operator: error.operator, retryAfterMs: error.retryAfterMs }).toEqual({ kind: expected.kind, operator: expected.operator, retryAfterMs: expected.retryAfterMs });
  expect(error.message).toMatch(/^Cannot call "offline-.*": /s);
  expect(error.message).toMatch(expected.says ?? /./);
  expect(offline.counts(id).requests).toBe(1);
});

test('a call gives back what the model said, its usage and its request id', async () => {
  offline.script('offline-plain', () => speech);
  const reply = await modelAt(offline).call(requestTo('offline-plain'), quiet());
  expect(reply).toMatchObject({ stopReason: 'tool_use', model: 'offline-plain', requestId: expect.stringMatching(/^req_/) });
  expect(reply.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
  expect(reply.message.content[2]).toMatchObject({ name: 'bash', input: { command: 'ls', deep: { n: 1 } }, id: expect.stringMatching(/^toolu_/) });
  expect(reply.usage).toMatchObject({ costUsd: 0, cacheRead: 0 });
  expect(reply.usage.input).toBeGreaterThan(10);
  expect(reply.usage.output).toBeGreaterThan(10);
});

test('the request asks for caching and summarized thinking, and carries no removed parameter', async () => {
  offline.script('offline-body', () => ({ text: 'Yes.' }));
  await modelAt(offline).call(requestTo('offline-body', { effort: 'low' }), quiet());
  const [{ body, headers } = { body: {}, headers: {} }] = offline.requests('offline-body');
  expect(body).toMatchObject({
    max_tokens: 4_000,
    stream: true,
    cache_control: { type: 'ephemeral' },
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'low' },
    tool_choice: { type: 'auto' },
  });
  expect(headers).not.toHaveProperty('authorization');
});

test('live text grows by pieces, tells thinking from text, and a failing watcher costs nothing', async () => {
  offline.script('offline-live', () => speech);
  const seen: LiveText[] = [];
  const onLive = (live: LiveText): void => {
    seen.push(live);
    throw new Error('the watcher is broken');
  };
  const reply = await modelAt(offline).call(requestTo('offline-live'), quiet({ onLive }));
  const last = (kind: LiveText['kind']): LiveText | undefined => seen.findLast((live) => live.kind === kind);
  expect(last('thinking')).toEqual({ kind: 'thinking', offset: speech.thinking.length, tail: speech.thinking });
  expect(last('text')).toEqual({ kind: 'text', offset: speech.text.length, tail: textIn(reply) });
  expect(seen.length).toBeGreaterThan(2);
});

test('live text shows the last 4,000 characters and counts all', async () => {
  const text = `${'a'.repeat(9_999)}😀${'b'.repeat(3_999)}`;
  offline.script('offline-long', () => ({ text }));
  const seen: LiveText[] = [];
  await modelAt(offline).call(requestTo('offline-long'), quiet({ onLive: (live) => void seen.push(live) }));
  expect(seen.at(-1)).toEqual({ kind: 'text', offset: text.length, tail: 'b'.repeat(3_999) });
});

test.each([
  ['before the headers', { kind: 'stall', afterEvents: null }, { connectMs: 60 }],
  ['in mid-stream', { kind: 'stall', afterEvents: 4 }, { idleMs: 60 }],
] as const)('an answer that goes silent %s is given up as passing', async (where, fault, times) => {
  const id = `offline-silent ${where}`;
  offline.inject(id, fault);
  const error = await failureOf(modelAt(offline, times).call(requestTo(id), quiet()));
  expect(error.kind).toBe('unavailable');
  await expect.poll(() => offline.counts(id).abandoned).toBe(1);
});

test('a slow stream is not a silent one', async () => {
  offline.script('offline-slow', () => speech);
  offline.inject('offline-slow', { kind: 'drip', pauseMs: 30 });
  const reply = await modelAt(offline, { idleMs: 5_000 }).call(requestTo('offline-slow'), quiet());
  expect(textIn(reply)).toBe(speech.text);
});

test.each([null, 5])('cancelling a call that hangs after %s events ends it on the server too', async (afterEvents) => {
  const id = `offline-cancel-${afterEvents}`;
  offline.script(id, () => speech);
  offline.inject(id, { kind: 'stall', afterEvents });
  const controller = new AbortController();
  const call = modelAt(offline).call(requestTo(id), quiet({ signal: controller.signal }));
  await expect.poll(() => offline.counts(id).requests).toBe(1);
  controller.abort();
  expect((await failureOf(call)).kind).toBe('cancelled');
  await expect.poll(() => offline.counts(id).abandoned).toBe(1);
});

test('a call whose signal fired before is never sent', async () => {
  const error = await failureOf(modelAt(offline).call(requestTo('offline-never'), quiet({ signal: AbortSignal.abort() })));
  expect(error.kind).toBe('cancelled');
  expect(offline.counts('offline-never').requests).toBe(0);
});

test('a server that is not there is unavailable', async () => {
  const gone = await startOfflineModel();
  await gone.close();
  expect((await failureOf(modelAt(gone).call(requestTo('offline'), quiet()))).kind).toBe('unavailable');
});

test('a call cut by max_tokens is seen as such, with what is left of its input', async () => {
  offline.script('offline-cut', () => ({ calls: [{ name: 'bash', input: { command: 'echo one two three', cwd: 'deep/down' } }] }));
  offline.inject('offline-cut', { kind: 'cut_call' });
  const reply = await modelAt(offline).call(requestTo('offline-cut'), quiet());
  expect(reply.stopReason).toBe('max_tokens');
  expect(JSON.stringify(reply.message.content)).not.toContain('deep/down');
});

test.each([
  [{ kind: 'stop', stopReason: 'moon_phase' }, 'moon_phase'],
  [{ kind: 'stop', stopReason: 'model_context_window_exceeded' }, 'model_context_window_exceeded'],
  [{ kind: 'refusal', category: 'cyber' }, 'refusal'],
] satisfies [Fault, string][])('a stop reason arrives as the API says it: %o', async (fault, stopReason) => {
  const id = `offline-stop-${stopReason}`;
  offline.inject(id, fault);
  expect((await modelAt(offline).call(requestTo(id), quiet())).stopReason).toBe(stopReason);
});

test('blocks of unknown kinds are kept and go back exactly as they came', async () => {
  offline.script('offline-unknown', steps([speech, { thinking: 'Second thoughts.', text: 'Done.' }, { text: 'Good.' }]));
  offline.inject('offline-unknown', { kind: 'unknown_kinds' });
  const model = modelAt(offline);
  const first = await model.call(requestTo('offline-unknown'), quiet());
  expect(first.message.content[1]).toEqual({ type: 'other', block: { type: 'hologram', angles: [0, 90], note: { lit: true, colour: null } } });
  const call = first.message.content.find(({ type }) => type === 'tool_use') as { id: string };
  const messages: Message[] = [user('Do it.'), first.message, result(call.id, 'a.txt')];
  const second = await model.call(requestTo('offline-unknown', { messages }), quiet());
  messages.push(second.message, user('Thanks.'));
  expect(textIn(await model.call(requestTo('offline-unknown', { messages }), quiet()))).toBe('Good.');
  const sent = offline.requests('offline-unknown').at(-1)?.body['messages'] as { content: unknown[] }[];
  expect(sent[1]?.content[1]).toEqual({ type: 'hologram', angles: [0, 90], note: { lit: true, colour: null } });
});

test('a paused turn may be sent back as the last message', async () => {
  offline.script('offline-pause', steps([speech, { text: 'And on.' }]));
  offline.inject('offline-pause', { kind: 'pause_turn' });
  const model = modelAt(offline);
  const paused = await model.call(requestTo('offline-pause'), quiet());
  expect(paused.stopReason).toBe('pause_turn');
  expect(textIn(await model.call(requestTo('offline-pause', { messages: [user('Do it.'), paused.message] }), quiet()))).toBe('And on.');
});

test('text cut in the middle of a character and messages without a block are mended before they are sent', async () => {
  offline.script('offline-mend', () => ({ text: 'Fine.' }));
  const messages: Message[] = [user('half \uD83D of it, and "\\ud83d" in words'), { role: 'assistant', content: [] }, user('so?')];
  const reply = await modelAt(offline).call(requestTo('offline-mend', { messages, system: 'x\uDE00' }), quiet());
  expect(textIn(reply)).toBe('Fine.');
});

test('check() knows a good model from a wrong one and from a wrong key', async () => {
  const locked = await startOfflineModel({ requireKey: 'sk-other' });
  const { signal } = new AbortController();
  await expect(modelAt(offline).check('offline', signal)).resolves.toBeUndefined();
  expect((await failureOf(modelAt(offline).check('claude-nothing', signal))).kind).toBe('rejected');
  expect(await failureOf(modelAt(locked).check('offline', signal))).toMatchObject({ kind: 'operator', operator: 'credentials' });
  expect((await failureOf(modelAt(offline).check('offline', AbortSignal.abort()))).kind).toBe('cancelled');
  await locked.close();
});
