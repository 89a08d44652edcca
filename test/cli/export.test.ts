import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openCommandLine, type CommandLine } from './support/command-line.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle'), temporalAddress: inject('temporalAddress') });
  await cli.run(['up', '--detach', '--idle-stop', '10m']);
  const words = ['run', 'auditor', 'Audit\u001b[2J this', '--on-approval', 'deny', '--allow-denied', '--id', 'audit'];
  await cli.run([...words, '-q']);
});
afterAll(async () => await cli.close());

interface Line {
  readonly type: string;
  readonly seq?: number;
  readonly index?: number;
  readonly message?: { readonly role: string; readonly content: readonly { readonly type: string }[] };
}

test('a run is told as lines of JSON: what was asked, every event, every message, and how far it goes', async () => {
  const exported = await cli.run(['runs', 'export', 'audit', '--format', 'jsonl']);
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  const lines = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  expect(lines[0]).toMatchObject({ v: 1, type: 'run', runId: 'audit', task: 'Audit\u001b[2J this' });
  expect(lines[0]).not.toHaveProperty('system');
  expect(lines.at(-1)).toMatchObject({ type: 'end', isOpen: false, executions: 1, closedAs: 'COMPLETED' });
  const stream = await cli.run(['runs', 'tail', 'audit', '-o', 'stream-json', '-q']);
  const events = stream.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ seq }) => seq !== undefined);
  expect(lines.filter(({ seq }) => seq !== undefined)).toEqual(events);
  const messages = lines.filter(({ type }) => type === 'message');
  expect(messages.map(({ index }) => index)).toEqual(messages.map((_, index) => index));
  expect(messages.at(-1)?.message?.role).toBe('assistant');
});

test('a run is told as a document, in a file that is whole or as it was', async () => {
  const before = await readdir(cli.workspace);
  const exported = await cli.run(['runs', 'export', 'audit', '--output', 'audit-run.md']);
  expect(exported).toMatchObject({ code: 0, stdout: '' });
  const text = await readFile(join(cli.workspace, 'audit-run.md'), 'utf8');
  expect(text).toMatch(/^# Audit/u);
  expect(text).not.toContain('\u001b');
  expect(text).toContain('Audit\\x1b[2J this');
  const marks = [...text.matchAll(/^(?:## \w+|### Turn \d+|\*\*(?:Thought|Action|Observation)\*\*)/gmu)].map(
    ([mark]) => mark,
  );
  expect(marks.slice(0, 5)).toEqual(['## Task', '## Answer', '## Cost', '## Plan', '## Turns']);
  expect(text).toMatch(/^\| turn \| offline \| \d+ \|/mu);
  expect(marks).toEqual(expect.arrayContaining(['**Action**', '**Observation**']));
  expect(text).toMatch(/^- .* UTC · approval · audit\.1 · denied by tester/mu);
  const refused = await cli.run(['runs', 'export', 'audit', '--output', 'nowhere/run.md']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('Cannot write');
  expect(await readdir(cli.workspace)).toEqual([...before, 'audit-run.md'].toSorted());
});

test('a run that waits is told as far as it is, and that it goes on', async () => {
  expect((await cli.run(['run', 'auditor', 'Audit', '--id', 'open', '-q'])).code).toBe(12);
  const exported = await cli.run(['runs', 'export', 'open']);
  expect(exported.code).toBe(0);
  expect(exported.stderr).toContain('open still goes on');
  expect(exported.stdout).toContain('still going on, told as far as it was at');
  expect(exported.stdout).toContain('### Turn 1');
});

test('runs show tells thought, action and observation of the newest turns', async () => {
  const whole = await cli.run(['runs', 'show', 'audit', '--all']);
  expect(whole.code).toBe(0);
  expect(whole.stdout).toMatch(/ Turn 1\n(?: .*\n)*? {4}Action +\S.*\n(?: .*\n)*? {4}Observation +\S+ · success/u);
  const turns = [...whole.stdout.matchAll(/^ {2}Turn (\d+)$/gmu)].map(([, turn]) => Number(turn));
  expect(turns).toEqual(turns.map((_, index) => index + 1));
  const last = await cli.run(['runs', 'show', 'audit', '--turns', '1']);
  expect([...last.stdout.matchAll(/^ {2}Turn (\d+)$/gmu)].map(([, turn]) => Number(turn))).toEqual([turns.length]);
  expect(last.stdout).toContain('runs show audit --all');
  const json = JSON.parse((await cli.run(['runs', 'show', 'audit', '--turns', '1', '--json'])).stdout) as {
    readonly events: readonly { readonly type: string }[];
  };
  expect(json.events[0]?.type).toBe('model.replied');
  expect(json.events.at(-1)?.type).toBe('run.ended');
});

test('an export of a run that is not there is 5', async () => {
  expect(await cli.run(['runs', 'export', 'nope'])).toMatchObject({ code: 5, stdout: '' });
});
