import { expect, test } from 'vitest';
import { requestFor } from '../../src/activities/model-request.ts';
import type { CallModelInput } from '../../src/contract/activities.ts';
import type { Message } from '../../src/contract/messages.ts';
import type { RunSpec } from '../../src/contract/spec.ts';
import type { ModelChoice } from '../../src/contract/terms.ts';
import { CRITIQUE_QUESTION } from '../../src/core/judgement/critique.ts';
import type { ModelRequest } from '../../src/models/model.ts';
import { fresh } from '../core/builders.ts';

const { spec } = fresh();
const price = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const choice = (id: string): ModelChoice => ({ id, maxTokens: 4_000, contextTokens: 200_000, offline: true, price });
const screened: RunSpec = { ...spec, screening: choice('light') };

const messages: readonly Message[] = ['do it', 'step 1', 'step 2', 'step 3'].map((text, index) => ({
  role: index === 0 ? ('user' as const) : ('assistant' as const),
  content: [{ type: 'text' as const, text }],
}));

function requested(one: RunSpec, asked: Pick<CallModelInput, 'purpose' | 'compact'>): ModelRequest {
  return requestFor({ spec: one, messages }, asked);
}

const conversation = { model: 'offline-test', maxTokens: 1_000, system: 'You test.' };

test.each([
  ['turn', 'auto'],
  ['plan', 'none'],
  ['summary', 'none'],
] as const)('a %s is said in the conversation, whoever screens', (purpose, toolChoice) => {
  const request = requested(screened, { purpose });
  expect(request).toMatchObject({ ...conversation, messages, toolChoice });
  expect(request.tools.map(({ name }) => name)).toEqual(spec.tools.map(({ name }) => name));
});

test('without a lighter model a critique stands behind the whole conversation, as it always did', () => {
  const request = requested(spec, { purpose: 'critique' });
  const question = { role: 'user', content: [{ type: 'text', text: CRITIQUE_QUESTION }] };
  expect(request).toMatchObject({ ...conversation, toolChoice: 'none' });
  expect(request.messages).toEqual([...messages, question]);
  expect(request).not.toHaveProperty('format');
});

test.each([
  ['critique', { ...spec, critique: { ...spec.critique, model: choice('critic') } }, 'critic'],
  ['critique', screened, 'light'],
  ['completion', screened, 'light'],
  ['completion', spec, 'offline-test'],
  ['loop', screened, 'light'],
  ['loop_confirm', screened, 'offline-test'],
] as const)('a %s is asked beside the conversation, with a format and without tools', (purpose, one, model) => {
  const request = requested(one, { purpose });
  expect(request).toMatchObject({ model, tools: [], toolChoice: 'none', format: { type: 'object' } });
  expect(request.maxTokens).toBe(model === 'offline-test' ? 1_000 : 4_000);
  expect(request.price).toEqual(model === 'offline-test' ? undefined : price);
  expect(request.messages).toHaveLength(1);
});

test('a model sums up an account of the old turns, and may take more words for it', () => {
  const request = requested(screened, { purpose: 'compact', compact: { messages: 3, by: 'model' } });
  const shown = JSON.stringify(request.messages);
  expect(request).toMatchObject({ model: 'light', maxTokens: 8_000, tools: [] });
  expect(request).not.toHaveProperty('format');
  expect([shown.includes('step 2'), shown.includes('step 3')]).toEqual([true, false]);
});

test('the API sums up the old turns themselves, as they were said', () => {
  const request = requested(screened, { purpose: 'compact', compact: { messages: 3, by: 'api' } });
  expect(request).toMatchObject({
    ...conversation,
    toolChoice: 'auto',
    compaction: { instructions: expect.stringContaining('Summarise this conversation') },
  });
  expect(request.messages).toEqual(messages.slice(0, 3));
});

test('where the API is not known to sum up with a model, it is not asked to', () => {
  const old = { ...spec, model: { ...spec.model, id: 'claude-haiku-4-5' } };
  expect(() => requested(old, { purpose: 'compact', compact: { messages: 3, by: 'api' } })).toThrow(
    'Cannot have the API summarise: "claude-haiku-4-5" is not known to offer it',
  );
});
