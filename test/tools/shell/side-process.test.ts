import { expect, test } from 'vitest';
import { runAside, type SideWork } from '../../../src/tools/shell/side-process.ts';

const work: SideWork = {
  attempt: 'Cannot do "it"',
  code: '(path) => (data) => path.join("a", data)',
  library: 'node:path',
  data: 'b',
  timeoutMs: 20_000,
  memoryMb: 64,
};
const context = { signal: new AbortController().signal, key: 'aside/1', worker: 'worker-aside' };

test('does the work of the code on the data with the library', async () => {
  expect(await runAside(work, context)).toBe('a/b');
  const large = 'ä'.repeat(5_000_000);
  const echo = { ...work, code: '() => (data) => data', data: large };
  expect((await runAside(echo, context)) === large).toBe(true);
});

test('has nothing of our environment but the marks by which it is found and ended', async () => {
  const environment = await runAside({ ...work, code: '() => () => process.env' }, context);
  expect(environment).toMatchObject({ NIGHTSHIFT_CALL: 'aside/1', NIGHTSHIFT_WORKER: 'worker-aside' });
  const names = Object.keys(environment as object).filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
  expect(names.toSorted()).toEqual(['NIGHTSHIFT_CALL', 'NIGHTSHIFT_WORKER', 'TERM']);
});

test.each([
  ['fills the memory', '() => () => { const all = []; for (;;) all.push(Array(1e6).fill(0)); }', /too much memory$/],
  ['throws', '() => () => { throw new Error("no"); }', /its process ended with code 1$/],
  ['ends by itself', '() => () => process.exit(3)', /its process ended with code 3$/],
])('work that %s ends with a word for it, and the worker goes on', async (_name, code, reason) => {
  await expect(runAside({ ...work, code }, context)).rejects.toMatchObject({
    name: 'ToolError',
    message: expect.stringMatching(reason) as string,
  });
});

test('work that goes on for ever ends with a word for it', async () => {
  const endless = { ...work, code: '() => () => { for (;;); }', timeoutMs: 1_000 };
  await expect(runAside(endless, context)).rejects.toThrow(/takes longer than 1 s$/);
});

test('an answer that is too large is not kept', async () => {
  const code = '() => () => "x".repeat(4e7)';
  await expect(runAside({ ...work, code, memoryMb: 512 }, context)).rejects.toThrow('too large');
});

test('is ended when the call is cancelled', async () => {
  const cancel = new AbortController();
  const running = runAside(
    { ...work, code: '() => () => { for (;;); }', timeoutMs: 200_000 },
    { ...context, signal: cancel.signal },
  );
  setTimeout(() => cancel.abort(new Error('enough')), 200);
  await expect(running).rejects.toThrow('enough');
  await expect(runAside(work, { ...context, signal: cancel.signal })).rejects.toThrow('enough');
});
