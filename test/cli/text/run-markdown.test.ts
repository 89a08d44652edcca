import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escaped, fenced, runMarkdown, type RunStory } from '../../../src/cli/text/run-markdown.ts';
import type { Told } from '../../../src/cli/text/react-text.ts';

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
const empty: RunStory = { title: 't', rows: [], task: '', answer: '', outputs: {}, spending: [], told: [] };

/** Lines of a document outside its fences, read as a reader of Markdown does. */
function outside(markdown: string): readonly string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const run = /^ {0,3}(`{3,})/u.exec(line)?.[1];
    if (fence !== null) {
      if (run !== undefined && run.length >= fence.length && line.trim() === run) fence = null;
    } else if (run === undefined) lines.push(line);
    else fence = run;
  }
  expect(fence).toBeNull();
  return lines;
}

test('content cannot leave its fence, whatever it is', () => {
  const hostile = fc.string({ unit: fc.constantFrom('`', '~', '\n', ' ', '\t', '\r', '#', 'x', '\u2028', '\u001b') });
  fc.assert(
    fc.property(hostile, (text) => {
      expect(outside(`${fenced(text)}\nend`)).toEqual(['end']);
    }),
  );
});

test('text within a line has no markup of its own', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const line = escaped(text);
      expect(line).not.toMatch(/[\n\r]/u);
      expect(line.replaceAll(/\\[\\`*_[\]<>|~&/]/gu, '')).not.toMatch(/[`*_[\]<>|]/u);
    }),
  );
});

test.each(['https://evil.example/x', 'www.evil.example/x', 'see WWW.evil.example'])(
  '%s does not become a link',
  (text) => {
    expect(escaped(text)).not.toMatch(/:\/\/|www\./iu);
  },
);

test('tabs and line breaks of content stay; what cannot be seen is shown', () => {
  expect(fenced('a\tb\r\n\u001b[31mc\u202e')).toBe('```text\na\tb\n\\x1b[31mc\\u202e\n```');
});

test('a document tells what the run is, what it cost, its plan, and each turn in order', () => {
  const told: readonly Told[] = [
    { kind: 'message', segment: 0, index: 0, message: { role: 'user', content: [{ type: 'text', text: 'Audit' }] } },
    {
      kind: 'event',
      event: {
        type: 'model.replied',
        turn: 1,
        text: 'cut',
        calls: 1,
        usage,
        stopReason: 'tool_use',
        durationMs: 1,
        seq: 1,
        at: 0,
      },
    },
    {
      kind: 'message',
      segment: 0,
      index: 1,
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 'c', name: 'todo', input: { items: [] } },
        ],
      },
    },
    {
      kind: 'event',
      event: {
        type: 'tool.ended',
        callId: 'c',
        tool: 'todo',
        status: 'success',
        durationMs: 0,
        text: 'ok',
        seq: 2,
        at: 1,
      },
    },
    {
      kind: 'event',
      event: { type: 'plan.updated', todos: [{ content: 'Look', status: 'in_progress' }], seq: 3, at: 2 },
    },
  ];
  const markdown = runMarkdown({
    ...empty,
    title: 'An *audit*',
    rows: [['Outcome', 'completed | done']],
    task: 'Audit',
    answer: 'fine',
    outputs: { score: 3 },
    spending: [
      ['PURPOSE', 'MODEL'],
      ['turn', 'claude'],
    ],
    told,
  });
  expect(markdown).toContain(String.raw`# An \*audit\*`);
  expect(markdown).toContain(String.raw`| Outcome | completed \| done |`);
  expect(outside(markdown).filter((line) => /^#|^\*\*|^- /u.test(line))).toEqual([
    String.raw`# An \*audit\*`,
    '## Task',
    '## Answer',
    '## Outputs',
    '**score**',
    '## Cost',
    '## Plan',
    '## Turns',
    '### Turn 1',
    '**Thought**',
    '**Action** todo',
    '**Observation** todo · success · 0.0 s',
    String.raw`- 1970-01-01 00:00:00 UTC · plan · (0/1 completed) · \[\>\] Look`,
  ]);
  expect(markdown).toContain('[>] Look\n(0/1 completed)');
});
