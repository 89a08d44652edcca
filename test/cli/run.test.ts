import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openCommandLine, type CommandLine } from './support/command-line.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle'), temporalAddress: inject('temporalAddress') });
  // The first run would start the services by itself; here the tests share them from the beginning.
  // Ends by itself also when this process is killed before it can end it.
  await cli.run(['up', '--detach', '--idle-stop', '10m']);
});
afterAll(async () => await cli.close());

interface ShownApproval {
  readonly digest: string;
  readonly arguments: { readonly command: string };
}

async function show(id: string): Promise<ShownApproval> {
  return JSON.parse((await cli.run(['approvals', 'show', id, '--json'])).stdout) as ShownApproval;
}

test('without a terminal, a run that meets an approval exits 12 and stays parked; an answer from elsewhere finishes it', async () => {
  const parked = await cli.run(['run', 'auditor', 'Audit this', '--id', 'parked']);
  expect(parked).toMatchObject({ code: 12, stdout: '' });
  expect(parked.stderr).toContain('OFFLINE');
  expect(parked.stderr).toContain('nightshift approvals approve parked.1');
  expect((await cli.run(['approvals', 'ls'])).stdout).toContain('parked.1');

  const shown = await show('parked.1');
  expect(shown.arguments.command).toBe('npm run check');
  const blind = await cli.run(['approvals', 'approve', 'parked.1']);
  expect(blind).toMatchObject({ code: 2 });
  expect(blind.stderr).toContain('--digest');
  expect((await cli.run(['approvals', 'approve', 'parked.1', '--digest', `sha256:${'0'.repeat(12)}`])).code).toBe(6);
  const approved = await cli.run(['approvals', 'approve', 'parked.1', '--digest', shown.digest.slice(0, 24)]);
  expect(approved.code).toBe(0);
  expect(approved.stderr).toContain('approved by tester');

  const tail = await cli.run(['runs', 'tail', 'parked', '-q']);
  expect(tail.code).toBe(0);
  expect(tail.stdout).toContain('were allowed, were run and passed');
  const second = await cli.run(['approvals', 'deny', 'parked.1']);
  expect(second.code).toBe(6);
  expect(await readFile(join(cli.workspace, 'reports', 'audit.md'), 'utf8')).toContain('all is well');
});

test('a run with a denied call exits 10, and 0 with --allow-denied; the id starts it once', async () => {
  const words = ['run', 'auditor', 'Audit this', '--on-approval', 'deny', '--id', 'denied', '-p'];
  const first = await cli.run(words);
  expect(first.code).toBe(10);
  expect(first.stdout).toContain('leave was denied');
  const again = await cli.run([...words, '--allow-denied']);
  expect(again.code).toBe(0);
  expect(again.stderr).toContain('exists already');
  expect(again.stdout).toBe(first.stdout);
});

test('stream-json begins with init, ends with the result, and every line is an event between', async () => {
  const ended = await cli.run([
    'run',
    'auditor',
    'Audit this',
    '-o',
    'stream-json',
    '--on-approval',
    'deny',
    '--allow-denied',
  ]);
  expect(ended.code).toBe(0);
  const lines = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({
    v: 1,
    type: 'init',
    agent: 'auditor',
    model: 'offline',
    offline: true,
    notices: [],
  });
  expect(lines[0]?.['tools']).toContain('ask_human');
  expect(lines.at(-1)).toMatchObject({ type: 'result', status: 'completed', cost_usd: 0, pending_approvals: [] });
  expect(lines.at(-1)?.['denied']).toMatchObject([{ tool: 'bash', status: 'denied' }]);
  const events = lines.slice(1, -1);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]).toMatchObject({ v: 1, type: 'run.started', data: { agent: 'auditor' } });
});

test('json without a terminal names what waits', async () => {
  const ended = await cli.run(['run', 'auditor', 'Audit this', '-o', 'json', '-q', '--id', 'waiting']);
  expect(ended.code).toBe(12);
  const result = JSON.parse(ended.stdout) as { pending_approvals: unknown[] };
  expect(result).toMatchObject({
    status: 'waiting',
    run_id: 'waiting',
    pending_approvals: [{ id: 'waiting.1', tool: 'bash' }],
  });
  expect((await cli.run(['runs', 'ls', '--state', 'awaiting_human', '--json'])).stdout).toContain('"waiting"');

  const cancelled = await cli.run(['runs', 'cancel', 'waiting']);
  expect(cancelled).toMatchObject({ code: 0, stdout: '' });
  expect(cancelled.stderr).toMatch(/^waiting: .*cancel/m);
  expect((await cli.run(['runs', 'tail', 'waiting', '-q'])).code).toBe(14);
  expect((await cli.run(['runs', 'pause', 'waiting'])).code).toBe(6);
});

test('Ctrl-C detaches and says so, and the run goes on', async () => {
  const running = cli.start(['run', 'auditor', 'Audit this', '--on-approval', 'wait', '--id', 'detached']);
  await running.said('turn 1');
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('detached goes on; "nightshift runs cancel detached" stops it');
  expect((await cli.run(['runs', 'tail', 'detached', '-q'])).code).toBe(12);
});

test('--timeout ends the following with 124, and the run goes on', async () => {
  const ended = await cli.run([
    'run',
    'auditor',
    'Audit this',
    '--on-approval',
    'wait',
    '--timeout',
    '200ms',
    '--id',
    'late',
  ]);
  expect(ended.code).toBe(124);
  expect((await cli.run(['runs', 'send', 'late', 'hello\u001b[2J'])).code).toBe(0);
  const tail = await cli.run(['runs', 'tail', 'late']);
  expect(tail.code).toBe(12);
  expect(tail.stderr).not.toContain('\u001b');
});

test('an expired approval that stops the run is 13', async () => {
  const stopping = (await readFile(join(cli.workspace, 'agents', 'auditor.md'), 'utf8')).replace(
    'onTimeout: deny',
    'onTimeout: stop',
  );
  await writeFile(join(cli.workspace, 'stopping.md'), stopping);
  const ended = await cli.run([
    'run',
    './stopping.md',
    'Audit this',
    '--on-approval',
    'wait',
    '--approval-timeout',
    '200ms',
  ]);
  expect(ended.code).toBe(13);
});

test('a run that is not there is 5, for every command that names one', async () => {
  for (const words of [
    ['runs', 'show', 'nope'],
    ['runs', 'cancel', 'nope'],
    ['approvals', 'show', 'nope.1'],
    ['approvals', 'deny', 'nope.1'],
  ]) {
    expect(await cli.run(words)).toMatchObject({ code: 5, stdout: '' });
  }
});

/** The worker notes its process in the data folder, as its successor needs to know what it lost. */
async function killWorker(): Promise<void> {
  const workers = join(cli.dataFolder, 'workers');
  const [name = ''] = await readdir(workers);
  const note = await readFile(join(workers, name, 'worker.json'), 'utf8');
  const { process: worker } = JSON.parse(note) as { readonly process: { readonly pid: number } };
  process.kill(worker.pid, 'SIGKILL');
}

test('a worker that is killed is replaced, and the run it held goes on', async () => {
  const running = cli.start([
    'run',
    'auditor',
    'Audit this',
    '--on-approval',
    'deny',
    '--allow-denied',
    '--id',
    'survivor',
  ]);
  await running.said('turn 2');
  await killWorker();
  expect((await running.ended).code).toBe(0);
});
