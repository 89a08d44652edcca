import { expect, test } from 'vitest';
import type { CallPurpose } from '../../../src/contract/run.ts';
import type { Message } from '../../../src/contract/messages.ts';
import type { RunSpec } from '../../../src/contract/spec.ts';
import type { ModelChoice } from '../../../src/contract/terms.ts';
import { asideFor } from '../../../src/core/aside/aside.ts';
import { modelFor } from '../../../src/core/aside/model-for.ts';
import { SUMMARY_INSTRUCTIONS } from '../../../src/core/aside/questions.ts';
import { utf8Bytes } from '../../../src/core/sizes.ts';
import { fresh } from '../builders.ts';

const choice = (id: string, contextTokens = 200_000): ModelChoice => ({
  id,
  maxTokens: 4_000,
  contextTokens,
  offline: true,
});
const { spec } = fresh();
const light = { ...spec, screening: choice('light') };
const critic = { ...light, critique: { ...spec.critique, model: choice('critic') } };

const choices: readonly [CallPurpose, { readonly alone: string; readonly light: string; readonly critic: string }][] = [
  ['turn', { alone: 'offline-test', light: 'offline-test', critic: 'offline-test' }],
  ['plan', { alone: 'offline-test', light: 'offline-test', critic: 'offline-test' }],
  ['summary', { alone: 'offline-test', light: 'offline-test', critic: 'offline-test' }],
  ['critique', { alone: 'offline-test', light: 'light', critic: 'critic' }],
  ['completion', { alone: 'offline-test', light: 'light', critic: 'light' }],
  ['loop', { alone: 'offline-test', light: 'light', critic: 'light' }],
  ['loop_confirm', { alone: 'offline-test', light: 'offline-test', critic: 'offline-test' }],
  ['compact', { alone: 'offline-test', light: 'light', critic: 'light' }],
];

test.each(choices)('modelFor(): %s', (purpose, expected) => {
  const [alone, lighter, withCritic] = [spec, light, critic].map((one) => modelFor(one, purpose).id);
  expect({ alone, light: lighter, critic: withCritic }).toEqual(expected);
});

test('modelFor(): the API sums up with the model of the conversation, whoever screens', () => {
  expect(modelFor(light, 'compact', 'api').id).toBe('offline-test');
  expect(modelFor(light, 'compact', 'model').id).toBe('light');
});

const messages: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: spec.task }] },
  { role: 'assistant', content: [{ type: 'text', text: 'I am done.' }] },
];

function textOf(one: RunSpec, purpose: CallPurpose): string {
  const content = asideFor(one, messages, purpose)?.messages[0]?.content ?? [];
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
}

const questions: readonly [CallPurpose, keys: readonly string[] | null, words: string][] = [
  ['critique', ['reason', 'action', 'confidence'], 'strict reviewer'],
  ['completion', ['reason', 'complete', 'confidence'], 'Is the task done?'],
  ['loop', ['stuck', 'confidence', 'reason'], 'stuck'],
  ['loop_confirm', ['stuck', 'confidence', 'reason'], 'stuck'],
  ['compact', null, 'Do not go on with the work'],
];

test.each(questions)('asideFor(): %s shows an account first and asks last', (purpose, keys, words) => {
  const aside = asideFor(spec, messages, purpose);
  const shown = textOf(spec, purpose);
  expect(aside?.system.startsWith(`Aside: ${purpose}\n`)).toBe(true);
  expect(aside?.messages).toHaveLength(1);
  expect(shown.indexOf('| I am done.')).toBeGreaterThan(shown.indexOf(`| ${spec.task}`));
  expect(shown.lastIndexOf(words)).toBeGreaterThan(shown.indexOf('| I am done.'));
  expect(aside?.format === null ? null : Object.keys(aside?.format['properties'] as object)).toEqual(keys);
});

test.each(['turn', 'plan', 'summary'] as const)('asideFor(): a %s is said in the conversation', (purpose) => {
  expect(asideFor(spec, messages, purpose)).toBeNull();
});

test('asideFor(): the declared outputs are named', () => {
  const outputs = ['total', 'report'].map((name) => ({ name, schema: {} }));
  expect(textOf({ ...spec, outputs }, 'completion')).toContain('by a call of emit_value: total, report.');
  expect(textOf(spec, 'completion')).not.toContain('emit_value');
});

test('asideFor(): the account fits into the window of a small model', () => {
  const long: Message = { role: 'assistant', content: [{ type: 'text', text: 'word '.repeat(200_000) }] };
  const small = { ...spec, screening: choice('small', 8_000) };
  for (const purpose of ['critique', 'completion', 'loop', 'compact'] as const) {
    const aside = asideFor(small, [...messages, long], purpose);
    expect(utf8Bytes(JSON.stringify(aside))).toBeLessThan(8_000 * 3);
  }
});

test('the instructions for the API fit into what it takes', () => {
  expect(SUMMARY_INSTRUCTIONS.length).toBeLessThan(16_384);
});
