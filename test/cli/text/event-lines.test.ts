import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createEventLines } from '../../../src/cli/text/event-lines.ts';
import type { RunEvent, RunEventBody } from '../../../src/contract/events.ts';

const colors = pc.createColors(false);
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

function linesOf(...bodies: readonly RunEventBody[]): readonly string[] {
  const lines = createEventLines(colors);
  const events = bodies.map((body, index): RunEvent => ({ ...body, seq: index + 1, at: 1_000_000 + index * 1_500 }));
  return events.flatMap((event) => lines.of(event));
}

const read = { callId: 'c1', tool: 'read_file', summary: 'Read a.ts' } as const;
const bash = { callId: 'c2', tool: 'bash', summary: 'Run make' } as const;

const cases: [name: string, bodies: readonly RunEventBody[], expected: readonly string[]][] = [
  [
    'the start names the offline model',
    [{ type: 'run.started', agent: 'auditor', model: 'offline', offline: true, task: 'x' }],
    ['    0.0s  ● started  auditor · offline · OFFLINE model'],
  ],
  [
    'a reply is told by its words and its calls',
    [{ type: 'model.replied', turn: 2, text: 'I\nlook', calls: 2, usage, stopReason: 'tool_use', durationMs: 1 }],
    ['    0.0s  ● model    turn 2 · I look (2 calls)'],
  ],
  [
    'a read is one line, with the time since the start',
    [
      { type: 'tool.started', ...read },
      { type: 'tool.ended', callId: 'c1', tool: 'read_file', status: 'success', durationMs: 90, text: '' },
    ],
    ['    1.5s  ✓ done     read_file · Read a.ts · 0.1 s'],
  ],
  [
    'a command is told when it starts and when it fails',
    [
      { type: 'tool.started', ...bash },
      {
        type: 'tool.ended',
        callId: 'c2',
        tool: 'bash',
        status: 'error',
        error: 'timeout',
        durationMs: 60_000,
        text: 'timeout: late',
      },
    ],
    ['    0.0s  → start    bash · Run make', '    1.5s  ✗ error    bash · Run make · 60 s · timeout: late'],
  ],
  [
    'what a tool or a person wrote cannot draw on the terminal',
    [{ type: 'message.received', by: 'eve\u001b[1A', text: 'ok\u202e' }],
    ['    0.0s  » message  from eve\\x1b[1A: ok\\u202e'],
  ],
  [
    'a decision is told with who and why',
    [{ type: 'approval.decided', id: 'r.1', status: 'denied', by: 'ana', note: 'no' }],
    ['    0.0s  ✗ approval r.1 · denied by ana: no'],
  ],
  [
    'a question about an outcome is no approval',
    [
      { type: 'approval.requested', id: 'r.2', kind: 'outcome', title: 'Did it happen?', reason: 'lost', deadline: 1 },
      { type: 'approval.decided', id: 'r.2', status: 'answered', by: 'ana' },
    ],
    ['    0.0s  ? question r.2 · Did it happen? · lost', '    1.5s  ✓ question r.2 · answered by ana'],
  ],
  [
    'a new list of what is to be done tells how far it is',
    [
      {
        type: 'tool.ended',
        callId: 'c3',
        tool: 'todo',
        status: 'success',
        durationMs: 0,
        text: 'The list has 2 items.',
      },
    ],
    ['    0.0s  ✓ done     todo · The list has 2 items.'],
  ],
  ['ordinary states are not told', [{ type: 'run.state', state: 'thinking', now: 'x' }], []],
];

test.each(cases)('event lines: %s', (_name, bodies, expected) => {
  expect(linesOf(...bodies)).toEqual(expected);
});
