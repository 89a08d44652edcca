import { expect, test } from 'vitest';
import { emitValueDefinition } from '../../../src/contract/control-tools.ts';
import type { RunSpec } from '../../../src/contract/spec.ts';
import type { Observation } from '../../../src/core/apply.ts';
import { begin } from '../../../src/core/begin.ts';
import { decide } from '../../../src/core/decide.ts';
import { answer } from '../../../src/core/people/answers.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, lastText, looking, next, reply, result, started, T0, verdict, words } from '../builders.ts';

const outputs = [
  { name: 'title', schema: { type: 'string' } },
  { name: 'pages', schema: { type: 'integer' } },
];

/** A run that declares outputs has the tool that delivers them. */
function delivering(changes: Partial<RunSpec> = {}): Run {
  const run = fresh({ outputs, ...changes });
  return { ...run, spec: { ...run.spec, tools: [...run.spec.tools, emitValueDefinition(outputs)] } };
}

const emit = (turn: number, name: string, value: unknown): Observation =>
  reply(turn, '', [['emit_value', { name, value }]]);
const delivered = (name: string): [string, unknown] => ['emit_value', { name, value: 1 }];
const failing = (turn: number): readonly (Observation | ((run: Run) => Run))[] => [
  reply(turn, '', [['read', { turn }]]),
  started(`c${turn}-0`),
  result(`c${turn}-0`, `execution_failed: ${turn}`, { status: 'error', error: 'execution_failed' }),
];
const terminate = (status: string): Observation => reply(1, '', [['terminate', { status, summary: 'that was it' }]]);
const complete = (isComplete: boolean): Observation => ({
  kind: 'completion',
  result: words(JSON.stringify({ complete: isComplete, reason: 'the report is missing', confidence: 90 })),
});

const limits = { turns: 50, toolCalls: 100, activeMs: 300_000, tokens: 1_000_000, costUsd: 10 };
const errors = { limits: { ...limits, consecutiveErrors: 3 } };

const cases: [name: string, run: Run, expected: string][] = [
  ['no tool call and nothing owed', after(fresh(), reply(1, 'done')), 'end answered'],
  ['terminate with success', after(fresh(), terminate('success')), 'end terminated'],
  ['terminate with failure', after(fresh(), terminate('failure')), 'end gave_up'],
  ['terminate with an odd status is an error, and the run goes on', after(fresh(), terminate('maybe')), 'think turn'],
  [
    'all declared outputs are there',
    after(delivering(), emit(1, 'title', 'x'), emit(2, 'pages', 3)),
    'end outputs_complete',
  ],
  ['some are missing', after(delivering(), emit(1, 'title', 'x'), reply(2, 'done')), 'think turn'],
  [
    'some are missing for good',
    after(delivering(), ...[1, 2, 3, 4].map((turn) => reply(turn, 'done'))),
    'think summary',
  ],
  [
    'a critique says complete in the middle',
    after(
      fresh({ critique: { when: ['every_turn'], redoMax: 3 } }),
      ...looking(1),
      verdict('complete'),
      reply(2, 'so'),
    ),
    'end critique',
  ],
  ['a completion check is asked for', after(fresh({ completionCheck: true }), reply(1, 'done')), 'reflect completion'],
  [
    'and ends the run',
    after(fresh({ completionCheck: true }), reply(1, 'done'), complete(true)),
    'end completion_check',
  ],
  ['or sends it back', after(fresh({ completionCheck: true }), reply(1, 'done'), complete(false)), 'think turn'],
  [
    'a completion check that cannot be had lets it end',
    after(fresh({ completionCheck: true }), reply(1, 'done'), { kind: 'completion', result: null }),
    'end answered',
  ],
  ['three turns of errors are borne', after(fresh(errors), ...[1, 2, 3].flatMap(failing)), 'think turn'],
  ['a fourth is not', after(fresh(errors), ...[1, 2, 3, 4].flatMap(failing)), 'think summary'],
  [
    'a success in between starts the count anew',
    after(fresh(errors), ...[1, 2, 3].flatMap(failing), ...looking(4), ...[5, 6, 7].flatMap(failing)),
    'think turn',
  ],
];

test.each(cases)('%s', (_name, run, expected) => {
  expect(next(run)).toBe(expected);
});

const reviewed = { critique: { when: ['before_complete'], redoMax: 3 } } satisfies Partial<RunSpec>;
const items = [{ content: 'clean up', status: 'completed' }];

test.each([
  ['the agent ended it', after(fresh(reviewed), terminate('success'))],
  ['all outputs were there', after(delivering(reviewed), reply(1, '', [delivered('title'), delivered('pages')]))],
])('a run that was sent back after %s works on until it says again that it is done', (_name, ended) => {
  expect(next(ended)).toBe('reflect critique');
  const working = after(ended, verdict('retry', 'the tests fail'), ...looking(2), ...looking(3));
  expect(next(working)).toBe('think turn');
  expect(next(after(working, reply(4, 'mended'), verdict('complete')))).toBe('end answered');
});

test('outputs that were there before the plan was done end the run with the plan', () => {
  const open = [{ content: 'clean up', status: 'in_progress' }];
  const begun = after(delivering(), reply(1, '', [['todo', { items: open }], delivered('title'), delivered('pages')]));
  expect(next(begun)).toBe('think turn');
  expect(next(after(begun, reply(2, '', [['todo', { items }]])))).toBe('end outputs_complete');
});

test('more errors in a row than are borne stop the run with a reason of their own', () => {
  const run = after(fresh(errors), ...[1, 2, 3, 4].flatMap(failing), { kind: 'summary', result: null });
  expect(run.result).toMatchObject({ stopReason: 'consecutive_errors', outcome: { status: 'stopped' } });
});

test('a command that ran and failed is news, and no error of the run', () => {
  const command = (turn: number): readonly (Observation | ((run: Run) => Run))[] => [
    reply(turn, '', [['read', { turn }]]),
    started(`c${turn}-0`),
    result(`c${turn}-0`, 'exit 1', { status: 'error', error: 'shell_execute_error' }),
  ];
  expect(next(after(fresh(errors), ...[1, 2, 3, 4, 5].flatMap(command)))).toBe('think turn');
});

test('the result of a run is its outputs, typed by their schemas, and what was blocked', () => {
  const items = [{ content: 'ask the owner', status: 'blocked' }];
  const run = after(
    delivering(),
    reply(1, '', [['todo', { items }]]),
    emit(2, 'title', 'x'),
    emit(3, 'title', 'y'),
    emit(4, 'pages', 3),
  );
  expect(run.result).toMatchObject({ outputs: { title: 'y', pages: 3 }, blocked: ['ask the owner'] });
});

test('the model is told by name what is missing, three times, and then the run stops', () => {
  const once = after(delivering(), emit(1, 'title', 'x'), reply(2, 'done'));
  expect(lastText(once)).toContain('still missing: pages');
  const gone = after(once, reply(3, 'done'), reply(4, 'done'), reply(5, 'done'), { kind: 'summary', result: null });
  expect(gone.result).toMatchObject({ stopReason: 'outputs_missing', outputs: { title: 'x' } });
});

test.each([
  ['an output nobody declared', { name: 'colour', value: 1 }, 'expected a "name" of title, pages'],
  ['no value', { name: 'title' }, 'expected a "value"'],
  ['a value that is too large', { name: 'title', value: 'x'.repeat(70_000) }, 'write it to a file'],
])('%s is an error the model can mend', (_name, input, problem) => {
  const run = after(delivering(), reply(1, '', [['emit_value', input]]));
  expect(JSON.stringify(run.messages.at(-1))).toContain(problem.replaceAll('"', '\\"'));
  expect(run.outputs).toEqual({});
});

test('outputs that are complete do not end a run whose plan is not', () => {
  const items = [{ content: 'clean up', status: 'in_progress' }];
  const run = after(delivering(), reply(1, '', [['todo', { items }]]), emit(2, 'title', 'x'), emit(3, 'pages', 3));
  expect(next(run)).toBe('think turn');
});

test('a run that stops with open items in its plan is asked about them, once', () => {
  const items = [{ content: 'clean up', status: 'pending' }];
  const planned = after(fresh({ remindAfterTurns: 3 }), reply(1, '', [['todo', { items }]]), reply(2, 'done'));
  expect(next(planned)).toBe('think turn');
  expect(lastText(planned)).toContain('[ ] clean up');
  expect(next(after(planned, reply(3, 'done')))).toBe('end answered');
});

test('after three turns without a change a reminder of the plan stands first among the results', () => {
  const items = [{ content: 'clean up', status: 'pending' }];
  const steps = [reply(1, '', [['todo', { items }]]), ...[2, 3, 4].flatMap(looking)];
  const run = after(fresh({ remindAfterTurns: 3 }), ...steps);
  const first = run.messages.at(-1)?.content[0];
  expect(first?.type === 'tool_result' && first.content).toMatch(
    /^\[Reminder: your plan has not changed for 3 turns[^]*\[ \] clean up[^]*\]\n\nfound 4$/u,
  );
  const quiet = after(fresh({ remindAfterTurns: 3 }), ...steps.slice(0, -3));
  expect(JSON.stringify(quiet.messages)).not.toContain('Reminder');
  expect(JSON.stringify(after(run, ...looking(5)).messages.at(-1))).not.toContain('Reminder');
});

const asking: Partial<RunSpec> = { budget: { atCap: 'ask', caps: [] } };
const small = { limits: { ...limits, costUsd: 0.015 } };

test('a run at its limit of money asks a person to top up, and goes on with what they allow', () => {
  const spent = after(fresh({ ...small, ...asking }), ...looking(1), ...looking(2));
  expect(next(spent)).toBe('wait');
  const [question] = spent.approvals;
  expect(question).toMatchObject({ kind: 'choose', about: 'budget', fallback: 'stop' });
  const topped = after(
    answer(spent, { id: question!.id, decision: 'answer', choice: 'topup', text: '$5', by: 'ann' }, T0),
    { kind: 'woken' },
  );
  expect(next(topped)).toBe('think turn');
  expect(topped.budget.raised).toEqual({ costUsd: 5, tokens: 0 });
});

test('calls that were asked for are still run when the money is used up, since they cost none', () => {
  const spent = after(
    fresh({ ...small, ...asking }),
    ...looking(1),
    reply(2, '', [
      ['read', {}],
      ['write', {}],
    ]),
  );
  expect(next(spent)).toBe('act');
  expect(
    next(
      after(
        fresh(small),
        ...looking(1),
        reply(2, '', [
          ['read', {}],
          ['write', {}],
        ]),
      ),
    ),
  ).toBe('end cost');
});

test('what was leased goes back also when the run was cancelled before it heard of it', () => {
  const leasing = fresh({ budget: { atCap: 'ask', ledger: 'l', caps: [{ key: 'day:1', costUsd: 1 }] } });
  const decision = decide(leasing, T0);
  expect(decision).toMatchObject({ kind: 'lease', input: { lease: 1 } });
  const cancelled = after(begin(leasing, decision, T0), { kind: 'cancelled' });
  expect(decide(cancelled, T0)).toMatchObject({ kind: 'lease', input: { lease: 2, isLast: true } });
  expect(next(after(fresh(), { kind: 'cancelled' }))).toBe('end cancelled');
});

test.each([
  ['without such a budget', small, 'end cost'],
  [
    'in an unattended run',
    { ...small, ...asking, policy: { allow: [], ask: [], deny: [], mode: 'unattended' } },
    'end cost',
  ],
] as const)('%s it stops instead', (_name, changes, expected) => {
  expect(next(after(fresh(changes as Partial<RunSpec>), ...looking(1), ...looking(2)))).toBe(expected);
});
