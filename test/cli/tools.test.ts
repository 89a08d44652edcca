import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { callTool } from '../../src/cli/commands/tools/call.ts';
import { explainCall, type ExplainFlags } from '../../src/cli/commands/tools/explain.ts';
import { openCommandLine, type CommandLine, type Ended } from './support/command-line.ts';
import { openPerson, type Person } from './support/person.ts';

const BUILDER = `---
name: builder
description: Builds
tools: Bash, Read, Write, Edit
x-nightshift:
  policy:
    allow: ["bash(npm run *)", "bash(npm test)"]
    deny: ["bash(npm run deploy*)"]
---
Build it.
`;

const SECRET = 'sk-ant-api03-9dK2mQ7xW4vB8nR1tY6uE3';

/** Rules of operator, project and agent, in a folder that nobody trusts. */
async function writeRules(folder: string, operator: string): Promise<void> {
  await mkdir(join(folder, 'agents'), { recursive: true });
  await writeFile(operator, 'policy: {deny: ["bash(git push *)"]}\n');
  await writeFile(join(folder, 'agents', 'builder.md'), BUILDER);
  await writeFile(join(folder, 'nightshift.yaml'), 'policy: {ask: ["Edit(src/**)"], allow: ["bash"]}\n');
}

async function inProject(): Promise<Person> {
  const person = await openPerson(async () => await Promise.resolve('n'));
  onTestFinished(person.close);
  await writeRules(person.folder, join(person.folder, '..', 'operator.yaml'));
  return person;
}

interface Shown {
  readonly parts: readonly { readonly decision: string }[];
}

describe('what would become of a call', () => {
  const builder = { agent: 'builder' };
  const cases: [call: string, flags: ExplainFlags, expected: object, parts: readonly string[]][] = [
    ['Bash(npm test)', builder, { tool: 'bash', parts: [{ rule: 'bash(npm test)', layer: 'agent' }] }, ['allow']],
    [
      'bash(npm test && git push origin)',
      builder,
      { decision: 'deny', rule: 'bash(git push *)', layer: 'operator' },
      ['allow', 'deny'],
    ],
    ['bash(npm run build; rm -rf /)', builder, { decision: 'ask', layer: 'agent' }, ['allow', 'ask']],
    ['bash(echo "$(npm run deploy-all)")', builder, { decision: 'deny', layer: 'agent' }, ['deny', 'ask']],
    ['Edit(src/a.ts)', {}, { decision: 'ask', rule: 'Edit(src/**)', layer: 'project', tool: 'edit_file' }, ['ask']],
    ['write_file(b.txt)', { mode: 'auto-edit' }, { decision: 'allow', mode: 'auto-edit' }, ['allow']],
    ['write_file(b.txt)', { mode: 'plan', ...builder }, { decision: 'deny', mode: 'plan' }, ['deny']],
    ['WebFetch(https://example.com/x)', {}, { decision: 'ask', parts: [{ host: 'example.com' }] }, ['ask']],
    ['web_fetch(domain:example.com)', {}, { decision: 'ask', input: { url: 'https://example.com' } }, ['ask']],
    ['mcp__docs__search', {}, { decision: 'ask', tool: 'mcp__docs__search' }, []],
    ['mcp__docs__search {"deep": {"er": 1}}', {}, { input: { deep: { er: 1 } } }, []],
    ['grep {"pattern": "x", "path": "src"}', {}, { decision: 'allow', effect: 'read' }, ['allow']],
    ['todo', {}, { decision: 'allow' }, []],
  ];

  test.each(cases)('explains %s %j', async (call, flags, expected, parts) => {
    const person = await inProject();
    expect(await explainCall(person.context, call, { ...flags, json: true })).toBe(0);
    const explained = JSON.parse(person.printed()) as Shown;
    expect(explained).toMatchObject(expected);
    expect(explained.parts.map(({ decision }) => decision)).toEqual(parts);
  });

  const unreadable: [call: string, why: string][] = [
    ['', 'expected a tool with what it is called with'],
    ['bash(', 'expected a tool with what it is called with'],
    ['bash()', 'it does not say the command'],
    ['bash {"command": }', 'not a JSON object'],
    ['bash {"command": 1}', 'expected string'],
    ['bsh(ls)', 'did you mean "bash"?'],
    ['mcp__docs', 'expected mcp__server__tool'],
    ['mcp__docs__find(x)', 'as JSON'],
    ['Read(../../etc/passwd)', 'outside the workspace'],
    [`bash${' '.repeat(200_000)}!`, 'expected a tool with what it is called with'],
  ];

  test.each(unreadable)('says why %j cannot be explained', async (call, why) => {
    const person = await inProject();
    const refused = explainCall(person.context, call, {});
    await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(why) as string });
  });

  test('people read the rule with its file, and what is not used of a folder that nobody trusts', async () => {
    const { context, printed, folder } = await inProject();
    await explainCall(context, 'bash(git push x)', {});
    expect(printed()).toMatch(/^deny/);
    expect(printed()).toContain(`operator, ${join(folder, '..', 'operator.yaml')}`);
    expect(printed()).toContain('policy.allow is not used: the folder is not trusted');
  });

  test('what a call says cannot draw on the terminal', async () => {
    const { context, printed } = await inProject();
    await explainCall(context, 'bash(echo \u001b[2J\u202e)', {});
    expect(printed()).toContain('\\x1b[2J\\u202e');
    for (const drawn of ['\u001b', '\u202e']) expect(printed()).not.toContain(drawn);
  });
});

let cli: CommandLine;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle') });
  const operator = join(cli.folder, 'operator.yaml');
  env = { NIGHTSHIFT_OPERATOR_SETTINGS: operator, ANTHROPIC_API_KEY: SECRET };
  await writeRules(cli.workspace, operator);
});
afterAll(async () => await cli.close());

async function run(...words: readonly string[]): Promise<Ended> {
  return await cli.run(words, { env });
}

test('the list tells what the rules say, and for an agent what it is given', async () => {
  const all = await run('tools', 'ls');
  expect(all.stdout).toMatch(/^bash +unsafe +built in +asked, or by 1 rule +/m);
  expect(all.stdout).toMatch(/^read_file +read +built in +allowed +/m);
  expect(all.stderr).toContain('not trusted');

  const { stdout } = await run('tools', 'ls', '--agent', 'builder', '--all', '--json');
  const tools = JSON.parse(stdout) as { name: string; given: boolean }[];
  expect(tools.filter(({ given }) => given).map(({ name }) => name)).toEqual([
    'bash',
    'edit_file',
    'read_file',
    'write_file',
  ]);
  expect(tools.find(({ name }) => name === 'web_fetch')).toMatchObject({ given: false });
});

test('one tool is shown with its schema and a digest, by the name that people know', async () => {
  const shown = JSON.parse((await run('tools', 'show', 'Write', '--json')).stdout) as object;
  expect(shown).toMatchObject({
    name: 'write_file',
    effect: 'idempotent',
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
    inputSchema: { required: ['path', 'content'] },
  });
});

describe('a call by hand', () => {
  test('changes nothing before somebody said yes, and then shows what it changes', async () => {
    const input = JSON.stringify({ path: 'new.txt', content: 'one\n' });
    const refused = await run('tools', 'call', 'write_file', input);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    await expect(readFile(join(cli.workspace, 'new.txt'))).rejects.toThrow('ENOENT');

    const words = ['tools', 'call', 'write_file', '-', '--yes'];
    const done = await cli.run(words, { env, stdin: input });
    expect(done.code).toBe(0);
    expect(done.stderr).toContain('| one');
    expect(await readFile(join(cli.workspace, 'new.txt'), 'utf8')).toBe('one\n');
  });

  test('takes secrets out of what a tool gives, and what would draw on the terminal', async () => {
    await writeFile(join(cli.workspace, 'key.txt'), `key ${SECRET} \u001b[2J\n`);
    const { code, stdout } = await run('tools', 'call', 'read_file', '{"path": "key.txt"}');
    expect(code).toBe(0);
    expect(stdout).toContain('key ');
    expect(stdout).not.toContain(SECRET);
    expect(stdout).not.toContain('\u001b');
  });

  test('ends with 1 when the tool says that it failed, and leaves the workspace only as a tool can', async () => {
    const missing = await run('tools', 'call', 'read_file', '{"path": "nope.txt"}', '--json');
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stdout)).toMatchObject({ status: 'error', error: 'file_not_found' });
    const outside = await run('tools', 'call', 'write_file', '{"path": "../out.txt", "content": ""}', '--yes');
    expect(outside.code).not.toBe(0);
    await expect(readFile(join(cli.folder, 'out.txt'))).rejects.toThrow('ENOENT');
  });

  test('does nothing when it would do something else by now than a person said yes to', async () => {
    const person = await openPerson(async ({ folder }) => {
      await writeFile(join(folder, 'a.txt'), 'one\nand more\n');
      return 'yes';
    });
    onTestFinished(person.close);
    await writeRules(person.folder, join(person.folder, '..', 'operator.yaml'));
    await writeFile(join(person.folder, 'a.txt'), 'one\n');
    const json = JSON.stringify({ path: 'a.txt', old: 'one', new: 'two' });
    const called = callTool(person.context, { tool: 'edit_file', json }, {});
    await expect(called).rejects.toMatchObject({ exitCode: 6 });
    expect(person.said()).toContain('| -one');
    expect(await readFile(join(person.folder, 'a.txt'), 'utf8')).toBe('one\nand more\n');
  });

  test('ends with the tool when a person wants no more of it', async () => {
    const input = JSON.stringify({ command: 'touch begun; sleep 60' });
    const running = cli.start(['tools', 'call', 'bash', input, '--yes', '--unconfined'], { env });
    await vi.waitFor(async () => await access(join(cli.workspace, 'begun')), { timeout: 60_000, interval: 50 });
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(14);
    expect(stderr).toContain('"bash" was stopped');
    expect(stderr).not.toContain('bug');
  });
});
