import { expect, test } from 'vitest';
import type { RunSpec } from '../../../src/contract/spec.ts';
import type { Critique } from '../../../src/contract/terms.ts';
import type { Observation } from '../../../src/core/apply.ts';
import { answer } from '../../../src/core/people/answers.ts';
import type { Run } from '../../../src/core/run.ts';
import { after, fresh, next, reply, result, started, T0, verdict } from '../builders.ts';

type Steps = readonly (Observation | ((run: Run) => Run))[];

const critique = (changes: Partial<Critique>): Partial<RunSpec> => ({
  critique: { when: 'never', redoMax: 3, ...changes },
});

function called(turn: number, changes: { tool?: string; input?: unknown; failed?: boolean } = {}): Steps {
  const { tool = 'read', input = {}, failed = false } = changes;
  const id = `c${turn}-0`;
  const error = { status: 'error', error: 'execution_failed' } as const;
  return [
    reply(turn, '', [[tool, input]]),
    started(id),
    result(id, failed ? 'no such thing' : 'ok', failed ? error : {}),
  ];
}

function verdicts(run: Run): readonly string[] {
  return run.log.kept.flatMap((event) =>
    event.type === 'critique.verdict' ? [`${event.by}: ${event.verdict.action} → ${event.followed}`] : [],
  );
}

const test1 = { tests: ['npm test'] };
const bash = (turn: number, command: string, failed = false): Steps =>
  called(turn, { tool: 'write', input: { command }, failed });

const refused = (turn: number, command: string): Steps => [
  reply(turn, '', [['write', { command }]]),
  result(`c${turn}-0`, 'denied: no', { status: 'denied', error: 'denied' }),
];

const cases: [name: string, run: Run, expected: string][] = [
  [
    'after a turn without errors nobody judges',
    after(fresh(critique({ when: ['after_errors'] })), ...called(1)),
    'think turn',
  ],
  [
    'a failed call is sent back by a rule, without a model',
    after(fresh(critique({ when: ['after_errors'] })), ...called(1, { failed: true })),
    'think turn',
  ],
  [
    'one that goes on failing is put before a model',
    after(fresh(critique({ when: ['after_errors'] })), ...[1, 2, 3].flatMap((turn) => called(turn, { failed: true }))),
    'reflect critique',
  ],
  [
    'a number of turns is enough to be judged every so often',
    after(fresh(critique({ everyTurns: 1 })), ...called(1)),
    'reflect critique',
  ],
  [
    'every second turn, the first is not judged',
    after(fresh(critique({ when: [], everyTurns: 2 })), ...called(1)),
    'think turn',
  ],
  [
    'and the second is',
    after(fresh(critique({ when: [], everyTurns: 2 })), ...called(1), ...called(2)),
    'reflect critique',
  ],
  ['tests that never ran send it back', after(fresh(critique(test1)), reply(1, 'done')), 'think turn'],
  [
    'tests that failed send it back',
    after(fresh(critique(test1)), ...bash(1, 'npm test', true), reply(2, 'done')),
    'think turn',
  ],
  [
    'tests that passed let it complete',
    after(fresh(critique(test1)), ...bash(1, 'npm test', true), ...bash(2, 'cd x && npm test'), reply(3, 'done')),
    'end answered',
  ],
  [
    'tests whose exit code is lost in a pipe do not',
    after(fresh(critique(test1)), ...bash(1, 'npm test'), ...bash(2, 'npm test 2>&1 | tail -5'), reply(3, 'done')),
    'think turn',
  ],
  [
    'a test run that a person refused changes nothing',
    after(fresh(critique(test1)), ...bash(1, 'npm test'), ...refused(2, 'npm test'), reply(3, 'done')),
    'end answered',
  ],
  [
    'calls that failed before do not use up what tests may send back',
    after(
      fresh(critique({ ...test1, when: ['after_errors'] })),
      ...[1, 3, 5].flatMap((turn) => [...called(turn, { failed: true }), ...called(turn + 1)]),
      reply(7, 'done'),
    ),
    'think turn',
  ],
  [
    'an empty diff sends it back',
    after(fresh(critique({ expectsChanges: true })), ...called(1), reply(2, 'done')),
    'think turn',
  ],
  [
    'a change lets it complete',
    after(fresh(critique({ expectsChanges: true })), ...called(1, { tool: 'write' }), reply(2, 'done')),
    'end answered',
  ],
  [
    'a rule does not send it back for ever',
    after(fresh(critique(test1)), ...[1, 2, 3, 4].map((turn) => reply(turn, 'done'))),
    'end answered',
  ],
  [
    'a verdict that is not sure goes to a person',
    after(fresh(critique({ when: ['every_turn'], askBelow: 60 })), ...called(1), verdict('replan', 'hm', 59)),
    'wait',
  ],
  [
    'one that is sure enough does not',
    after(fresh(critique({ when: ['every_turn'], askBelow: 60 })), ...called(1), verdict('replan', 'hm', 60)),
    'think plan',
  ],
  [
    'the same step is sent back so often, and then planned anew',
    after(
      fresh(critique({ when: ['every_turn'], redoMax: 9, retriesPerStep: 1 })),
      ...called(1),
      verdict('retry'),
      ...called(2),
      verdict('retry'),
    ),
    'think plan',
  ],
];

test.each(cases)('%s', (_name, run, expected) => {
  expect(next(run)).toBe(expected);
});

const unsure = after(
  fresh(critique({ when: ['every_turn'], askBelow: 60 })),
  ...called(1),
  verdict('retry', 'the file is odd', 30),
);

test.each([
  ['continue', 'think turn'],
  ['retry', 'think turn'],
  ['replan', 'think plan'],
  ['complete', 'think turn'],
])('a person who is asked decides: %s', (choice, expected) => {
  const [question] = unsure.approvals;
  expect(question?.options.map(({ id }) => id)).toEqual(['continue', 'retry', 'replan', 'complete']);
  const decided = after(answer(unsure, { id: question!.id, decision: 'answer', choice, by: 'ann' }, T0), {
    kind: 'woken',
  });
  expect(next(decided)).toBe(expected);
  expect(verdicts(decided)).toEqual([`ann: ${choice} → ${choice}`]);
});

test('when nobody answers in time the work goes on, and the verdict is nobody’s', () => {
  const late = after(unsure, (run) => run);
  const expired = [{ kind: 'woken' } as const].reduce(
    (run, step) => after({ ...run, approvals: run.approvals.map((one) => ({ ...one, deadline: T0 - 10_000 })) }, step),
    late,
  );
  expect(verdicts(expired)).toEqual(['nobody: continue → continue']);
  expect(next(expired)).toBe('think turn');
});

test('an unattended run asks nobody, and follows the verdict', () => {
  const policy: RunSpec['policy'] = { allow: [], ask: [], deny: [], mode: 'unattended' };
  const changes = { ...critique({ when: ['every_turn'], askBelow: 60 }), policy };
  expect(next(after(fresh(changes), ...called(1), verdict('replan', 'hm', 5)))).toBe('think plan');
});

test('critiques that have used up their calls are not asked any more, and that is told once', () => {
  const often = critique({ when: ['every_turn'], calls: 1 });
  const run = after(fresh(often), ...called(1), verdict('continue'), ...called(2), ...called(3));
  expect(next(run)).toBe('think turn');
  const told = run.log.kept.filter((event) => event.type === 'limit.reached' && event.limit === 'critique');
  expect(told).toHaveLength(1);
});

test('who used what stands in the totals', () => {
  const run = after(fresh(critique({ when: ['every_turn'] })), ...called(1), verdict('continue'));
  expect(run.totals.spending?.map(({ purpose, model, calls }) => [purpose, model, calls])).toEqual([
    ['turn', 'offline-test', 1],
    ['critique', 'offline-test', 1],
  ]);
});

test('a critique that cannot be had is told of, so that nobody takes its silence for its word', () => {
  const judged = after(fresh(critique({ when: ['every_turn'] })), ...called(1));
  const run = after(judged, { kind: 'critique', result: null, problem: 'there is no such model' });
  expect(next(run)).toBe('think turn');
  const problem = 'critique cannot be had: there is no such model';
  expect(run.log.kept.at(-1)).toMatchObject({ type: 'model.problem', turn: 1, problem });
});
