import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

const GRACE_MS = 5_000;
const POLL_MS = 50;

/** Asks a process to end and, after 5 seconds, ends it. Returns when it is gone; one that is gone already is fine. */
export async function stopProcess(identity: ProcessIdentity): Promise<void> {
  await sendAndWait(identity, 'SIGTERM');
  await sendAndWait(identity, 'SIGKILL');
}

async function sendAndWait(identity: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  // The identity is compared first: its id may by now belong to a stranger.
  if (!(await isAlive(identity))) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw error;
  }
  const deadline = performance.now() + GRACE_MS;
  while (performance.now() < deadline && (await isAlive(identity))) await sleep(POLL_MS);
}
