import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { WORKER_MARKER } from './call-environment.ts';

/**
 * The reaper's program, as text for `node -e`: so it runs the same from sources and from the built package. It waits
 * until its input ends, which the kernel sees to whatever killed the worker, and then kills all that carries the
 * marker until two searches in a row find nothing.
 */
const REAPER_PROGRAM = `
const { readdirSync, readFileSync } = require('node:fs');
const marker = Buffer.from('\\0' + process.argv[1] + '\\0');
const bare = Buffer.of(0);
function carries(pid) {
  try {
    return Buffer.concat([bare, readFileSync('/proc/' + pid + '/environ'), bare]).includes(marker);
  } catch {
    return false;
  }
}
function killAll() {
  const found = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid && carries(name));
  for (const pid of found) {
    try { process.kill(Number(pid), 'SIGKILL'); } catch {}
  }
  return found.length;
}
const deadline = 60000;
function reap() {
  const started = Date.now();
  let clean = 0;
  const round = () => {
    clean = killAll() === 0 ? clean + 1 : 0;
    if (clean < 2 && Date.now() - started < deadline) setTimeout(round, 20);
    else process.exit(0);
  };
  round();
}
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.on('SIGTERM', () => {});
process.stdin.on('error', () => {}).on('close', reap).resume();
`;

export interface Reaper {
  readonly pid: number;
  /** Lets the reaper do its work now, as if the worker had died, and waits for its end. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the process that cleans up after this worker, however it dies. It needs Linux's `/proc`; elsewhere it
 * starts, finds nothing and ends with the worker.
 */
export function startReaper(worker: string): Reaper {
  const child = spawn(process.execPath, ['-e', REAPER_PROGRAM, `${WORKER_MARKER}=${worker}`], {
    // Its own session: an interrupt from the terminal must not end it before its work. No marker, no secrets.
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { pid, stdin } = child;
  child.on('error', () => {});
  if (pid === undefined || stdin === null)
    throw new Error(`Cannot start the reaper: "${process.execPath}" does not run`);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  stdin.on('error', () => {});
  // The worker may end without waiting for it.
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  return {
    pid,
    async close() {
      child.ref();
      stdin.end();
      await ended;
    },
  };
}
