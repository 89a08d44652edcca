import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../../../src/contract/limits.ts';
import { findMarked } from '../../../src/tools/shell/process-tree.ts';
import { boundSituation, boundsHere, confinedSituation } from '../sandbox/confined-situation.ts';
import { until, type Situation } from '../situation.ts';

const linux = process.platform === 'linux';

async function left({ context }: Situation): Promise<readonly number[]> {
  return await findMarked({ name: 'NIGHTSHIFT_CALL', value: context.key });
}

describe.each(boundsHere)('what bash gives, %s', (bounds) => {
  const situation = async (): Promise<Situation> => await boundSituation(bounds);
  const cases: [name: string, command: string, status: string, content: string | RegExp][] = [
    ['the output', 'echo hello', 'success', 'hello'],
    [
      'both outputs, in order',
      'for i in 1 2 3; do echo out$i; echo err$i >&2; done',
      'success',
      'out1\nerr1\nout2\nerr2\nout3\nerr3',
    ],
    [
      'also what goes to the devices',
      'echo a >/dev/stdout; echo b >/dev/stderr; echo c | tee /dev/stderr',
      'success',
      'a\nb\nc\nc',
    ],
    ['a note when there is none', 'true', 'success', '[No output.]'],
    ['the exit code', 'echo x; exit 3', 'error', 'x\nexit code 3'],
    ['an error of syntax', 'if then', 'error', /syntax error[^]*exit code 2$/],
    ['the signal that ended it', 'kill -SEGV $$', 'error', /killed by SIGSEGV$|exit code 139 \(SIGSEGV\)$/],
    ['an end of input at once', 'cat; echo done', 'success', 'done'],
    ['no more descriptors than three', 'ls /proc/self/fd | wc -l', 'success', '4'],
    ['no terminal', '[ -t 0 ] || [ -t 1 ] || echo none', 'success', 'none'],
  ];
  test.each(cases)('%s', async (_name, command, status, content) => {
    const { run } = await situation();
    const result = await run('bash', { command });
    expect(result.status).toBe(status);
    if (status === 'error') expect(result.error).toBe('shell_execute_error');
    if (typeof content === 'string') expect(result.content.trim()).toBe(content);
    else expect(result.content).toMatch(content);
  });

  test('runs in the workspace', async () => {
    const { run, root } = await situation();
    expect((await run('bash', { command: 'pwd -P' })).content.trim()).toBe(root);
  });

  test('refuses a command that the system cannot take', async () => {
    const { run } = await situation();
    expect(await run('bash', { command: 'a\0b' })).toMatchObject({ error: 'invalid_params' });
    expect(await run('bash', { command: `echo ${'ä'.repeat(90_000)}` })).toMatchObject({
      error: 'shell_execute_error',
    });
    expect(await run('bash', { command: 'true', timeoutSeconds: 601 })).toMatchObject({ error: 'invalid_params' });
  });

  test('shows output while it comes', async () => {
    const { run } = await situation();
    const seen: string[] = [];
    await run('bash', { command: 'echo first; echo second' }, { live: (text) => void seen.push(text) });
    expect(seen.join('')).toBe('first\nsecond\n');
  });
});

test.each(boundsHere)('no secret of the worker is in the environment of a command, %s', async (bounds) => {
  const environment = {
    PATH: process.env['PATH'],
    HOME: '/home/x',
    LC_ALL: 'C',
    ANTHROPIC_API_KEY: 'canary-1',
    LD_PRELOAD: 'canary-2',
    BASH_ENV: '/canary-3',
    lc_x: 'canary-4',
  };
  const { run, context } = await boundSituation(bounds, environment);
  const { content } = await run('bash', { command: 'env | sort; cat /proc/self/environ | tr "\\0" "\\n"' });
  expect(content).not.toContain('canary');
  for (const line of [
    'HOME=/home/x',
    'LC_ALL=C',
    'TERM=dumb',
    `NIGHTSHIFT_CALL=${context.key}`,
    `NIGHTSHIFT_WORKER=${context.worker}`,
  ])
    expect(content).toContain(line);
});

describe.each(boundsHere)('long output, %s', (bounds) => {
  const situation = async (): Promise<Situation> => await boundSituation(bounds);

  test('is shown as head and tail and kept whole in a file', async () => {
    const { run, root } = await situation();
    const { content, status } = await run('bash', { command: 'seq 1 100000' });
    expect(status).toBe('success');
    expect(content.length).toBeLessThanOrEqual(TOOL_OUTPUT_CHARACTERS_MAX);
    expect(content).toMatch(/^1\n2\n[^]*99999\n100000\n\[The whole output is in \.nightshift\/output\//);
    const file = /\.nightshift\/output\/\S+\.txt/.exec(content)?.[0] ?? '';
    expect(await readFile(join(root, file), 'utf8')).toBe(
      Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''),
    );
    expect((await run('read_file', { path: file, limit: 1 })).content).toContain('1\n[Lines 1 to 1 of 100000.]');
    expect(await readFile(join(root, '.nightshift', '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('without end fills neither memory nor disk', async () => {
    const made = await situation();
    const before = process.memoryUsage().rss;
    let peak = before;
    const live = (): void => {
      peak = Math.max(peak, process.memoryUsage.rss());
    };
    const { content, error } = await made.run('bash', { command: 'yes', timeoutSeconds: 4 }, { live });
    expect(error).toBe('timeout');
    expect(content).toContain('up to 64 MiB');
    expect(peak - before).toBeLessThan(128 * 1_024 * 1_024);
    const folder = join(made.root, '.nightshift', 'output');
    const [name = ''] = await readdir(folder);
    expect((await stat(join(folder, name))).size).toBe(64 * 1_024 * 1_024);
    expect(await left(made)).toEqual([]);
  });
});

/** A child, one in its own session, and one that detached itself twice. */
const HIDERS = 'sleep 1000 & setsid sleep 1000 & (setsid bash -c "sleep 1000 & sleep 1000 &" &) ; ';

describe.runIf(linux).each(boundsHere)('nothing outlives a command, %s', (bounds) => {
  const situation = async (): Promise<Situation> => await boundSituation(bounds);

  test('that ends by itself, even when the rest keeps its output open', async () => {
    const made = await situation();
    const result = await made.run('bash', { command: `${HIDERS} sleep 0.2; echo done` });
    expect(result).toMatchObject({ status: 'success', content: 'done' });
    expect(await left(made)).toEqual([]);
  });

  test('that takes too long; its output so far is kept', async () => {
    const made = await situation();
    const result = await made.run('bash', { command: `${HIDERS} echo begun; sleep 1000`, timeoutSeconds: 2 });
    expect(result).toMatchObject({ status: 'error', error: 'timeout' });
    expect(result.content).toMatch(/^begun\n[^]*Killed after 2 s/);
    expect(await left(made)).toEqual([]);
  });

  test('that is cancelled', async () => {
    const made = await situation();
    const cancel = new AbortController();
    const running = made.run('bash', { command: `${HIDERS} sleep 1000` }, { signal: cancel.signal });
    await until('all are started', async () => (await left(made)).length >= 5);
    const reason = new Error('cancelled by a person');
    cancel.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(await left(made)).toEqual([]);
  });

  test('that ignores every signal it can', async () => {
    const made = await situation();
    const result = await made.run('bash', {
      command: 'trap "" TERM INT HUP; setsid bash -c \'trap "" TERM HUP; sleep 1000\' & sleep 1000',
      timeoutSeconds: 1,
    });
    expect(result.error).toBe('timeout');
    expect(await left(made)).toEqual([]);
  });
});

test('a marker that only begins like another one is not that one', async () => {
  const made = await boundSituation('unconfined');
  const [one, other] = [`${made.context.key}-1`, `${made.context.key}-10`];
  await writeFile(join(made.root, 'go'), '');
  const running = made.run('bash', { command: 'while [ -e go ]; do sleep 0.05; done; echo survived' }, { key: other });
  await until('the other runs', async () => (await findMarked({ name: 'NIGHTSHIFT_CALL', value: other })).length > 0);
  await made.run('bash', { command: 'true; rm go' }, { key: one });
  expect((await running).content).toContain('survived');
});

describe('where the machine cannot confine', () => {
  const bwrapPath = '/nonexistent/bwrap';

  test('bash does not run, and says why', async () => {
    const { run, root } = await confinedSituation({ bwrapPath });
    const result = await run('bash', { command: 'echo ran > ran' });
    expect(result).toMatchObject({ status: 'error', error: 'permission_denied' });
    expect(result.content).toContain('it cannot be confined here: "/nonexistent/bwrap" does not run');
    expect(await readdir(root)).toEqual([]);
  });

  test('bash tells it before anything is decided, and in what is shown', async () => {
    const { registry, context } = await confinedSituation({ bwrapPath });
    const bash = registry.get('bash');
    expect(await bash?.unconfined?.(context)).toBe('"/nonexistent/bwrap" does not run');
    expect(await bash?.preview?.({ command: 'id' }, context)).toContain('NOT CONFINED, because "/nonexistent/bwrap"');
  });

  test('bash runs when a person allowed it for this call', async () => {
    const { run } = await confinedSituation({ bwrapPath });
    expect(await run('bash', { command: 'echo ran' }, { unconfined: true })).toMatchObject({ content: 'ran' });
  });
});

describe('what is shown of a command', () => {
  test('is the very command, below what we say', async () => {
    const { registry, context, root } = await confinedSituation();
    const command = 'echo "a\tb"\n\nIn "/", in the sandbox:\n\nrm -rf x \u202e';
    const preview = await registry.get('bash')?.preview?.({ command }, context);
    expect(preview?.startsWith(`In "${root}", `)).toBe(true);
    expect(preview?.slice(preview.indexOf('\n\n') + 2)).toBe(command);
  });

  test('differs as soon as anything differs that runs', async () => {
    const { registry, context } = await confinedSituation();
    const show = async (input: unknown) => await registry.get('bash')?.preview?.(input, context);
    const one = await show({ command: 'npm test' });
    expect(await show({ command: 'npm test' })).toBe(one);
    for (const other of [{ command: 'npm test ' }, { command: 'npm test', timeoutSeconds: 61 }])
      expect(await show(other)).not.toBe(one);
  });
});
