import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startOfflineModel } from '../../src/models/offline/server.ts';
import { openCommandLine, type CommandLine } from './support/command-line.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle') });
});
afterAll(async () => await cli.close());

const refused: [name: string, words: readonly string[], code: number, says: string][] = [
  ['an agent file with a wrong key', ['run', 'broken', 'x'], 2, 'did you mean "tools"?'],
  ['an agent that does not exist', ['run', 'auditr', 'x'], 2, 'did you mean "auditor"?'],
  ['an agent path that does not exist', ['run', './nope.md', 'x'], 2, 'there is no such file'],
  ['a missing workspace', ['run', 'auditor', 'x', '--workspace', 'nowhere'], 2, 'there is no such folder'],
  ['a workspace that is a file', ['run', 'auditor', 'x', '--workspace', 'index.js'], 2, 'it is not a folder'],
  ['no task', ['run', 'auditor'], 2, 'there is no task'],
  ['an unknown flag', ['run', 'auditor', 'x', '--yolo'], 2, "unknown option '--yolo'"],
  ['an unknown command', ['rnu'], 2, "unknown command 'rnu'"],
  ['a flag with a wrong value', ['run', 'auditor', 'x', '--max-turns', 'many'], 2, 'whole number'],
  ['a tool that does not exist', ['run', 'auditor', 'x', '--deny-tools', 'bsh'], 2, 'did you mean "bash"?'],
  ['an id that cannot be one', ['run', 'auditor', 'x', '--id', '../x'], 2, 'runId'],
  ['no server, and one is needed', ['runs', 'ls'], 3, 'none runs here'],
  ['a call of a tool that does not exist', ['tools', 'explain', 'bsh(x)'], 2, 'did you mean "bash"?'],
  ['a call that does not fit its tool', ['tools', 'explain', 'ls {"pth": "x"}'], 2, 'Unrecognized key'],
  ['a tool that is not there', ['tools', 'show', 'mcp__docs__find'], 5, 'no server'],
  ['input that is not JSON', ['tools', 'call', 'ls', '{path'], 2, 'expected JSON'],
  ['an export in a format that does not exist', ['runs', 'export', '@last', '--format', 'pdf'], 2, 'md, jsonl'],
  ['help about nothing', ['help', 'nothing'], 2, 'no help'],
];

test.each(refused)('%s is one clear line', async (_name, words, code, says) => {
  const ended = await cli.run(words);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(says);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
});

test('a server that does not answer is told, and not waited for', async () => {
  const ended = await cli.run(['run', 'auditor', 'x'], { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
  expect(ended.code).toBe(3);
  expect(ended.stderr).toContain('Cannot reach the Temporal server at "127.0.0.1:1"');
});

test('a wrong key is told before anything is started', async () => {
  const model = await startOfflineModel({ requireKey: 'right' });
  try {
    const env = { ANTHROPIC_API_KEY: 'wrong', ANTHROPIC_BASE_URL: model.url };
    const ended = await cli.run(['run', 'auditor', 'x'], { env });
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr).toContain('ANTHROPIC_API_KEY');
    expect(ended.stderr).not.toContain('wrong');
    const unknown = await cli.run(['run', 'auditor', 'x', '--model', 'claude-nope'], {
      env: { ...env, ANTHROPIC_API_KEY: 'right' },
    });
    expect(unknown.code).toBe(2);
  } finally {
    await model.close();
  }
  expect(await readdir(cli.dataFolder).catch(() => [])).toEqual([]);
});

test('help goes to stdout, and names the exit codes', async () => {
  const codes = await cli.run(['help', 'exit-codes']);
  expect(codes.code).toBe(0);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17, 18, 124, 130])
    expect(codes.stdout).toMatch(new RegExp(`^ +${code}  \\S`, 'm'));
  const run = await cli.run(['run', '--help']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toContain('Examples:');
});

test('agents of the folder are listed, broken ones with what is wrong', async () => {
  const { stdout } = await cli.run(['agents', 'ls', '--json']);
  const agents = JSON.parse(stdout) as { name: string; problem: string | null }[];
  expect(agents.map(({ name, problem }) => [name, problem === null])).toEqual([
    ['auditor', true],
    ['broken', false],
  ]);
});
