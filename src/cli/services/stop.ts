import { setTimeout as sleep } from 'node:timers/promises';
import { stopDevServer } from '../../temporal/dev-server.ts';
import { isAlive } from '../../temporal/process-identity.ts';
import { stopProcess } from '../../temporal/stop-process.ts';
import { readServices } from './record.ts';

/** A worker gets 20 s for its steps and the server 10 s; what is not gone by then never goes by itself. */
const STOP_TIMEOUT_MS = 40_000;

/** Ends supervisor, worker and our own server, in order. Returns false when nothing ran. */
export async function stopServices(dataFolder: string): Promise<boolean> {
  const record = await readServices(dataFolder);
  if (record !== null) {
    process.kill(record.process.pid, 'SIGTERM');
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (performance.now() < deadline && (await isAlive(record.process))) await sleep(50);
    await stopProcess(record.process);
  }
  // A supervisor that was killed left its server behind.
  const serverRan = await stopDevServer(dataFolder);
  return record !== null || serverRan;
}
