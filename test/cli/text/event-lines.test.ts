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
    [],
  ],
  [
    'a plan is told by how far it is and what is being done',
    [
      {
        type: 'plan.updated',
        todos: [
          { content: 'Look', status: 'completed' },
          { content: 'Write', status: 'in_progress', activeForm: 'Writing' },
          { content: 'Ask', status: 'blocked' },
        ],
      },
    ],
    ['    0.0s  ● plan     (1/3 completed) · [>] Write (Writing) · 1 blocked'],
  ],
  [
    'a verdict is told with who judged, and what was done instead of it',
    [
      {
        type: 'critique.verdict',
        verdict: { action: 'replan', reason: 'it goes nowhere', confidence: 60 },
        followed: 'continue',
        by: 'rule',
      },
    ],
    ['    0.0s  ● critique replan (followed as continue), 60 % sure by rule: it goes nowhere'],
  ],
  [
    'a loop is told with what is done about it',
    [{ type: 'loop.detected', detector: 'cycle', what: 'ls ×5', rung: 'nudge' }],
    ['    0.0s  ↻ loop     the same calls: ls ×5 → the agent is told'],
  ],
  [
    'a model that looks for a loop is told by how sure it is',
    [{ type: 'loop.judged', confidence: 30, reason: 'it moves' }],
    ['    0.0s  · loop     30 % sure of one: it moves'],
  ],
  [
    'a completion check is told either way',
    [
      { type: 'completion.checked', complete: false, reason: 'no tests' },
      { type: 'completion.checked', complete: true, reason: 'all there' },
    ],
    ['    0.0s  ↺ check    not done: no tests', '    1.5s  ✓ check    done: all there'],
  ],
  [
    'outputs and notes are told by their sizes',
    [
      { type: 'output.set', name: 'report', bytes: 1_234 },
      { type: 'notes.kept', bytes: 99 },
    ],
    ['    0.0s  ✓ output   report, 1,234 bytes', '    1.5s  · notes    99 bytes'],
  ],
  [
    'a read that was spared is told by what it would have read',
    [
      { type: 'tool.proposed', ...read },
      { type: 'read.reused', callId: 'c1', fromTurn: 3, bytes: 5_000 },
    ],
    ['    1.5s  · reused   Read a.ts · as in turn 3, 5,000 bytes saved'],
  ],
  [
    'a budget is told when it is leased, used up and topped up',
    [
      { type: 'budget.leased', costUsd: 0.5, tokens: 100_000 },
      { type: 'budget.exhausted', cap: 'day:2026-11-21', message: '$5 are spent' },
      { type: 'budget.topped_up', cap: 'day:2026-11-21', by: 'ana', message: '$2 more' },
    ],
    [
      '    0.0s  · budget   a slice of $0.5000 and 100,000 tokens',
      '    1.5s  ! budget   day:2026-11-21: $5 are spent',
      '    3.0s  ✓ budget   day:2026-11-21, topped up by ana: $2 more',
    ],
  ],
  [
    'a hook that denies says why',
    [{ type: 'hook.ended', hook: 'lint', on: 'before_tool', status: 'denied', text: 'not today', durationMs: 200 }],
    ['    0.0s  ✗ hook     lint (before_tool) · 0.2 s · denied: not today'],
  ],
  [
    'a compaction is told with who wrote the account',
    [{ type: 'run.compacted', messagesBefore: 90, messagesAfter: 40, by: 'model' }],
    ['    0.0s  · compact  90 messages became 40 · by a model'],
  ],
  ['ordinary states are not told', [{ type: 'run.state', state: 'thinking', now: 'x' }], []],
];

test.each(cases)('event lines: %s', (_name, bodies, expected) => {
  expect(linesOf(...bodies)).toEqual(expected);
});
