import pc from 'picocolors';
import { expect, test } from 'vitest';
import { createEventLines } from '../../../src/cli/text/event-lines.ts';
import { type Told, turnLines, turnsOf } from '../../../src/cli/text/react-text.ts';
import type { RunEventBody } from '../../../src/contract/events.ts';
import type { Message } from '../../../src/contract/messages.ts';

const colors = pc.createColors(false);
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };

function events(...bodies: readonly RunEventBody[]): readonly Told[] {
  return bodies.map((body, index) => ({ kind: 'event', event: { ...body, seq: index + 1, at: index * 1_000 } }));
}

function message(index: number, said: Message): Told {
  return { kind: 'message', segment: 0, index, message: said };
}

function shown(told: readonly Told[]): readonly string[] {
  const lines = createEventLines(colors);
  return turnsOf(told).flatMap((turn) => turnLines(turn, { colors, lines }));
}

function replied(turn: number, text: string, calls: number, thought?: string): RunEventBody {
  const more = thought === undefined ? {} : { thought };
  return { type: 'model.replied', turn, text, ...more, calls, usage, stopReason: 'tool_use', durationMs: 5 };
}

const call = { callId: 'c1', tool: 'read_file', summary: 'Read a.ts' } as const;
const ended: RunEventBody = {
  type: 'tool.ended',
  callId: 'c1',
  tool: 'read_file',
  status: 'success',
  durationMs: 90,
  text: 'one\ntwo',
};
const [proposed, started]: readonly RunEventBody[] = [
  { type: 'tool.proposed', ...call },
  { type: 'tool.started', ...call },
];

const cases: [name: string, told: readonly Told[], expected: readonly string[]][] = [
  [
    'thought, action and observation stand in order, and each call is one action',
    events(replied(1, 'I read it', 1, 'what is in it?'), proposed!, started!, ended),
    [
      '  Turn 1',
      '    Thought      what is in it?',
      '    Said         I read it',
      '    Action       read_file · Read a.ts',
      '    Observation  read_file · success · 0.1 s · one two',
    ],
  ],
  [
    'words without a call are the answer',
    events(replied(2, 'all is well', 0)),
    ['  Turn 2', '    Answer       all is well'],
  ],
  [
    'a call that never started is an action with its end',
    events(replied(1, '', 1), {
      type: 'tool.ended',
      callId: 'c9',
      tool: 'bash',
      status: 'denied',
      error: 'denied',
      durationMs: 0,
      text: 'denied: no',
    }),
    ['  Turn 1', '    Action       bash', '    Observation  bash · denied · 0.0 s · denied: no'],
  ],
  [
    'what else happens stands between, with its time',
    events(
      replied(1, '', 1),
      proposed!,
      { type: 'approval.requested', id: 'r.1', kind: 'approve', title: 'Read?', reason: 'rule', deadline: 1 },
      { type: 'approval.decided', id: 'r.1', status: 'approved', by: 'ana' },
      ended,
    ),
    [
      '  Turn 1',
      '    Action       read_file · Read a.ts',
      '    0.0s  ? approval r.1 · Read? · rule',
      '    1.0s  ✓ approval r.1 · approved by ana',
      '    Observation  read_file · success · 0.1 s · one two',
    ],
  ],
  [
    'a plan is made before the first turn',
    events(
      { type: 'run.started', agent: 'a', model: 'm', offline: true, task: 'x' },
      { type: 'plan.made', text: '1. look' },
    ),
    ['  Before the first turn', '    Plan         1. look'],
  ],
  [
    'what a model or a tool wrote cannot draw on the terminal, and is cut',
    events(replied(1, `\u001b[2J${'x'.repeat(500)}`, 0)),
    ['  Turn 1', `    Answer       \\x1b[2J${'x'.repeat(192)}…`],
  ],
  ['states alone are no turn', events({ type: 'run.state', state: 'thinking', now: 'x' }), []],
];

test.each(cases)('turns: %s', (_name, told, expected) => {
  expect(shown(told)).toEqual(expected);
});

test('messages take the place of what events cut', () => {
  const long = 'y'.repeat(5_000);
  const told = [
    ...events(replied(1, 'cut', 1, 'cut too')),
    message(1, {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: long, signature: 's' },
        { type: 'text', text: `${long}!` },
        { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.ts' } },
      ],
    }),
    ...events(proposed!, ended),
    message(2, {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: `${long}?` },
        { type: 'text', text: 'ann says: hurry' },
      ],
    }),
  ];
  expect(turnsOf(told)).toEqual([
    {
      number: 1,
      steps: [
        { kind: 'thought', text: long },
        { kind: 'words', text: `${long}!` },
        { kind: 'action', ...call, input: { path: 'a.ts' } },
        { kind: 'observation', callId: 'c1', tool: 'read_file', status: 'success', durationMs: 90, text: `${long}?` },
        { kind: 'told', text: 'ann says: hurry' },
      ],
    },
  ]);
});

test('what is missing is said at its place', () => {
  const told: readonly Told[] = [
    { kind: 'missing', execution: 'e-1' },
    { kind: 'gap', from: 1, to: 7 },
    ...events(replied(9, 'on', 0)),
    { kind: 'segment', segment: 1, head: 1, from: 8, to: 2, kept: 4, thinking: false },
  ];
  const [before, turn] = turnsOf(told);
  expect(before?.steps.map((step) => 'text' in step && step.text)).toEqual([
    expect.stringContaining('e-1'),
    expect.stringContaining('Events 1 to 7'),
  ]);
  expect(turn?.steps[1]).toMatchObject({ kind: 'remark', text: expect.stringContaining('the last 4 of the messages') });
});
