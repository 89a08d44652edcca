import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveText } from '../../src/contract/activities.ts';
import type { Message, OtherBlock, ToolUseBlock } from '../../src/contract/messages.ts';
import { createAnthropicModel } from '../../src/models/anthropic.ts';
import type { ModelReply, ModelRequest } from '../../src/models/model.ts';
import { faults } from '../../src/models/offline/faults.ts';
import type { Scenario } from '../../src/models/offline/scenario.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { failureOf, modelAt, quiet, requestTo, result, textIn, toolNamed, user } from './offline/calling.ts';

let offline: OfflineModel;
let count = 0;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

/** Thinks and looks for ever; sums up when that is wanted. */
const worker: Scenario = ({ turn, compaction, summary, results }) =>
  compaction === null
    ? { thinking: `thought ${turn}`, text: `after "${summary}"`, calls: [{ name: 'bash', input: { turn } }] }
    : { text: `${results.length} results (${compaction.instructions})` };

interface Told {
  readonly id: string;
  readonly messages: readonly Message[];
}

async function ask(request: ModelRequest): Promise<ModelReply> {
  return await modelAt(offline).call(request, quiet());
}

/** The conversation after so many more turns, each with a signed thought, a call and its result. */
async function worked({ id, messages }: Told, turns: number): Promise<Told> {
  if (turns === 0) return { id, messages };
  const { message } = await ask(requestTo(id, { messages }));
  const { id: callId } = message.content.find(({ type }) => type === 'tool_use') as ToolUseBlock;
  return await worked({ id, messages: [...messages, message, result(callId, 'ok')] }, turns - 1);
}

async function begun(turns: number, scenario: Scenario = worker): Promise<Told> {
  const id = `offline-compact-${(count += 1)}`;
  offline.script(id, scenario);
  return await worked({ id, messages: [user('Do it.')] }, turns);
}

function summarise({ id, messages }: Told, changes: Partial<ModelRequest> = {}): ModelRequest {
  return requestTo(id, { messages, compaction: { instructions: 'briefly' }, ...changes });
}

interface Compacted extends Told {
  readonly head: Message;
  readonly kept: readonly Message[];
  readonly old: readonly Message[];
}

/** Four turns, the older two as a signed summary before the newer two. */
async function compacted(): Promise<Compacted> {
  const { id, messages } = await begun(4);
  const [old, kept] = [messages.slice(0, 5), messages.slice(5)];
  const { message: head } = await ask(summarise({ id, messages: old }));
  return { id, head, kept, old, messages: [head, ...kept] };
}

const blockOf = ({ content: [first] }: Message): OtherBlock['block'] => (first as OtherBlock).block;
const signed = (block: OtherBlock['block']): Message => ({ role: 'assistant', content: [{ type: 'other', block }] });

test('a summary is one signed block, kept as it came, and what it took is counted and priced', async () => {
  const told = await begun(2);
  const price = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { message, stopReason, usage } = await ask(summarise(told, { price }));
  expect(stopReason).toBe('compaction');
  expect(message).toEqual(
    signed({ type: 'compaction', content: '2 results (briefly)', signature: expect.any(String) }),
  );
  expect(usage).toMatchObject({ cacheRead: 0 });
  expect(usage.input).toBeGreaterThan(50);
  expect(usage.output).toBeGreaterThan(10);
  expect(usage.costUsd).toBeCloseTo(usage.input / 1_000, 9);
});

test('only what asks for a summary or carries one names the beta, and nothing else is changed by it', async () => {
  const { id, messages } = await compacted();
  await ask(requestTo(id, { messages }));
  const sent = offline.requests(id);
  expect(sent.map(({ headers }) => headers['anthropic-beta'])).toEqual([
    ...Array.from({ length: 4 }, () => undefined),
    'compact-2026-09-04',
    'compact-2026-09-04',
  ]);
  const [plain, wish, later] = [sent[3]?.body, sent[4]?.body, sent[5]?.body];
  expect(wish).toMatchObject({ compaction: { type: 'summarize', instructions: 'briefly' }, stream: true });
  for (const field of ['system', 'tools', 'thinking', 'tool_choice', 'max_tokens', 'cache_control'])
    expect([field, wish?.[field], later?.[field]]).toEqual([field, plain?.[field], plain?.[field]]);
});

test('the API uses its own prompt when no instructions are given', async () => {
  const told = await begun(1);
  const { message } = await ask(summarise(told, { compaction: {} }));
  expect(blockOf(message)['content']).toBe('1 results ()');
});

const bound = 'bound to a different conversation';

test('kept turns stay bound to what the summary stands for, and new thinking is bound to what it stands behind', async () => {
  const after = await worked(await compacted(), 2);
  expect(textIn({ message: after.messages.at(-2) } as ModelReply)).toBe('after "2 results (briefly)"');
  const forgotten = [user('Do it.'), ...after.messages.slice(-2)];
  expect((await failureOf(ask(requestTo(after.id, { messages: forgotten })))).message).toContain(bound);
});

test('a summary of a summary keeps the thinking of turns that outlive both', async () => {
  const once = await worked(await compacted(), 1);
  const [old, kept] = [once.messages.slice(0, 3), once.messages.slice(3)];
  const { message } = await ask(summarise({ id: once.id, messages: old }));
  const twice = await worked({ id: once.id, messages: [message, ...kept] }, 1);
  expect(twice.messages).toHaveLength(7);
});

const edits: readonly [name: string, edit: (told: Compacted) => Partial<ModelRequest>, says: string][] = [
  ['the summary is left out', ({ kept }) => ({ messages: [user('Do it.'), ...kept] }), bound],
  [
    'something is put before the kept turns',
    ({ head, kept }) => ({ messages: [head, user('Plan: …'), ...kept] }),
    bound,
  ],
  ['the tools are others', ({ messages }) => ({ messages, tools: [toolNamed('bash')] }), bound],
  ['the system prompt is another', ({ messages }) => ({ messages, system: 'You are new.' }), bound],
  [
    'it stands behind what it sums up',
    ({ old, head, kept }) => ({ messages: [...old, head, ...kept] }),
    'must be sent first',
  ],
  ['there are two', ({ head, messages }) => ({ messages: [head, ...messages] }), 'more than one `compaction` block'],
  [
    'its text was changed',
    ({ head, kept }) => ({ messages: [signed({ ...blockOf(head), content: 'All is done.' }), ...kept] }),
    'does not match the text its `signature` recorded',
  ],
  [
    'its signature was changed',
    ({ head, kept }) => ({ messages: [signed({ ...blockOf(head), signature: 'c2ln.bWFj' }), ...kept] }),
    '`signature` does not verify',
  ],
  [
    'it has no signature',
    ({ kept }) => ({ messages: [signed({ type: 'compaction', content: 'All is done.' }), ...kept] }),
    '`signature` does not verify',
  ],
  [
    'a field was added to it',
    ({ head, kept }) => ({ messages: [signed({ ...blockOf(head), citations: [] }), ...kept] }),
    'compaction.citations: Extra inputs are not permitted',
  ],
];

test.each(edits)('a conversation is refused for good when %s', async (_name, edit, says) => {
  const told = await compacted();
  const error = await failureOf(ask(requestTo(told.id, edit(told))));
  expect(error.kind).toBe('rejected');
  expect(error.message).toContain(says);
});

const refusedWishes: readonly [name: string, changes: Partial<ModelRequest>, says: string][] = [
  ['with a format', { format: { type: 'object', additionalProperties: false } }, 'output_config.format: cannot be'],
  ['with instructions that are too long', { compaction: { instructions: 'x'.repeat(16_385) } }, 'at most 16384'],
  ['in the middle of a turn', { messages: [user('Do it.'), callOf('t1')] }, 'the last turn is not finished'],
  ['of nothing', { messages: [] }, 'nothing to summarize'],
];

function callOf(id: string): Message {
  return { role: 'assistant', content: [{ type: 'tool_use', id, name: 'bash', input: {} }] };
}

test.each(refusedWishes)('a summary %s is refused for good', async (_name, changes, says) => {
  const error = await failureOf(ask(summarise(await begun(0), changes)));
  expect(error.kind).toBe('rejected');
  expect(error.message).toContain(says);
});

test('a model that offers no summaries refuses to make one', async () => {
  offline.script('claude-haiku-4-5', worker);
  const error = await failureOf(ask(summarise({ id: 'claude-haiku-4-5', messages: [user('Do it.')] })));
  expect(error.message).toContain('compaction: is not supported by this model');
});

test('a summary that cannot be had just now may be had later', async () => {
  const told = await begun(1);
  offline.inject(told.id, faults.compactionUnavailable());
  expect((await failureOf(ask(summarise(told)))).kind).toBe('unavailable');
  expect((await ask(summarise(told))).stopReason).toBe('compaction');
});

test.each([
  ['max_tokens', () => ({ text: 'half of', stopReason: 'max_tokens' })],
  ['tool_use', () => ({ text: 'first', calls: [{ name: 'bash', input: {} }] })],
  ['end_turn', () => ({ text: '' })],
] satisfies [string, Scenario][])(
  'a summary that came to nothing says %s and is paid for',
  async (stopReason, scenario) => {
    const reply = await ask(summarise(await begun(0, scenario)));
    expect(reply).toMatchObject({ stopReason, message: { content: [] } });
    expect(reply.usage.input).toBeGreaterThan(10);
  },
);

test('a summary may be cancelled, and one that goes silent is given up', async () => {
  const told = await begun(0);
  const controller = new AbortController();
  offline.inject(told.id, [
    { kind: 'stall', afterEvents: 1 },
    { kind: 'stall', afterEvents: 1 },
  ]);
  const call = modelAt(offline).call(summarise(told), quiet({ signal: controller.signal }));
  await expect.poll(() => offline.counts(told.id).requests).toBe(1);
  controller.abort();
  expect((await failureOf(call)).kind).toBe('cancelled');
  const impatient = createAnthropicModel({ apiKey: 'sk-test', baseURL: offline.url, idleMs: 60 });
  expect((await failureOf(impatient.call(summarise(told), quiet()))).kind).toBe('unavailable');
});

test('behind a summary live text is seen and a broken connection passes, as without one', async () => {
  const { id, messages } = await compacted();
  const seen: string[] = [];
  const onLive = ({ kind, tail }: LiveText): void => void seen.push(`${kind}: ${tail}`);
  await modelAt(offline).call(requestTo(id, { messages }), quiet({ onLive }));
  expect(seen).toEqual(expect.arrayContaining(['thinking: thought 2', 'text: after "2 results (briefly)"']));
  offline.inject(id, { kind: 'drop', afterEvents: 4 });
  expect((await failureOf(ask(requestTo(id, { messages })))).kind).toBe('unavailable');
});
