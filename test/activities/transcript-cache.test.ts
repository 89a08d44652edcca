import { expect, test } from 'vitest';
import { TranscriptCache } from '../../src/activities/transcript-cache.ts';
import type { Message } from '../../src/contract/messages.ts';
import { fresh } from '../core/builders.ts';

const { spec } = fresh();
const said = (...words: readonly string[]): readonly Message[] =>
  words.map((text) => ({ role: 'user', content: [{ type: 'text', text }] }));

/** A run as a worker comes to know it while it replays: first as it was, then as it is after its first compaction. */
function replaying(): TranscriptCache {
  const cache = new TranscriptCache();
  cache.open('e', spec, 0);
  cache.append('e', 0, said('task', 'old', 'older', 'oldest'));
  return cache;
}

test('a step never gets messages of a transcript that was compacted since, though there are as many', () => {
  const cache = replaying();
  expect(cache.read('e', { messages: 2, compactions: 1 })).toBeUndefined();
  cache.open('e', spec, 1);
  expect(cache.read('e', { messages: 2, compactions: 1 })).toBeUndefined();
  cache.append('e', 0, said('task', 'summary'));
  expect(cache.read('e', { messages: 2, compactions: 1 })?.messages).toEqual(said('task', 'summary'));
  expect(cache.read('e', { messages: 2, compactions: 0 })).toBeUndefined();
});

test.each([
  ['as many as there are', { messages: 4, compactions: 0 }, 4],
  ['fewer', { messages: 1, compactions: 0 }, 1],
  ['of a run that began before compactions were told', { messages: 3 }, 3],
  ['more than there are', { messages: 5, compactions: 0 }, undefined],
])('messages are read: %s', (_name, part, expected) => {
  expect(replaying().read('e', part)?.messages.length).toBe(expected);
});
