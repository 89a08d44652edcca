import { expect, test } from 'vitest';
import { type AgentFile, parseAgentFile } from '../../src/config/agent-file.ts';
import { ConfigError } from '../../src/config/config-error.ts';

const knownTools = ['read_file', 'write_file', 'edit_file', 'bash', 'grep', 'glob', 'ls', 'ask_human'];

function parse(front: string, body = 'Do the work.'): AgentFile {
  return parseAgentFile({ text: `---\n${front}\n---\n${body}\n`, source: 'agents/auditor.md', knownTools });
}

const good: [title: string, front: string, expected: Partial<AgentFile>][] = [
  [
    'nothing but a description',
    'description: Reads',
    { name: 'auditor', description: 'Reads', tools: null, model: null, notices: [] },
  ],
  ['an empty front matter', '', { name: 'auditor', description: '' }],
  [
    'a description with a colon',
    'description: Use when: the user asks\nname: x',
    { name: 'x', description: 'Use when: the user asks' },
  ],
  ['a quoted description', 'description: "a: b"', { description: 'a: b' }],
  ['a description with a comment behind it', 'description: Reads # a lot', { description: 'Reads' }],
  [
    'a description that begins with an @',
    'description: "@team: x"\nmodel: @cf/one',
    { description: '@team: x', model: '@cf/one' },
  ],
  [
    'a description that ends with a colon',
    'description: as follows: this:\nmaxTurns: 3',
    { description: 'as follows: this:', maxTurns: 3 },
  ],
  ['a folded description', 'description: >\n  one\n  two', { description: 'one two' }],
  [
    'tools as Claude Code writes them',
    'tools: Read, Grep, AskUserQuestion',
    { tools: ['read_file', 'grep', 'ask_human'] },
  ],
  ['tools as a list of our names', 'tools: [read_file, Bash]', { tools: ['read_file', 'bash'] }],
  ['all tools by a star', 'tools: "*"', { tools: null }],
  ['no tools at all', 'tools: []', { tools: [] }],
  ['tools that are taken away', 'disallowedTools: Bash, Write', { disallowedTools: ['bash', 'write_file'] }],
  ['the model of the caller', 'model: inherit', { model: null }],
  ['effort and turns', 'effort: high\nmaxTurns: 12', { effort: 'high', maxTurns: 12 }],
  [
    'rules in either naming',
    'x-nightshift:\n  policy:\n    allow: ["Write(reports/**)", read_file]\n    ask: ["Bash(git log:*)"]\n    deny: ["*"]',
    { settings: { policy: { allow: ['Edit(reports/**)', 'read_file'], ask: ['bash(git log *)'], deny: ['*'] } } },
  ],
  [
    'durations in words and in milliseconds',
    'x-nightshift:\n  approvals: {timeout: 24h, onTimeout: stop}\n  limits: {activeTime: 5m, costUsd: 0.5}\n  timeouts: {heartbeat: 500, thinking: 1.5s}',
    {
      settings: {
        approvals: { timeout: 86_400_000, onTimeout: 'stop' },
        limits: { activeTime: 300_000, costUsd: 0.5 },
        timeouts: { heartbeat: 500, thinking: 1_500 },
      },
    },
  ],
  [
    'keys that are not used here yet',
    'hooks: {}\ncolor: red\npermissionMode: bypassPermissions',
    {
      notices: [
        'hooks: not used here yet',
        'color: not used here yet',
        'permissionMode: not used; only the settings of the operator can enable the mode "yolo"',
      ],
    },
  ],
];
test.each(good)('parseAgentFile() takes %s', (_title, front, expected) => {
  expect(parse(front)).toMatchObject(expected);
});

const bad: [title: string, front: string, problems: string[]][] = [
  ['an unknown key', 'allowed-tools: Read', ['allowed-tools: there is no such key; did you mean "tools"?']],
  ['a mistyped key', 'descripton: x', ['descripton: there is no such key; did you mean "description"?']],
  ['a key like nothing else', 'zzzzzz: x', ['zzzzzz: there is no such key']],
  ['a key of every object', 'constructor: x', ['constructor: there is no such key']],
  ['an unknown tool', 'tools: Reed', ['tools: there is no tool "Reed"; did you mean "Read"?']],
  ['a tool we do not have', 'tools: WebFetch', ['tools: there is no tool "WebFetch"']],
  [
    'a rule among the tools',
    'tools: Read, Bash(git log, git diff)',
    ['tools: there is no tool "Bash(git log, git diff)"; a rule stands under x-nightshift.policy'],
  ],
  ['tools that are no names', 'tools: {a: 1}', ['tools: expected names of tools, got {"a":1}']],
  [
    'a name that is no name',
    'name: "../x"',
    ['name: expected 1 to 64 letters, digits, spaces, ".", "_" or "-", beginning with a letter or digit, got "../x"'],
  ],
  ['a number as description', 'description: 5', ['description: expected text, got 5']],
  ['turns in words', 'maxTurns: many', ['maxTurns: expected a whole number of at least 1, got "many"']],
  ['no turns', 'maxTurns: 0', ['maxTurns: expected a whole number of at least 1, got 0']],
  ['an unknown effort', 'effort: huge', ['effort: expected one of low, medium, high, xhigh, max, got "huge"']],
  [
    'an unknown setting',
    'x-nightshift: {limit: {}}',
    ['x-nightshift.limit: there is no such key; did you mean "limits"?'],
  ],
  [
    'an unknown limit',
    'x-nightshift: {limits: {turn: 5}}',
    ['x-nightshift.limits.turn: there is no such key; did you mean "turns"?'],
  ],
  ['settings that are no settings', 'x-nightshift: yes', ['x-nightshift: expected keys with values, got "yes"']],
  [
    'a duration without unit',
    'x-nightshift: {approvals: {timeout: "20"}}',
    ['x-nightshift.approvals.timeout: expected a duration such as "20s", "5m" or "24h", or milliseconds, got "20"'],
  ],
  [
    'no duration at all',
    'x-nightshift: {approvals: {timeout: 0}}',
    ['x-nightshift.approvals.timeout: expected a duration such as "20s", "5m" or "24h", or milliseconds, got 0'],
  ],
  [
    'a duration of a list',
    'x-nightshift: {limits: {activeTime: [1]}}',
    ['x-nightshift.limits.activeTime: expected a duration such as "20s", "5m" or "24h", or milliseconds, got [1]'],
  ],
  [
    'an unknown end of waiting',
    'x-nightshift: {approvals: {onTimeout: allow}}',
    ['x-nightshift.approvals.onTimeout: expected "deny" or "stop", got "allow"'],
  ],
  [
    'free money',
    'x-nightshift: {limits: {costUsd: 0}}',
    ['x-nightshift.limits.costUsd: expected an amount in US dollars above 0, got 0'],
  ],
  [
    'a rule about no tool',
    'x-nightshift: {policy: {allow: ["Bosh(ls)"]}}',
    ['x-nightshift.policy.allow: there is no tool "Bosh"; did you mean "Bash"?'],
  ],
  [
    'a rule that matches no tool',
    'x-nightshift: {policy: {deny: ["zz*"]}}',
    ['x-nightshift.policy.deny: no tool matches "zz*"'],
  ],
  [
    'a rule that is none',
    'x-nightshift: {policy: {ask: ["bash("]}}',
    [
      'x-nightshift.policy.ask: "bash(" is not a rule; expected a tool, or a tool with a pattern such as "bash(git log *)"',
    ],
  ],
  [
    'a rule that is no text',
    'x-nightshift: {policy: {ask: [5]}}',
    ['x-nightshift.policy.ask.0: expected a list of rules such as "bash(git log *)", got 5'],
  ],
  [
    'two things at once',
    'maxTurns: 0\ntool: Read',
    ['tool: there is no such key; did you mean "tools"?', 'maxTurns: expected a whole number of at least 1, got 0'],
  ],
  ['a key given twice', 'name: a\nname: b', ['front matter is not YAML: Map keys must be unique at line 2, column 1']],
  ['a list instead of keys', '- a', ['front matter: expected keys with values']],
];
test.each(bad)('parseAgentFile() refuses %s', (_title, front, problems) => {
  expect(problemsOf(() => parse(front))).toEqual(problems);
});

const NO_FRONT_MATTER = 'it has no front matter; expected a first line "---", then YAML, then a line "---"';
const shapes: [title: string, text: string, problem: string][] = [
  ['a file without front matter', 'Do it.', NO_FRONT_MATTER],
  ['an empty file', '', NO_FRONT_MATTER],
  ['front matter in JavaScript', '---js\n{name: process.exit(1)}\n---\nDo it.', NO_FRONT_MATTER],
  ['front matter that never ends', '---\nname: x\nDo it.', NO_FRONT_MATTER],
  [
    'a file without a body',
    '---\nname: x\n---\n',
    'it has no text below the front matter; expected the instructions of the agent',
  ],
];
test.each(shapes)('parseAgentFile() refuses %s', (_title, text, problem) => {
  expect(problemsOf(() => parseAgentFile({ text, source: 'x.md', knownTools }))).toEqual([problem]);
});

test('line ends and a byte order mark of Windows do not matter', () => {
  const text = '\uFEFF---\r\nname: x\r\n---\r\nOne.\r\nTwo.\r\n';
  expect(parseAgentFile({ text, source: 'x.md', knownTools })).toMatchObject({ name: 'x', prompt: 'One.\nTwo.' });
});

test('a line of dashes in the body stays in the body', () => {
  expect(parse('name: x', 'One.\n\n---\n\nTwo.').prompt).toBe('One.\n\n---\n\nTwo.');
});

test('aliases that multiply are refused, not expanded', () => {
  const levels = Array.from(
    { length: 9 },
    (_, index) => `l${index + 1}: &l${index + 1} [${Array(9).fill(`*l${index}`).join(', ')}]`,
  );
  expect(problemsOf(() => parse(`l0: &l0 [x]\n${levels.join('\n')}`))).toEqual([
    expect.stringContaining('Excessive alias count'),
  ]);
});

test('each problem is one line that names the file', () => {
  expect(() => parse('a: 1\nb: 2')).toThrow(
    'Cannot use "agents/auditor.md": a: there is no such key\nCannot use "agents/auditor.md": b: there is no such key',
  );
});

function problemsOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
