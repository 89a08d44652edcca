import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Policy } from '../../../src/contract/spec.ts';
import { decidePolicy, permitsHost, permitsPath } from '../../../src/core/policy/policy.ts';

const policy: Policy = {
  allow: ['write_file(reports/**)', 'bash(git log *)', 'bash(npm run check)', 'mcp__docs__*'],
  ask: ['read_file(secrets/**)'],
  deny: ['bash(rm *)', 'edit_file'],
};

const bash = (command: string): [string, unknown] => ['bash', { command }];
const write = (path: string): [string, unknown] => ['write_file', { path }];

const cases: [name: string, call: [string, unknown], expected: 'allow' | 'ask' | 'deny'][] = [
  ['reads are allowed by default', ['grep', { pattern: 'x' }], 'allow'],
  ['a rule can have a read asked', ['read_file', { path: 'secrets/key' }], 'ask'],
  ['other files of that tool stay allowed', ['read_file', { path: 'src/a.ts' }], 'allow'],
  ['everything else is asked by default', ['send_mail', {}], 'ask'],
  ['a path under the glob is allowed', write('reports/2026/a.md'), 'allow'],
  ['`./` makes no difference', write('./reports/a.md'), 'allow'],
  ['a path that climbs out of the glob is not', write('reports/../src/a.ts'), 'ask'],
  ['an absolute path is not', write('/reports/a.md'), 'ask'],
  ['a name that only begins alike is not', write('reports-evil/a.md'), 'ask'],
  ['a path with NUL is not', write('reports/a\0b'), 'ask'],
  ['a command under its prefix is allowed', bash('git log --oneline -n 20'), 'allow'],
  ['the bare command too', bash('git log'), 'allow'],
  ['an exact command is allowed', bash('npm run check'), 'allow'],
  ['more than the exact command is not', bash('npm run check-all'), 'ask'],
  ['a second command is not', bash('git log ; make'), 'ask'],
  ['nor in a pipe', bash('git log -p | sh'), 'ask'],
  ['nor in a substitution', bash('git log $(make)'), 'ask'],
  ['nor in backticks', bash('git log `make`'), 'ask'],
  ['nor on a second line', bash('git log x\nmake'), 'ask'],
  ['nor a redirection', bash('git log --format=x > ~/.bashrc'), 'ask'],
  ['a denied command is denied', bash('rm -rf x'), 'deny'],
  ['also as the second of two', bash('git log ; rm -rf x'), 'deny'],
  ['also in a subshell', bash('(rm -rf x)'), 'deny'],
  ['a denied tool is denied whatever its input', ['edit_file', {}], 'deny'],
  ['a name pattern allows the tools of a server', ['mcp__docs__search', {}], 'allow'],
  ['but not of another', ['mcp__docs2__search', {}], 'ask'],
  ['input of the wrong shape is no path', ['write_file', { path: 7 }], 'ask'],
  ['no input at all neither', ['write_file', null], 'ask'],
];

test.each(cases)('decidePolicy(): %s', (_name, [tool, input], expected) => {
  const effect = ['grep', 'read_file'].includes(tool) ? 'read' : 'unsafe';
  expect(decidePolicy(policy, { tool, effect, input }).decision).toBe(expected);
});

test('no rule and no argument, however odd, makes the policy throw', () => {
  const odd = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(odd, odd, fc.constantFrom('command', 'path'), (specifier, argument, key) => {
      const rules: Policy = {
        allow: [`bash(${specifier})`],
        ask: [specifier],
        deny: [`${specifier}(x)`, `bash(--${specifier}*)`],
      };
      decidePolicy(rules, { tool: 'bash', effect: 'unsafe', input: { [key]: argument } });
    }),
    { numRuns: 1_000 },
  );
});

test('a rule with a hyphen is a rule with a hyphen', () => {
  const rules: Policy = { allow: ['bash(git log *)'], ask: [], deny: ['bash(git log *--output*)'] };
  const decide = (command: string): string =>
    decidePolicy(rules, { tool: 'bash', effect: 'unsafe', input: { command } }).decision;
  expect([decide('git log -n 3'), decide('git log --output=x')]).toEqual(['allow', 'deny']);
});

test('the rule that allowed a call travels with it, and real paths are judged by the policy again', () => {
  const call = { tool: 'write_file', effect: 'idempotent' } as const;
  expect(decidePolicy(policy, { ...call, input: { path: 'reports/a.md' } }).grant).toBe('write_file(reports/**)');
  const permitted = ['reports/a.md', 'src/a.ts', '/etc/x'].map((path) =>
    permitsPath(policy, call, { path, access: 'write' }),
  );
  expect(permitted).toEqual([true, false, false]);
});

test('a call goes on to another host where its own rule covers that too, or a person approved it and no rule denies it', () => {
  const rules: Policy = { allow: ['web_fetch(domain:a.example)'], ask: [], deny: ['web_fetch(domain:www.b.example)'] };
  const permitted = (host: string): readonly boolean[] =>
    [true, false].map((isGranted) => permitsHost(rules, { tool: 'web_fetch', effect: 'read' }, { host, isGranted }));
  expect(permitted('a.example')).toEqual([true, true]);
  expect(permitted('www.a.example')).toEqual([false, true]);
  expect(permitted('www.b.example')).toEqual([false, false]);
});
