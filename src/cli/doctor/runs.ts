import type { Client, Connection } from '@temporalio/client';
import { checkHealth } from '../../client.ts';
import { SEARCH_ATTRIBUTES } from '../../contract/names.ts';
import { connectClient } from '../../temporal/connect.ts';
import type { Context } from '../context.ts';
import { explainFailure } from '../command-failure.ts';
import { findServer } from '../server-access.ts';
import { isServed } from '../services/other-workers.ts';
import { readServices } from '../services/record.ts';
import { shortLine } from '../text/visible.ts';
import { missing, note, ok, type Finding } from './finding.ts';

/** The server that runs, who serves it, and whether all runs on it can move. */
export async function checkRunning(context: Context): Promise<readonly Finding[]> {
  const services = await readServices(context.settings.folders.dataFolder);
  const about =
    services === null
      ? note('services', 'none run here; "nightshift up" starts them')
      : ok('services', `${services.state}, process ${services.process.pid}`);
  const found = await findServer(context);
  if (found === null) return [about, note('Temporal', 'no server runs')];
  try {
    const { client, connection, close } = await connectClient(found.target);
    try {
      const reached = ok(
        'Temporal',
        `${found.target.address}, namespace ${found.target.namespace}${found.uiUrl === null ? '' : `, UI ${found.uiUrl}`}`,
      );
      return [
        about,
        reached,
        await checkAttributes(connection, found.target.namespace),
        ...(await checkRuns(client, context.settings.taskQueue)),
      ];
    } finally {
      await close();
    }
  } catch (error) {
    return [about, missing('Temporal', shortLine(explainFailure(error).message, 300))];
  }
}

async function checkAttributes(connection: Connection, namespace: string): Promise<Finding> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const absent = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !(name in customAttributes));
  return absent.length === 0
    ? ok('attributes', Object.keys(SEARCH_ATTRIBUTES).join(', '))
    : missing('attributes', `${absent.join(', ')} are not registered; "nightshift up" does that`);
}

async function checkRuns(client: Client, taskQueue: string): Promise<readonly Finding[]> {
  const served = await isServed(client, taskQueue);
  const health = await checkHealth(client);
  return [
    served ? ok('worker', `one polls "${taskQueue}"`) : note('worker', `none polls "${taskQueue}"`),
    ok('open runs', String(health.openRuns)),
    ...health.stuck.map(({ runId, attempts, error }) =>
      missing('stuck run', `${runId}: its workflow task failed ${attempts} times, last with: ${shortLine(error, 300)}`),
    ),
    ...health.unpolled.map(({ taskQueue: queue, runs }) =>
      missing('queue', `no worker polls "${shortLine(queue, 100)}", and ${runs} open runs wait on it`),
    ),
  ];
}
