import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PolicyLayer, PolicyMode } from '../../../src/contract/spec.ts';
import { decidePolicy, type JudgedCall } from '../../../src/core/policy/policy.ts';
import { bash, decide, fetch, layer, mcp, policyOf, read, write, type Decision, type Rules } from './policy-calls.ts';

const modes: [title: string, mode: PolicyMode, rules: Rules, call: JudgedCall, expected: Decision][] = [
  ['lets files of the workspace be written', 'auto-edit', {}, write('src/a'), 'allow'],
  ['lets nothing be written that is obeyed later', 'auto-edit', {}, write('.mcp.json'), 'ask'],
  ['lets no agent file be written', 'auto-edit', {}, write('agents/evil.md'), 'ask'],
  ['lets no other be written', 'auto-edit', {}, write('/etc/a'), 'ask'],
  ['is not about bash', 'auto-edit', {}, bash('>x'), 'ask'],
  ['is not about tools of others', 'auto-edit', {}, { ...write('a'), origin: 'command' }, 'ask'],
  ['keeps what a rule asks', 'auto-edit', { ask: ['Edit(/src/**)'] }, write('src/a'), 'ask'],
  ["goes beyond the agent's own list", 'auto-edit', { allow: ['bash(ls)'] }, write('src/a'), 'allow'],
  ['lets reads run', 'plan', {}, read('a'), 'allow'],
  ['lets nothing else run, whatever is allowed', 'plan', { allow: ['*'] }, write('a'), 'deny'],
  ['asks about an outward request', 'plan', {}, fetch('x.org'), 'ask'],
  ['lets an allowed request run', 'plan', { allow: ['web_fetch'] }, fetch('x.org'), 'allow'],
  ['lets no tool of others run', 'plan', { allow: ['*'] }, mcp({}, 'read'), 'deny'],
  [
    'keeps what belongs to the agent',
    'plan',
    {},
    { tool: 'memory', effect: 'unsafe', input: {}, private: true },
    'allow',
  ],
  ['denies what would be asked', 'unattended', {}, write('a'), 'deny'],
  ['denies what a rule asks', 'unattended', { ask: ['Read'] }, read('a'), 'deny'],
  ['keeps what is allowed', 'unattended', { allow: ['Edit'] }, write('a'), 'allow'],
  ['lets run what no rule asks or denies', 'yolo', {}, bash('rm x', '?'), 'allow'],
  ['also what no list has', 'yolo', { allow: ['bash(ls)'] }, bash('rm x'), 'allow'],
  ['keeps what a rule asks', 'yolo', { ask: ['bash(rm *)'] }, bash('rm x'), 'ask'],
  ['keeps what a rule denies', 'yolo', { deny: ['bash(rm *)'] }, bash('rm x'), 'deny'],
  ['asks where a denying rule may be meant', 'yolo', { deny: ['bash(rm *)'] }, bash('?'), 'ask'],
];
test.each(modes.map(([title, mode, ...rest]) => [mode, title, ...rest] as const))(
  'the mode %s %s',
  (mode, _title, given, call, expected) => {
    expect(decide(policyOf(given, mode), call)).toBe(expected);
  },
);

test.each([
  ['default', 'ask'],
  ['auto-edit', 'ask'],
  ['yolo', 'ask'],
  ['plan', 'deny'],
  ['unattended', 'deny'],
] as const)('a call that cannot be confined is never simply run, in mode %s', (mode, expected) => {
  const call = { ...bash('ls'), unconfined: 'there is no bwrap' };
  expect(decide(policyOf({ allow: ['bash'] }, mode), call)).toBe(expected);
});

describe('layers', () => {
  const stacked: [title: string, above: PolicyLayer[], own: Rules, expected: Decision][] = [
    [
      'the agent may allow what nobody above speaks of',
      [layer('user', { deny: ['bash'] })],
      { allow: ['Edit'] },
      'allow',
    ],
    ['a layer above may deny it', [layer('operator', { deny: ['Edit'] })], { allow: ['Edit'] }, 'deny'],
    ['a layer above may have it asked', [layer('user', { ask: ['Edit'] })], { allow: ['Edit'] }, 'ask'],
    ['a layer below may deny what one above allows', [layer('user', { allow: ['Edit'] })], { deny: ['Edit'] }, 'deny'],
    ['what one layer allows needs no other', [layer('user', { allow: ['Edit'] })], {}, 'allow'],
    ['a list above is a ceiling', [layer('operator', { allow: ['bash(ls)'] })], { allow: ['Edit'] }, 'ask'],
    [
      'which the one above it may raise no more',
      [layer('operator', { allow: ['Edit'] }), layer('user', { allow: ['bash'] })],
      {},
      'ask',
    ],
    [
      'all that list must list it',
      [layer('operator', { allow: ['*'] }), layer('project', { allow: ['Edit(/a)'] })],
      { allow: ['Edit'] },
      'allow',
    ],
  ];
  test.each(stacked)('%s', (_title, above, own, expected) => {
    expect(decide(policyOf(own, undefined, above), write('a'))).toBe(expected);
  });

  test('a list above is a ceiling for the mode auto-edit as well, and never for reads', () => {
    const policy = policyOf({}, 'auto-edit', [layer('operator', { allow: ['bash(ls)'] })]);
    expect([decide(policy, write('a')), decide(policy, read('a'))]).toEqual(['ask', 'allow']);
  });

  test.each([
    [policyOf({ deny: ['Edit'] }), 'the agent\'s rule "deny: Edit"', 'agent'],
    [policyOf({}, undefined, [layer('operator', { ask: ['Edit'] })]), 'the operator\'s rule "ask: Edit"', 'operator'],
    [
      policyOf({}, undefined, [layer('user', { allow: ['x'] })]),
      "the user's rules list what may run, and this is not among it",
      'user',
    ],
    [policyOf({}), 'no rule allows write_file, and what is not a read is asked by default', undefined],
    [
      policyOf({ ask: ['Edit'] }, 'unattended'),
      'the agent\'s rule "ask: Edit", and the mode "unattended" denies what would be asked',
      'agent',
    ],
  ])('the reason names the rule and whose it is', (policy, reason, whose) => {
    const decision = decidePolicy(policy, write('a'));
    expect(decision.reason).toBe(reason);
    expect(decision.layer).toBe(whose);
  });
});

describe('laws', () => {
  const rule = fc.constantFrom(
    '*',
    'bash',
    'bash(ls *)',
    'bash(rm *)',
    'Edit',
    'Edit(/src/**)',
    'Read',
    'Read(.env)',
    'write_file',
    'mcp__docs',
    'web_fetch(domain:*.x.org)',
  );
  const list = fc.array(rule, { maxLength: 2 });
  const rulesOf = fc.record({ allow: list, ask: list, deny: list });
  const call = fc.constantFrom(
    bash('ls a'),
    bash('ls a', 'rm x'),
    bash('?'),
    bash('ls', '>src/a'),
    write('src/a'),
    write('/etc/a'),
    read('.env'),
    fetch('a.x.org'),
    mcp(),
  );
  const mode = fc.constantFrom<PolicyMode>('default', 'auto-edit', 'plan', 'unattended', 'yolo');
  const STRICTNESS = { allow: 0, ask: 1, deny: 2 };

  /** Whether these rules, and not the default, decide about the call. */
  const speaks = (given: Rules, one: JudgedCall): boolean => {
    const { layer: whose, decision } = decidePolicy(policyOf(given), one);
    return whose !== undefined || (decision === 'allow' && one.effect === 'read');
  };

  test('once a layer has spoken, no layer below makes the decision looser', () => {
    fc.assert(
      fc.property(rulesOf, rulesOf, rulesOf, call, (top, middle, low, one) => {
        const above = [layer('operator', top), layer('user', middle)];
        const before = decide(policyOf({}, undefined, above), one);
        const after = decide(policyOf(low, undefined, above), one);
        return !above.some((each) => speaks(each, one)) || STRICTNESS[after] >= STRICTNESS[before];
      }),
      { numRuns: 3_000 },
    );
  });

  test('a rule that is added to ask or deny never makes a decision looser', () => {
    fc.assert(
      fc.property(rulesOf, rule, call, mode, (given, added, one, how) => {
        const before = decide(policyOf(given, how), one);
        const asking = decide(policyOf({ ...given, ask: [...given.ask, added] }, how), one);
        const denying = decide(policyOf({ ...given, deny: [...given.deny, added] }, how), one);
        return STRICTNESS[asking] >= STRICTNESS[before] && STRICTNESS[denying] >= STRICTNESS[before];
      }),
      { numRuns: 3_000 },
    );
  });

  test('a call that reaches for more is never decided more loosely', () => {
    fc.assert(
      fc.property(
        rulesOf,
        mode,
        fc.array(fc.constantFrom('ls a', 'rm x', '?', '>src/a', '<b'), { minLength: 2, maxLength: 4 }),
        (given, how, commands) => {
          const policy = policyOf(given, how);
          const [first = 'ls a'] = commands;
          return (
            STRICTNESS[decide(policy, bash(...commands))] >=
            (first.startsWith('<') ? 0 : STRICTNESS[decide(policy, bash(first))])
          );
        },
      ),
      { numRuns: 3_000 },
    );
  });

  test('hostile text is judged before anybody grows old', () => {
    const text = `${'a'.repeat(8_000)} $x`;
    const policy = policyOf({ allow: ['bash(*a*a*a*a*a*b)'], deny: ['bash(*a*a*a*a*a*b)', 'Read(**/a/**/a/**/b)'] });
    const parts = Array.from({ length: 40 }, (_, index) => `${index}${'a/'.repeat(350)}`);
    expect(decide(policy, bash(text, ...parts))).toBe('ask');
    expect(decide(policy, read('a/'.repeat(2_000)))).toBe('allow');
  });
});
