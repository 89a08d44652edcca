import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readServices } from '../../src/cli/services/record.ts';
import { readLock } from '../../src/temporal/server-lock.ts';
import { openCommandLine, type CommandLine } from './support/command-line.ts';

let cli: CommandLine;
beforeAll(async () => {
  cli = await openCommandLine({ workflowBundle: inject('workflowBundle') });
});
afterAll(async () => await cli.close());

test('a run starts server and worker by itself, and down ends both without losing the run', async () => {
  const started = await cli.run(['run', 'auditor', 'Audit this', '--detach', '--id', 'kept']);
  expect(started).toMatchObject({ code: 0, stdout: 'kept\n' });
  expect(started.stderr).toContain('in the background');
  const first = await readServices(cli.dataFolder);
  expect(first).toMatchObject({ state: 'ready', background: true });

  const second = await cli.run(['up']);
  expect(second).toMatchObject({ code: 0 });
  expect(second.stderr).toContain('run already');
  expect((await cli.run(['status'])).code).toBe(0);
  expect((await cli.run(['runs', 'tail', 'kept'])).code).toBe(12);
  expect((await cli.run(['doctor'])).code).toBe(0);

  expect((await cli.run(['down'])).code).toBe(0);
  expect(await readServices(cli.dataFolder)).toBeNull();
  expect(await readLock(cli.dataFolder)).toBeNull();
  expect((await cli.run(['status'])).code).toBe(3);
  expect((await cli.run(['runs', 'show', 'kept'])).code).toBe(3);

  expect((await cli.run(['up', '--detach', '--idle-stop', '1s'])).code).toBe(0);
  const shown = await cli.run(['runs', 'show', 'kept', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'awaiting_human', reading: 'live' });
  expect((await cli.run(['approvals', 'deny', 'kept', '--note', 'enough'])).code).toBe(0);
  expect((await cli.run(['runs', 'tail', 'kept', '-q', '--allow-denied'])).code).toBe(0);

  // Nothing is open any more, so they end by themselves.
  while ((await readServices(cli.dataFolder)) !== null) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await readLock(cli.dataFolder)).toBeNull();
});
