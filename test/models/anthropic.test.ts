import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveText } from '../../src/contract/activities.ts';
import type { Message } from '../../src/contract/messages.ts';
import type { Fault } from '../../src/models/offline/faults.ts';
import { steps } from '../../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { failureOf, modelAt, quiet, requestTo, result, speech, textIn, user } from './offline/calling.ts';

let offline: OfflineModel;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

test('a call gives back what the model said, its usage and its request id', async () => {
  offline.script('offline-plain', () => speech);
  const reply = await modelAt(offline).call(requestTo('offline-plain'), quiet());
  expect(reply).toMatchObject({
    stopReason: 'tool_use',
    model: 'offline-plain',
    requestId: expect.stringMatching(/^req_/),
  });
  expect(reply.message.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use']);
  expect(reply.message.content[2]).toMatchObject({
    name: 'bash',
    input: { command: 'ls', deep: { n: 1 } },
    id: expect.stringMatching(/^toolu_/),
  });
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
  const error = await failureOf(
    modelAt(offline).call(requestTo('offline-never'), quiet({ signal: AbortSignal.abort() })),
  );
  expect(error.kind).toBe('cancelled');
  expect(offline.counts('offline-never').requests).toBe(0);
});

test('a server that is not there is unavailable', async () => {
  const gone = await startOfflineModel();
  await gone.close();
  expect((await failureOf(modelAt(gone).call(requestTo('offline'), quiet()))).kind).toBe('unavailable');
});

test('a call cut by max_tokens is seen as such, with what is left of its input', async () => {
  offline.script('offline-cut', () => ({
    calls: [{ name: 'bash', input: { command: 'echo one two three', cwd: 'deep/down' } }],
  }));
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
  offline.script(
    'offline-unknown',
    steps([speech, { thinking: 'Second thoughts.', text: 'Done.' }, { text: 'Good.' }]),
  );
  offline.inject('offline-unknown', { kind: 'unknown_kinds' });
  const model = modelAt(offline);
  const first = await model.call(requestTo('offline-unknown'), quiet());
  expect(first.message.content[1]).toEqual({
    type: 'other',
    block: { type: 'hologram', angles: [0, 90], note: { lit: true, colour: null } },
  });
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
  expect(
    textIn(await model.call(requestTo('offline-pause', { messages: [user('Do it.'), paused.message] }), quiet())),
  ).toBe('And on.');
});

test('text cut in the middle of a character and messages without a block are mended before they are sent', async () => {
  offline.script('offline-mend', () => ({ text: 'Fine.' }));
  const messages: Message[] = [
    user('half \uD83D of it, and "\\ud83d" in words'),
    { role: 'assistant', content: [] },
    user('so?'),
  ];
  const reply = await modelAt(offline).call(requestTo('offline-mend', { messages, system: 'x\uDE00' }), quiet());
  expect(textIn(reply)).toBe('Fine.');
});

test('check() knows a good model from a wrong one and from a wrong key', async () => {
  const locked = await startOfflineModel({ requireKey: 'sk-other' });
  const { signal } = new AbortController();
  await expect(modelAt(offline).check('offline', signal)).resolves.toBeUndefined();
  expect((await failureOf(modelAt(offline).check('claude-nothing', signal))).kind).toBe('rejected');
  expect(await failureOf(modelAt(locked).check('offline', signal))).toMatchObject({
    kind: 'operator',
    operator: 'credentials',
  });
  expect((await failureOf(modelAt(offline).check('offline', AbortSignal.abort()))).kind).toBe('cancelled');
  await locked.close();
});
