import { expect, test } from 'vitest';
import { outdated, serves } from '../../../src/cli/services/ensure.ts';
import { modelAccessMark, type ServicesRecord } from '../../../src/cli/services/record.ts';
import { readSettings } from '../../../src/config/settings.ts';

const record: ServicesRecord = {
  process: { pid: 1, startedAt: '1', bootId: '' },
  state: 'ready',
  address: '127.0.0.1:7233',
  namespace: 'default',
  uiUrl: null,
  taskQueue: 'q',
  build: 'one',
  modelAccess: 'none',
  startedBy: 'ana',
  startedAt: 0,
  background: true,
  logPath: null,
  idleStopMs: 0,
};

const build = { main: '', stamp: 'one', workflowBundle: null };

function settings(env: Readonly<Record<string, string>>): ReturnType<typeof readSettings> {
  return readSettings({ HOME: '/nowhere', NIGHTSHIFT_TASK_QUEUE: 'q', ...env });
}

test('services serve the runs of their own queue and server', () => {
  expect(serves({ settings: settings({}) }, record)).toBe(true);
  expect(serves({ settings: settings({ NIGHTSHIFT_TASK_QUEUE: 'other' }) }, record)).toBe(false);
  expect(serves({ settings: settings({ TEMPORAL_ADDRESS: '127.0.0.1:7233' }) }, record)).toBe(true);
  expect(serves({ settings: settings({ TEMPORAL_ADDRESS: 'elsewhere:7233' }) }, record)).toBe(false);
});

test('services are outdated by another build, and by a key they lack, but not by a missing key', () => {
  const keyed = settings({ ANTHROPIC_API_KEY: 'k' });
  expect(outdated({ settings: settings({}), build }, record)).toBeNull();
  expect(outdated({ settings: settings({}), build: { ...build, stamp: 'two' } }, record)).toContain('another build');
  expect(outdated({ settings: keyed, build }, record)).toContain('API key');
  const modelAccess = modelAccessMark(keyed.anthropic);
  expect(modelAccess).toMatch(/^[0-9a-f]{8}$/);
  expect(outdated({ settings: keyed, build }, { ...record, modelAccess })).toBeNull();
  expect(outdated({ settings: settings({}), build }, { ...record, modelAccess })).toBeNull();
});
