import { expect, test } from 'vitest';
import { parseAgentFile } from '../../src/config/agent-file.ts';
import { chooseCritic, chooseModel, chooseScreening, type ModelQuestion } from '../../src/config/model-choice.ts';
import { factsOf, OFFLINE_MODEL_ID, resolveModelAlias } from '../../src/models/facts.ts';

const models = { resolveModelAlias, factsOf, offlineModelId: OFFLINE_MODEL_ID };

function question(front: string, apiKey?: string): ModelQuestion {
  const text = `---\n${front}\n---\nDo the work.\n`;
  return {
    agentFile: parseAgentFile({ text, source: 'a.md', knownTools: [] }),
    overrides: {},
    settings: { anthropic: apiKey === undefined ? {} : { apiKey }, model: null },
    models,
  };
}

const screening: readonly [front: string, apiKey: string | undefined, id: string, offline: boolean][] = [
  ['', 'key', 'claude-haiku-5-5', false],
  ['model: opus', 'key', 'claude-haiku-5-5', false],
  ['x-nightshift: {models: {light: sonnet}}', 'key', 'claude-sonnet-5-5', false],
  ['x-nightshift: {models: {light: of-a-gateway}}', 'key', 'of-a-gateway', false],
  ['x-nightshift: {models: {light: offline-judge}}', 'key', 'offline-judge', true],
  ['model: offline-slow', 'key', 'offline', true],
  ['x-nightshift: {models: {light: sonnet}}', undefined, 'offline', true],
  ['x-nightshift: {models: {light: offline-judge}}', undefined, 'offline-judge', true],
];

test.each(screening)('chooseScreening(): "%s" with the key %s', (front, apiKey, id, offline) => {
  const { contextTokens } = factsOf(id);
  expect(chooseScreening(question(front, apiKey))).toEqual({ id, maxTokens: 4_000, contextTokens, offline });
});

test('chooseScreening(): what is said of the effort and tokens of the run is not said of what screens', () => {
  const asked = question('model: opus\neffort: max\nx-nightshift: {maxTokens: 9000}', 'key');
  expect(chooseModel(asked)).toMatchObject({ maxTokens: 9_000, effort: 'max' });
  expect(chooseScreening(asked)).not.toHaveProperty('effort');
  expect(chooseScreening(asked).maxTokens).toBe(4_000);
});

test('chooseCritic(): only where the agent file names one, and offline where the run is', () => {
  const front = 'x-nightshift: {critique: {model: opus}}';
  expect(chooseCritic(question('', 'key'))).toBeUndefined();
  expect(chooseCritic(question(front, 'key'))).toMatchObject({ id: 'claude-opus-5-5', offline: false });
  expect(chooseCritic(question(front))).toMatchObject({ id: 'offline', offline: true });
});
