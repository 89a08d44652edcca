import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { findFolders } from '../../src/config/folders.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import {
  attachDevServer,
  type DevServer,
  type DevServerOptions,
  startDevServer,
  stopDevServer,
} from '../../src/temporal/dev-server.ts';
import { DatabaseDamaged, ServerDidNotStart } from '../../src/temporal/errors.ts';
import { choosePorts } from '../../src/temporal/free-ports.ts';
import { readLock } from '../../src/temporal/server-lock.ts';

let dataFolder: string;
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'nightshift-server-'));
});
afterEach(async () => {
  await stopDevServer(dataFolder);
  await rm(dataFolder, { recursive: true, force: true });
});

async function start(more: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const env = readEnvironment();
  const { cacheFolder } = findFolders(env);
  return await startDevServer({ dataFolder, cacheFolder, env, onProgress: () => undefined, ports: 'free', ...more });
}

async function startRun(server: DevServer, workflowId: string): Promise<void> {
  const { client, close } = await connectClient(server);
  await client.workflow.start('agentRun', { workflowId, taskQueue: 'nobody', args: ['x'.repeat(100_000)] });
  await close();
}

async function taskQueueOf(server: DevServer, workflowId: string): Promise<string> {
  const { client, close } = await connectClient(server);
  const { taskQueue } = await client.workflow.getHandle(workflowId).describe();
  await close();
  return taskQueue;
}

async function kill(server: DevServer): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  while ((await readLock(dataFolder)) !== null) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('a run is still there after the server was stopped, and after it was killed', async () => {
  const first = await start();
  await startRun(first, 'run-1');
  await first.stop();
  const second = await start();
  expect(await taskQueueOf(second, 'run-1')).toBe('nobody');
  await kill(second);
  const third = await start();
  expect(third.startedByUs).toBe(true);
  expect(await taskQueueOf(third, 'run-1')).toBe('nobody');
  await third.stop();
});

test('many starts at once give one server, and only its starter stops it', async () => {
  const servers = await Promise.all([start(), start(), start()]);
  expect(new Set(servers.map(({ address }) => address)).size).toBe(1);
  expect(servers.filter(({ startedByUs }) => startedByUs)).toHaveLength(1);
  const attached = await attachDevServer(dataFolder);
  await attached?.stop();
  expect((await readLock(dataFolder))?.state).toBe('running');
  await Promise.all(servers.map(async (server) => await server.stop()));
  expect(await readLock(dataFolder)).toBeNull();
  expect(await attachDevServer(dataFolder)).toBeNull();
});

test('a server without a lock is found by its database and taken in, not doubled', async () => {
  const first = await start();
  for (const name of await readdir(dataFolder)) {
    if (name.startsWith('temporal-lock')) await rm(join(dataFolder, name));
  }
  const second = await start();
  expect(second).toMatchObject({ pid: first.pid, address: first.address, startedByUs: false });
});

test('stopDevServer() ends a server that was left running, once', async () => {
  await start({ detached: true });
  expect(await stopDevServer(dataFolder)).toBe(true);
  expect(await stopDevServer(dataFolder)).toBe(false);
});

/** The pages in the log come before those of the file, so damage in the file alone would do no harm. */
function emptyWriteAheadLog(path: string): void {
  const database = new sqlite.Database(path);
  database.exec('PRAGMA locking_mode=exclusive');
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

test('a damaged database is refused with the way to move it aside', async () => {
  const server = await start();
  await startRun(server, 'run-1');
  await server.stop();
  const path = join(dataFolder, 'temporal.db');
  emptyWriteAheadLog(path);
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(8_192, 0xab), 0, 8_192, 4_096);
  await file.close();

  const failure = start();
  await expect(failure).rejects.toThrow(DatabaseDamaged);
  await expect(failure).rejects.toThrow(`for f in '${path}'*; do mv "$f"`);
  expect(await readLock(dataFolder)).toBeNull();
  expect((await readdir(dataFolder)).filter((name) => name === 'temporal.db.lock')).toEqual([]);
});

test('a database whose first start was cut off is refused, because the server would never start on it', async () => {
  await writeFile(join(dataFolder, 'temporal.db'), '');
  await expect(start()).rejects.toThrow('it holds none of the tables of a server');
});

test('ports given are used or refused, ports proposed are replaced when taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const grpc = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const wanted = { ...(await choosePorts()), grpc };
  const chosen = await choosePorts(wanted);
  expect(chosen.grpc).not.toBe(grpc);
  const failure = start({ ports: wanted });
  await expect(failure).rejects.toThrow(ServerDidNotStart);
  await expect(failure).rejects.toThrow('address already in use');
  taken.close();
});

test('the web UI answers, and nobody else may read the database and the log', async () => {
  const server = await start();
  expect((await fetch(server.uiUrl)).status).toBe(200);
  for (const name of ['temporal.log', 'temporal.db', 'temporal.db-wal', 'temporal.db-shm']) {
    expect((await stat(join(dataFolder, name))).mode & 0o077).toBe(0);
  }
  await server.stop();
});
