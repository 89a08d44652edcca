import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NoServerError } from '../../src/temporal/errors.ts';
import { findServerBinary, type FoundServer } from '../../src/temporal/find-server.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'nightshift-find-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const WORKS = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';

async function script(path: string, body: string): Promise<string> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), `#!/bin/sh\n${body}\n`);
  await chmod(join(root, path), 0o755);
  return join(root, path);
}

async function find(install: boolean, progress: string[] = []): Promise<FoundServer> {
  return await findServerBinary({
    cacheFolder: join(root, 'cache'),
    // The proxy leads nowhere, so nothing is downloaded whatever network there is.
    env: { PATH: [join(root, 'a'), join(root, 'b')].join(':'), HTTPS_PROXY: 'http://127.0.0.1:1' },
    onProgress: (line) => void progress.push(line),
    install,
  });
}

const outcomes = ({ tried }: FoundServer): readonly string[] => tried.map(({ step, outcome }) => `${step} ${outcome}`);

describe('findServerBinary()', () => {
  test('takes the one on PATH and asks nowhere else', async () => {
    const path = await script('b/temporal', WORKS);
    const result = await find(true);
    expect(result.found).toEqual({ path, how: 'path', version: 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)' });
    expect(outcomes(result)).toEqual(['path found']);
  });

  test('skips one that does not run, with its reason, and takes the next', async () => {
    const broken = await script('a/temporal', 'echo "no such library" >&2; exit 127');
    const path = await script('b/temporal', WORKS);
    const result = await find(true);
    expect(result.found?.path).toBe(path);
    expect(result.tried[0]).toEqual({
      step: 'path',
      outcome: 'unusable',
      detail: `${broken}: --version ends with 127, no such library`,
    });
  });

  test('skips a program that only has the name', async () => {
    await script('a/temporal', 'echo "temporal logic solver 3.0"');
    expect(outcomes(await find(false))).toEqual(['path unusable', 'cache absent', 'download skipped', 'go skipped']);
  });

  test.each(['temporal-1.5.1', 'temporal-sdk-typescript-1.24.0'])('takes %s from the cache', async (name) => {
    const path = await script(`cache/bin/${name}`, WORKS);
    const result = await find(false);
    expect(result.found).toMatchObject({ path, how: 'cache' });
    expect(outcomes(result)).toEqual(['path absent', 'cache found']);
  });

  test('builds with Go when nothing can be downloaded, and finds the result in the cache the next time', async () => {
    await script(
      'a/go',
      `[ "$1" = version ] && exit 0
[ "$2" = github.com/temporalio/cli/cmd/temporal@v1.5.1 ] || exit 1
printf '#!/bin/sh\\n${WORKS}\\n' > "$GOBIN/temporal"
/bin/chmod 755 "$GOBIN/temporal"`,
    );
    const built = await find(true);
    expect(outcomes(built)).toEqual(['path absent', 'cache absent', 'download failed', 'go found']);
    expect(outcomes(await find(true))).toEqual(['path absent', 'cache found']);
    expect(await readdir(join(root, 'cache', 'bin'))).toEqual(['temporal-1.5.1']);
  });

  test('a build that fails leaves nothing behind and gives its last line', async () => {
    await script('a/go', '[ "$1" = version ] && exit 0\necho "module lookup disabled" >&2; exit 1');
    const result = await find(true);
    expect(result.found).toBeNull();
    expect(result.tried.at(-1)).toEqual({
      step: 'go',
      outcome: 'failed',
      detail: 'go install: module lookup disabled',
    });
    expect(await readdir(join(root, 'cache', 'bin'))).toEqual([]);
  });

  test('the error names every place and what to do', async () => {
    const { tried } = await find(true);
    const { message } = new NoServerError(tried);
    for (const part of ['path: absent', 'cache: absent', 'download: failed', 'go: absent', 'TEMPORAL_ADDRESS']) {
      expect(message).toContain(part);
    }
  });
});
