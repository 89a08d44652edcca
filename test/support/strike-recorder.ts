import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the recorder wrote down about one strike, in the order in which it heard of them. */
export interface Note {
  readonly kind: 'start' | 'end';
  /** The key of the call, as its tool was given it. */
  readonly key: string;
  /** Process of the worker that reported. */
  readonly pid: number;
  /** Milliseconds since 1970, by the recorder's clock. */
  readonly at: number;
}

/** The one witness of what really happened: a process of its own that nobody kills, which answers after its fsync. */
export interface StrikeRecorder {
  readonly port: number;
  readonly notes: () => Promise<readonly Note[]>;
  /** Keys of the strikes that began and did not end at these workers. */
  readonly inFlight: (...pids: readonly number[]) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

const RECORDER = `
import { createServer } from 'node:net';
import { fsyncSync, openSync, writeSync } from 'node:fs';
const file = openSync(process.argv[1], 'a');
const server = createServer((socket) => {
  // One report is one connection; a worker that is killed meanwhile breaks it.
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
    if (!text.endsWith('\\n')) return;
    writeSync(file, text.trim() + ' ' + Date.now() + '\\n');
    fsyncSync(file);
    socket.write('noted\\n');
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));
`;

export async function startStrikeRecorder(folder: string): Promise<StrikeRecorder> {
  const file = join(folder, 'strikes.txt');
  const child = spawn(process.execPath, ['--input-type=module', '-e', RECORDER, file], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [port] = (await once(child, 'message')) as [number];
  const notes = async (): Promise<readonly Note[]> => {
    if (child.exitCode !== null) throw new Error('The recorder ended, so nothing is proven');
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [noteOf(line)]));
  };
  return {
    port,
    notes,
    async inFlight(...pids) {
      const all = await notes();
      const ended = new Set(all.filter(({ kind }) => kind === 'end').map(({ key }) => key));
      return all
        .filter(({ kind, key, pid }) => kind === 'start' && !ended.has(key) && pids.includes(pid))
        .map(({ key }) => key);
    },
    async close() {
      const exited = once(child, 'exit');
      if (!child.connected) return;
      child.disconnect();
      await exited;
    },
  };
}

function noteOf(line: string): Note {
  const [kind, key = '', pid, at] = line.split(' ');
  return { kind: kind === 'start' ? 'start' : 'end', key, pid: Number(pid), at: Number(at) };
}
