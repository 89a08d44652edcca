import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/config/environment.ts';
import { findFolders } from '../../src/config/folders.ts';
import { readSettings } from '../../src/config/settings.ts';

const folders: [title: string, env: Environment, data: string, cache: string][] = [
  ['NIGHTSHIFT_HOME holds both', { NIGHTSHIFT_HOME: '/n', XDG_DATA_HOME: '/d' }, '/n', '/n/cache'],
  ['the XDG folders', { XDG_DATA_HOME: '/d', XDG_CACHE_HOME: '/c', HOME: '/h' }, '/d/nightshift', '/c/nightshift'],
  ['the home folder', { HOME: '/h' }, '/h/.local/share/nightshift', '/h/.cache/nightshift'],
  [
    'XDG folders that are relative do not count',
    { HOME: '/h', XDG_DATA_HOME: 'd' },
    '/h/.local/share/nightshift',
    '/h/.cache/nightshift',
  ],
  [
    'variables that are empty do not count',
    { NIGHTSHIFT_HOME: '', HOME: '/h' },
    '/h/.local/share/nightshift',
    '/h/.cache/nightshift',
  ],
  ['no variable at all', {}, join(homedir(), '.local/share/nightshift'), join(homedir(), '.cache/nightshift')],
];
test.each(folders)('findFolders(): %s', (_title, env, dataFolder, cacheFolder) => {
  expect(findFolders(env)).toEqual({ dataFolder, cacheFolder });
});

describe('readSettings()', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'nightshift-settings-'));
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  test('an empty environment gives a local server, no key and a queue of this host', () => {
    const settings = readSettings({ HOME: home });
    expect(settings).toMatchObject({
      temporal: null,
      anthropic: {},
      model: null,
      taskQueue: `nightshift@${hostname()}`,
      home,
    });
    expect(settings.user).not.toBe('');
  });

  test('variables are taken, those set to nothing are not', () => {
    const env = {
      HOME: home,
      ANTHROPIC_API_KEY: ' ',
      ANTHROPIC_BASE_URL: 'http://x',
      NIGHTSHIFT_MODEL: 'opus',
      NIGHTSHIFT_TASK_QUEUE: 'q',
      NIGHTSHIFT_USER: 'ada',
    };
    expect(readSettings(env)).toMatchObject({
      anthropic: { baseURL: 'http://x' },
      model: 'opus',
      taskQueue: 'q',
      user: 'ada',
    });
    expect(readSettings(env).anthropic).not.toHaveProperty('apiKey');
  });

  test("the server is read from Temporal's variables and its file", async () => {
    const file = join(home, 'temporal.toml');
    await writeFile(
      file,
      '[profile.default]\naddress = "file:7233"\n[profile.cloud]\naddress = "cloud:7233"\nnamespace = "ns"\napi_key = "secret"\n',
    );
    const from = (env: Environment): unknown => readSettings({ HOME: home, ...env }).temporal;
    expect(from({ TEMPORAL_ADDRESS: 'env:7233' })).toEqual({ address: 'env:7233', namespace: 'default' });
    expect(from({ TEMPORAL_NAMESPACE: 'ns' })).toBeNull();
    expect(from({ TEMPORAL_CONFIG_FILE: file })).toEqual({ address: 'file:7233', namespace: 'default' });
    expect(from({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'cloud' })).toEqual({
      address: 'cloud:7233',
      namespace: 'ns',
      apiKey: 'secret',
      tls: true,
    });
    expect(() => from({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'none' })).toThrow(
      'Cannot use "Temporal settings": Profile \'none\' not found in config data',
    );
  });
});
