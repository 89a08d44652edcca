import { expect, test } from 'vitest';
import { factsOf, resolveModelAlias } from '../../src/models/facts.ts';

test.each([
  ['sonnet', 'claude-sonnet-5-5'],
  ['Opus', 'claude-opus-5-5'],
  ['haiku', 'claude-haiku-5-5'],
  ['fable', 'claude-fable-5-2'],
  ['mythos', 'claude-mythos-5-2'],
  ['claude-opus-5', 'claude-opus-5'],
  ['offline', 'offline'],
  ['constructor', 'constructor'],
])('resolveModelAlias(): %s is %s', (name, id) => {
  expect(resolveModelAlias(name)).toBe(id);
});

test.each([
  [
    'claude-opus-5-5',
    { contextTokens: 1_000_000, maxOutputTokens: 128_000, thinking: 'adaptive', compaction: true, known: true },
  ],
  [
    'claude-haiku-4-5-20251001',
    { contextTokens: 200_000, maxOutputTokens: 64_000, thinking: 'extended', compaction: false, known: true },
  ],
  [
    'claude-fable-5-2',
    { contextTokens: 200_000, maxOutputTokens: 64_000, thinking: 'unknown', compaction: false, known: false },
  ],
  [
    'offline-anything',
    { contextTokens: 200_000, maxOutputTokens: 64_000, thinking: 'adaptive', compaction: true, known: true },
  ],
])('factsOf(): %s', (id, facts) => {
  expect(factsOf(id)).toEqual(facts);
});
