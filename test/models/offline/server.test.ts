import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/messages.ts';
import { steps } from '../../../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../../../src/models/offline/server.ts';
import { modelAt, quiet, requestTo, result, textIn, toolNamed, user } from './calling.ts';

let offline: OfflineModel;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

type Fields = Readonly<Record<string, unknown>>;

async function post(body: unknown, path = '/v1/messages'): Promise<{ status: number; body: Fields; headers: Headers }> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(offline.url + path, { method: 'POST', headers: { 'x-api-key': 'any' }, body: sent });
  return { status: response.status, body: (await response.json()) as Fields, headers: response.headers };
}

const asked = { role: 'user', content: 'Hello' };
const good: Fields = { model: 'offline-rules', max_tokens: 100, messages: [asked] };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'bash', input: {} }] };
const answer = (id: string): Fields => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const told = (...content: readonly Fields[]): Fields => ({ role: 'user', content });

const refused: readonly [name: string, body: unknown, says: RegExp][] = [
  ['what is not JSON', '{', /not valid JSON/],
  ['what is not an object', [], /valid dictionary/],
  ['no model', { ...good, model: undefined }, /^model: Field required/],
  ['no max_tokens', { ...good, max_tokens: undefined }, /^max_tokens: Field required/],
  ['max_tokens of 0', { ...good, max_tokens: 0 }, /^max_tokens: .*greater than 0/],
  ['temperature', { ...good, temperature: 1 }, /^temperature: Extra inputs/],
  ['top_p', { ...good, top_p: 1 }, /^top_p: /],
  ['top_k', { ...good, top_k: 1 }, /^top_k: /],
  ['a forced tool', { ...good, tool_choice: { type: 'any' } }, /^tool_choice: 'any' is not supported/],
  [
    'thinking with a budget',
    { ...good, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    /^thinking\.type: 'enabled'/,
  ],
  ['no messages', { ...good, messages: [] }, /at least one message/],
  ['a tool without a schema', { ...good, tools: [{ name: 'x' }] }, /tools\.0\.custom\.input_schema/],
  [
    'a tool with a strange name',
    { ...good, tools: [{ name: 'a b', input_schema: { type: 'object' } }] },
    /tools\.0\.custom\.name/,
  ],
  [
    'an empty message',
    { ...good, messages: [asked, { role: 'assistant', content: [] }, asked] },
    /messages\.1: all messages must have non-empty content/,
  ],
  [
    'an empty text',
    { ...good, messages: [told({ type: 'text', text: '' })] },
    /messages\.0\.content\.0: text content blocks must be non-empty/,
  ],
  ['prefill', { ...good, messages: [asked, { role: 'assistant', content: 'I' }] }, /prefill/],
  [
    'a call without its result',
    { ...good, messages: [asked, call, asked] },
    /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1/,
  ],
  ['a result without its call', { ...good, messages: [told(answer('t1'))] }, /messages\.0: unexpected `tool_use_id`/],
  [
    'a result that comes later',
    { ...good, messages: [asked, call, told(answer('t1')), told(answer('t1'))] },
    /messages\.3: unexpected/,
  ],
  [
    'two results of one call',
    { ...good, messages: [asked, call, told(answer('t1'), answer('t1'))] },
    /messages\.2: each `tool_use` must have a single result/,
  ],
  [
    'text before a result',
    { ...good, messages: [asked, call, told({ type: 'text', text: 'so' }, answer('t1'))] },
    /messages\.2: `tool_result` blocks must come first/,
  ],
  [
    'the same call id twice',
    { ...good, messages: [asked, call, told(answer('t1')), call, told(answer('t1'))] },
    /messages\.3: `tool_use` ids must be unique/,
  ],
  ['half a character', { ...good, messages: [{ role: 'user', content: 'x\uD83D' }] }, /not valid unicode/],
  [
    'thinking of its own making',
    {
      ...good,
      messages: [asked, { role: 'assistant', content: [{ type: 'thinking', thinking: 'I', signature: 'x' }] }, asked],
    },
    /messages\.1\.content\.0: the thinking block is bound/,
  ],
  [
    'a prompt longer than the window',
    { ...good, messages: [{ role: 'user', content: 'x'.repeat(900_000) }] },
    /prompt is too long: 2250\d\d tokens > 200000 maximum/,
  ],
];

test.each(refused)('a request with %s is refused with 400', async (_name, body, says) => {
  const reply = await post(body);
  expect(reply.status).toBe(400);
  expect(reply.body).toMatchObject({
    type: 'error',
    error: { type: 'invalid_request_error' },
    request_id: reply.headers.get('request-id'),
  });
  expect((reply.body['error'] as { message: string }).message).toMatch(says);
});

test('the server answers in JSON too, counts tokens and lists its models', async () => {
  offline.script('claude-opus-5-5', () => ({ text: 'Hi.', calls: [{ name: 'bash', input: { a: 1 } }] }));
  const reply = await post({ ...good, model: 'claude-opus-5-5' });
  expect(reply.body).toMatchObject({
    type: 'message',
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'Hi.' },
      { type: 'tool_use', input: { a: 1 } },
    ],
  });
  expect((await post({ ...good, max_tokens: undefined }, '/v1/messages/count_tokens')).body).toEqual({
    input_tokens: expect.any(Number),
  });
  const list = (await (await fetch(`${offline.url}/v1/models`)).json()) as { data: { id: string }[] };
  expect(list.data.map(({ id }) => id)).toEqual(expect.arrayContaining(['offline', 'claude-opus-5-5']));
  expect((await fetch(`${offline.url}/v1/elsewhere`)).status).toBe(404);
  expect((await post({ ...good, model: 'claude-unknown' })).status).toBe(404);
});

test('parallel calls have ids of their own, and the same transcript gets the same reply from another server', async () => {
  const scenario = (): { thinking: string; calls: { name: string; input: unknown }[] } => ({
    thinking: 'Both at once.',
    calls: [
      { name: 'bash', input: { command: 'a' } },
      { name: 'bash', input: { command: 'a' } },
    ],
  });
  const other = await startOfflineModel({ scenarios: { 'offline-same': scenario } });
  offline.script('offline-same', scenario);
  const replies = [];
  for (const server of [offline, offline, other])
    replies.push((await modelAt(server).call(requestTo('offline-same'), quiet())).message);
  await other.close();
  expect(replies[1]).toEqual(replies[0]);
  expect(replies[2]).toEqual(replies[0]);
  expect(new Set(replies[0]?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))).size).toBe(2);
});

async function twoTurns(model: string): Promise<readonly Message[]> {
  offline.script(
    model,
    steps([
      { thinking: 'First.', calls: [{ name: 'bash', input: { command: 'ls' } }] },
      { thinking: 'Second.', text: 'Seen.' },
    ]),
  );
  const first = (await modelAt(offline).call(requestTo(model), quiet())).message;
  const use = first.content.find(({ type }) => type === 'tool_use') as { id: string };
  return [user('Do it.'), first, result(use.id, 'a.txt')];
}

const changes: readonly [string, (messages: readonly Message[]) => object, RegExp | null][] = [
  ['nothing', (messages) => ({ messages }), null],
  ['the system prompt', (messages) => ({ messages, system: 'You are another.' }), /messages\.1\.content\.0/],
  ['the tools', (messages) => ({ messages, tools: [toolNamed('bash')] }), /messages\.1\.content\.0/],
  [
    'an earlier message',
    (messages) => ({ messages: [user('Do that.'), ...messages.slice(1)] }),
    /messages\.1\.content\.0/,
  ],
  ['the words of the thinking', (messages) => ({ messages: messages.map(rethink) }), /messages\.1\.content\.0/],
  ['a later message', (messages) => ({ messages: [...messages, user('And now?')] }), null],
];

function rethink(message: Message): Message {
  if (message.role === 'user') return message;
  return {
    role: 'assistant',
    content: message.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'Else.' } : block)),
  };
}

test.each(changes)('thinking is bound to all before it: changing %s', async (what, change, says) => {
  const model = `offline-bound ${what}`;
  const messages = await twoTurns(model);
  const next = modelAt(offline).call(requestTo(model, change(messages)), quiet());
  if (says === null) expect(textIn(await next)).toBe('Seen.');
  else await expect(next).rejects.toMatchObject({ kind: 'rejected', message: expect.stringMatching(says) });
});

test('what was sent before is read from the cache, and only the rest is written', async () => {
  offline.script('offline-cache', () => ({ thinking: 'Hm.', text: 'Yes.' }));
  const system = 'rule '.repeat(4_000);
  const ask = async (sent: readonly Message[]): Promise<object> =>
    (await modelAt(offline).call(requestTo('offline-cache', { system, messages: sent }), quiet())).usage;
  const first = (await ask([user('Do it.')])) as { cacheWrite: number };
  expect(first).toMatchObject({ input: 0, cacheRead: 0, cacheWrite: expect.any(Number) });
  expect(first.cacheWrite).toBeGreaterThan(5_000);
  const second = (await ask([user('Do it.'), user('Go on.')])) as { cacheWrite: number };
  expect(second).toMatchObject({ input: 0, cacheRead: first.cacheWrite });
  expect(second.cacheWrite).toBeLessThan(100);
});

test('a scenario with a mistake is refused with its turn, not repeated for ever', async () => {
  offline.script('offline-broken', () => {
    throw new Error('no such prop');
  });
  const failing = modelAt(offline).call(requestTo('offline-broken'), quiet());
  await expect(failing).rejects.toMatchObject({
    kind: 'rejected',
    message: expect.stringContaining('the scenario failed at turn 0: no such prop'),
  });
});

test('a huge reply arrives whole', async () => {
  offline.inject('offline-huge', { kind: 'huge', bytes: 3_000_000 });
  expect(textIn(await modelAt(offline).call(requestTo('offline-huge'), quiet()))).toHaveLength(3_000_000);
});

test('only the newest requests are kept, and all are counted', async () => {
  const small = await startOfflineModel({ keep: 2 });
  for (let turn = 0; turn < 4; turn += 1)
    await modelAt(small).call(requestTo('offline', { messages: [user(`Turn ${turn}`)] }), quiet());
  expect(small.requests('offline').map(({ body }) => JSON.stringify(body['messages']))).toEqual([
    expect.stringContaining('Turn 2'),
    expect.stringContaining('Turn 3'),
  ]);
  expect(small.counts('offline')).toEqual({ requests: 4, completed: 4, refused: 0, abandoned: 0 });
  await small.close();
});

test('closing ends stalled answers, and closing again does nothing', async () => {
  const closing = await startOfflineModel();
  closing.inject('offline', [
    { kind: 'stall', afterEvents: null },
    { kind: 'stall', afterEvents: 3 },
  ]);
  const calls = [
    modelAt(closing).call(requestTo('offline'), quiet()),
    modelAt(closing).call(requestTo('offline'), quiet()),
  ];
  const ends = Promise.allSettled(calls);
  await expect.poll(() => closing.counts('offline').requests).toBe(2);
  await closing.close();
  await closing.close();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a port that is taken is said plainly', async () => {
  const port = Number(new URL(offline.url).port);
  await expect(startOfflineModel({ port })).rejects.toThrow(`Cannot start the offline model on port ${port}: `);
});
