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
    if (valueOf(words, '--db-filename') !== database) continue;
    const grpc = Number(valueOf(words, '--port'));
    const ui = Number(valueOf(words, '--ui-port'));
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

/** `ps` joins the words by spaces, and a path may have some too, so a word begins where an option does. */
async function processesByPs(): Promise<readonly RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,args='], {
    maxBuffer: 16 * 1_024 * 1_024,
  }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').map((line) => {
    const [, pid = '', words = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), words: words.split(/ (?=--)/) };
  });
}

/** We write every option as `--name=value`. */
function valueOf(words: readonly string[], option: string): string | undefined {
  return words.find((word) => word.startsWith(`${option}=`))?.slice(option.length + 1);
}
