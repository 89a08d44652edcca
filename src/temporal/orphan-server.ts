import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ServerPorts } from './free-ports.ts';

export interface OrphanServer {
  readonly pid: number;
  readonly ports: ServerPorts;
}

/**
 * Looks for a server that works on this database although no lock names it: its starter died between starting it and
 * writing that down. A second server on the same file would run without complaint and ruin it.
 */
export async function findOrphanServer(database: string): Promise<OrphanServer | null> {
  const processes = process.platform === 'linux' ? await processesOnLinux() : await processesByPs();
  for (const { pid, words } of processes) {
    if (valueAfter(words, '--db-filename') !== database) continue;
    const grpc = Number(valueAfter(words, '--port'));
    const ui = Number(valueAfter(words, '--ui-port'));
    if (grpc > 0 && ui > 0) return { pid, ports: { grpc, ui } };
  }
  return null;
}

interface RunningProcess {
  readonly pid: number;
  readonly words: readonly string[];
}

async function processesOnLinux(): Promise<readonly RunningProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid, words: line.split('\0') };
    }),
  );
}

/** `ps` joins the words by spaces, so a path with spaces is found by its place between two options. */
async function processesByPs(): Promise<readonly RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,args='], {
    maxBuffer: 16 * 1_024 * 1_024,
  }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').map((line) => {
    const [pid = '', ...rest] = line.trim().split(' ');
    const words = rest.join(' ').split(/ (?=--)/).flatMap((part) => /^(--[\w-]+) (.*)$/.exec(part)?.slice(1, 3) ?? [part]);
    return { pid: Number(pid), words };
  });
}

function valueAfter(words: readonly string[], option: string): string | undefined {
  const index = words.indexOf(option);
  return index === -1 ? undefined : words[index + 1];
}
