import { expect, test } from 'vitest';
import { normaliseOpenRule, normaliseRule, toolName } from '../../src/config/tool-names.ts';

const known = ['bash', 'read_file', 'write_file', 'edit_file', 'grep', 'web_fetch', 'todo', 'ask_human'];

const rules: [written: string, rule: string][] = [
  ['Bash', 'bash'],
  ['Bash(npm run *)', 'bash(npm run *)'],
  ['Bash(git log:*)', 'bash(git log *)'],
  [`Bash(git commit -m "two words" 'x' "")`, `bash(git commit -m 'two words' x '')`],
  ['Bash(echo "$x")', 'bash(echo "$x")'],
  ['bash(grep "a|b" *)', 'bash(grep a|b *)'],
  ['Edit', 'Edit'],
  ['Write', 'Edit'],
  ['Write(/src/**)', 'Edit(/src/**)'],
  ['Read(.env)', 'Read(.env)'],
  ['read_file(src/**)', 'read_file(src/**)'],
  ['Grep', 'grep'],
  ['TodoWrite', 'todo'],
  ['WebFetch(domain:*.example.com)', 'web_fetch(domain:*.example.com)'],
  ['WebFetch(domain:*)', 'web_fetch(domain:*)'],
  ['mcp__docs', 'mcp__docs'],
  ['mcp__docs__*', 'mcp__docs__*'],
  ['mcp__docs__find(kind:page)', 'mcp__docs__find(kind:page)'],
  ['*', '*'],
  ['*_file', '*_file'],
];
test.each(rules)('the rule %s becomes %s', (written, rule) => {
  expect(normaliseRule(written, known)).toEqual({ kind: 'name', name: rule });
});

const HOST = 'expected a host such as "domain:example.com" or "domain:*.example.com"';
const HOME = 'a home folder is written with two slashes, such as "//home/ada/notes/**"';
const wrong: [written: string, problem: string][] = [
  ['Bosh(ls)', 'there is no tool "Bosh"; did you mean "Bash"?'],
  ['WebFitch', 'there is no tool "WebFitch"; did you mean "WebFetch"?'],
  ['WebSearch', 'there is no tool "WebSearch"; did you mean "WebFetch"?'],
  ['WebFetch(https://example.com)', `"WebFetch(https://example.com)": ${HOST}`],
  ['WebFetch(domain:example.*)', `"WebFetch(domain:example.*)": ${HOST}`],
  ['WebFetch(domain:example.com/x)', `"WebFetch(domain:example.com/x)": ${HOST}`],
  ['Read(~/.ssh/**)', `"Read(~/.ssh/**)": ${HOME}`],
  ['write_file(!src)', '"write_file(!src)": a pattern says what it is about, not what it is not about'],
  ['zz*', 'no tool matches "zz*"'],
  ['bash(', '"bash(" is not a rule; expected a tool, or a tool with a pattern such as "bash(git log *)"'],
];
test.each(wrong)('the rule %s is refused', (written, problem) => {
  expect(normaliseRule(written, known)).toEqual({ kind: 'problem', problem });
});

test('where tools may come later, only a name near to a known one is refused', () => {
  expect(normaliseOpenRule('deploy(env:prod)', known)).toEqual({ kind: 'name', name: 'deploy(env:prod)' });
  expect(normaliseOpenRule('deploy_*', known)).toEqual({ kind: 'name', name: 'deploy_*' });
  expect(normaliseOpenRule('Bosh(ls)', known).kind).toBe('problem');
});

test('a name of a tool of a server is one before the server was asked', () => {
  expect(toolName('mcp__docs__find', known)).toEqual({ kind: 'name', name: 'mcp__docs__find' });
});
