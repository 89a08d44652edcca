import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identify, isAlive, type ProcessIdentity } from '../../src/temporal/process-identity.ts';
import {
  type Claim,
  claimLock,
  readLock,
  releaseLock,
  type ServerLock,
  updateLock,
} from '../../src/temporal/server-lock.ts';

let folder: string;
let us: ProcessIdentity;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nightshift-lock-'));
  us = (await identify(process.pid)) ?? { pid: 0, startedAt: '', bootId: '' };
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const lockOf = (holder: ProcessIdentity, grpc = 1): ServerLock => ({
  holder,
  state: 'running',
  ports: { grpc, ui: 2 },
  database: 'temporal.db',
});

async function claimAsManyDo(): Promise<readonly Claim[]> {
  return await Promise.all(
    Array.from({ length: 20 }, async (_, index) => await claimLock(folder, lockOf(us, index + 1))),
  );
}

const deadHolders: [name: string, change: (us: ProcessIdentity) => ProcessIdentity][] = [
  ['whose process is gone', (holder) => ({ ...holder, pid: 2 ** 22 + 1 })],
  ['whose process id belongs to a later process', (holder) => ({ ...holder, startedAt: '1' })],
  ['from before the machine was started again', (holder) => ({ ...holder, bootId: 'another' })],
];
test.each(deadHolders)('a lock %s is taken over by exactly one of many', async (_name, change) => {
  const first = await claimLock(folder, lockOf(change(us)));
  expect(first.kind).toBe('held');
  expect(await readLock(folder)).toBeNull();

  const claims = await claimAsManyDo();
  expect(claims.filter(({ kind }) => kind === 'held')).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['temporal-lock.2.json']);
});

test('an empty folder is claimed by exactly one of many, and the others hear by whom', async () => {
  const claims = await claimAsManyDo();
  const held = claims.findIndex(({ kind }) => kind === 'held');
  const taken = claims.filter((claim) => claim.kind === 'taken');
  expect(taken).toHaveLength(19);
  expect(taken.every(({ by }) => by.ports.grpc === held + 1)).toBe(true);
});

test('a lock that cannot be read holds nothing', async () => {
  await writeFile(join(folder, 'temporal-lock.7.json'), '{"holder":');
  expect(await readLock(folder)).toBeNull();
  expect(await claimLock(folder, lockOf(us))).toEqual({ kind: 'held', lock: { folder, generation: 8 } });
});

test('a released lock is free again under a higher number', async () => {
  const claim = await claimLock(folder, lockOf(us));
  if (claim.kind !== 'held') throw new Error('The folder was empty');
  await updateLock(claim.lock, lockOf(us, 9));
  expect(await readLock(folder)).toEqual(lockOf(us, 9));
  await releaseLock(claim.lock);
  expect(await readLock(folder)).toBeNull();
  expect(await claimLock(folder, lockOf(us))).toMatchObject({ kind: 'held', lock: { generation: 2 } });
});

test('isAlive() knows this process and none that does not exist', async () => {
  expect(await isAlive(us)).toBe(true);
  expect(await identify(2 ** 22 + 1)).toBeNull();
});
