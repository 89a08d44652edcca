import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDatabase } from '../../temporal/check-database.ts';
import { findServerBinary, type Tried } from '../../temporal/find-server.ts';
import { findOrphanServer } from '../../temporal/orphan-server.ts';
import { identify } from '../../temporal/process-identity.ts';
import { claimLock, releaseLock } from '../../temporal/server-lock.ts';
import type { Context } from '../context.ts';
import { missing, note, ok, type Finding } from './finding.ts';

/** The places where a server is looked for, in their order, and what each has. Nothing is installed or started. */
export async function checkServerPlaces({ settings, env }: Context): Promise<readonly Finding[]> {
  const { temporal, folders } = settings;
  const named =
    temporal === null
      ? note('server 1, address', 'none is named by TEMPORAL_ADDRESS or a profile, so one is run here')
      : ok('server 1, address', `${temporal.address}, namespace ${temporal.namespace}; the places below are not used`);
  const { tried } = await findServerBinary({ ...folders, env, onProgress: () => undefined, install: false });
  const found = tried.map((attempt, index) => placeFinding(attempt, index + 2));
  return [named, ...found, ...placesNotAsked(found.length + 2)];
}

const PLACES = {
  address: 'address',
  path: 'PATH',
  cache: 'our cache',
  download: 'download',
  go: 'go install',
} as const;

/** The places behind the one that had a server, so that the whole order is seen. */
function placesNotAsked(from: number): readonly Finding[] {
  const names = Object.values(PLACES);
  return names.slice(from - 1).map((name, index) => note(`server ${from + index}, ${name}`, 'not asked: one is found'));
}

function placeFinding({ step, outcome, detail }: Tried, position: number): Finding {
  const name = `server ${position}, ${PLACES[step]}`;
  if (outcome === 'found') return ok(name, detail);
  return note(name, outcome === 'skipped' ? 'would be tried when a server is started' : `${outcome}: ${detail}`);
}

/** The integrity of our database. It is only looked at while no server has it, and its lock is held meanwhile. */
export async function checkOurDatabase({ settings }: Context): Promise<Finding> {
  const { dataFolder } = settings.folders;
  const database = join(dataFolder, 'temporal.db');
  const exists = await access(database).then(
    () => true,
    () => false,
  );
  if (!exists) return note('database', 'none yet');
  const holder = await identify(process.pid);
  if (holder === null || (await findOrphanServer(database)) !== null) return ok('database', `${database}, in use`);
  const claim = await claimLock(dataFolder, { holder, state: 'starting', ports: { grpc: 0, ui: 0 }, database });
  if (claim.kind === 'taken') return ok('database', `${database}, in use`);
  try {
    await checkDatabase(database);
    return ok('database', `${database}, whole`);
  } catch (error) {
    return missing('database', error instanceof Error ? error.message : String(error));
  } finally {
    await releaseLock(claim.lock);
  }
}
