import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../src/contract/messages.ts';
import { createSegments } from '../../src/worker/rebuild/segments.ts';

function said(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function thought(text: string, words = true): Message {
  const thinking = { type: 'thinking', thinking: `about ${text}`, signature: 's' } as const;
  return { role: 'assistant', content: words ? [thinking, { type: 'text', text }] : [thinking] };
}

function spoken(text: string): Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}

test('a compaction tells what is new, and where the rest was', () => {
  const segments = createSegments();
  segments.append(0, [
    said('task'),
    thought('1'),
    said('r1'),
    thought('2'),
    said('r2'),
    thought('3', false),
    said('r3'),
  ]);
  segments.open('compacted');
  const after = [said('task'), said('account'), spoken('2'), said('r2'), spoken('(thought without words)'), said('r3')];
  expect(segments.append(0, [...after, said('hurry')])).toEqual([
    { kind: 'segment', segment: 1, head: 1, from: 3, to: 2, kept: 4, thinking: false },
    { kind: 'message', segment: 1, index: 1, message: said('account') },
    { kind: 'message', segment: 1, index: 6, message: said('hurry') },
  ]);
  expect(segments.append(7, [spoken('4')])).toEqual([{ kind: 'message', segment: 1, index: 7, message: spoken('4') }]);
});

test('a boundary of the API keeps thinking, and puts words behind what stayed', () => {
  const segments = createSegments();
  segments.append(0, [said('task'), thought('1'), said('r1'), thought('2'), said('r2')]);
  segments.open('compacted');
  expect(segments.append(0, [spoken('block'), thought('2'), said('r2'), said('task again')])).toEqual([
    { kind: 'segment', segment: 1, head: 0, from: 3, to: 1, kept: 2, thinking: true },
    { kind: 'message', segment: 1, index: 0, message: spoken('block') },
    { kind: 'message', segment: 1, index: 3, message: said('task again') },
  ]);
});

test('a continuation tells only what was said since', () => {
  const segments = createSegments();
  segments.append(0, [said('task'), thought('1')]);
  segments.open('continued');
  expect(segments.append(0, [said('task'), thought('1'), said('r1')])).toEqual([
    { kind: 'message', segment: 0, index: 2, message: said('r1') },
  ]);
});

test('a compaction that keeps nothing tells everything anew', () => {
  const segments = createSegments();
  segments.append(0, [said('a'), spoken('b')]);
  segments.open('compacted');
  expect(segments.append(0, [said('x')])).toEqual([
    { kind: 'segment', segment: 1, head: 0, from: 2, to: 1, kept: 0, thinking: false },
    { kind: 'message', segment: 1, index: 0, message: said('x') },
  ]);
});

test('whatever a compaction keeps, the new transcript can be put together again', () => {
  const messages = fc.array(fc.constantFrom('a', 'b', 'c').map(said), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(messages, messages, fc.nat(12), (old, fresh, keptFrom) => {
      const now = [...fresh, ...old.slice(keptFrom)];
      const segments = createSegments();
      segments.append(0, old);
      segments.open('compacted');
      const again: Message[] = [];
      for (const item of segments.append(0, now)) {
        if (item.kind === 'message') again[item.index] = item.message;
        else {
          old.slice(0, item.head).forEach((message, index) => (again[index] = message));
          old.slice(item.from).forEach((message, offset) => (again[item.to + offset] = message));
        }
      }
      expect(again).toEqual(now);
    }),
  );
});
