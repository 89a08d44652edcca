import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Conversation } from '../../src/models/offline/conversation.ts';
import { startOfflineModel, type OfflineModel } from '../../src/models/offline/server.ts';
import { VERDICT_SCHEMA, COMPLETION_SCHEMA } from '../../src/core/aside/questions.ts';
import { LOOP_SCHEMA } from '../../src/core/loops/judge.ts';
import { failureOf, modelAt, quiet, requestTo, textIn } from './offline/calling.ts';

type Schema = Readonly<Record<string, unknown>>;

let offline: OfflineModel;

beforeAll(async () => {
  offline = await startOfflineModel();
});

afterAll(async () => {
  await offline.close();
});

const verdict: Schema = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};

test('the shape of an answer stands beside the effort, and the scenario sees it', async () => {
  const seen: Conversation[] = [];
  offline.script('offline-shape', (conversation) => {
    seen.push(conversation);
    return { text: '{"ok":true}' };
  });
  const reply = await modelAt(offline).call(requestTo('offline-shape', { format: verdict, effort: 'low' }), quiet());
  expect(reply.message.content).toEqual([{ type: 'text', text: '{"ok":true}', citations: null }]);
  expect(seen[0]?.format).toEqual(verdict);
  expect(offline.requests('offline-shape')[0]?.body['output_config']).toEqual({
    effort: 'low',
    format: { type: 'json_schema', schema: verdict },
  });
});

test('without tools there is no choice of tools either', async () => {
  offline.script('offline-bare', () => ({ text: 'Yes.' }));
  await modelAt(offline).call(requestTo('offline-bare', { tools: [], toolChoice: 'none', system: '' }), quiet());
  const body = offline.requests('offline-bare')[0]?.body;
  for (const field of ['tools', 'tool_choice', 'system', 'output_config']) expect(body).not.toHaveProperty(field);
});

const inside = (property: Schema): Schema => ({ ...verdict, properties: { ok: property } });
const refused: readonly [name: string, schema: Schema, says: string][] = [
  ['an object that may have more', { type: 'object' }, "'additionalProperties' must be explicitly set to false"],
  ['such an object further in', inside({ type: 'array', items: { type: 'object' } }), "'additionalProperties' must"],
  ['such an object as a choice', inside({ anyOf: [{ type: 'object' }] }), "'additionalProperties' must"],
  ['a bound of a number', inside({ type: 'integer', minimum: 0 }), "For 'integer' type, property 'minimum'"],
  ['a length of a text', inside({ type: 'string', maxLength: 5 }), "For 'string' type, property 'maxLength'"],
];

test.each(refused)('%s is refused, as the API refuses it', async (_name, format, says) => {
  const error = await failureOf(modelAt(offline).call(requestTo('offline', { format }), quiet()));
  expect(error.kind).toBe('rejected');
  expect(error.message).toContain(says);
});

test.each([
  ['critique', VERDICT_SCHEMA, ['action', 'confidence', 'reason']],
  ['completion', COMPLETION_SCHEMA, ['complete', 'confidence', 'reason']],
  ['loop', LOOP_SCHEMA, ['confidence', 'reason', 'stuck']],
] as const)(
  'the API takes the schema of a %s, and the model that stands in answers by it',
  async (aside, format, keys) => {
    const request = requestTo('offline', { format, tools: [], system: `Aside: ${aside}` });
    const answer = JSON.parse(textIn(await modelAt(offline).call(request, quiet()))) as object;
    expect(Object.keys(answer).toSorted()).toEqual(keys);
  },
);
