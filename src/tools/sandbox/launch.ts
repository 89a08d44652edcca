import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Writable, type Readable } from 'node:stream';
import { killMarked } from '../shell/process-tree.ts';
import {
  exitOf,
  findShell,
  outputsOf,
  spawnOptions,
  within,
  type ShellCommand,
  type ShellEnd,
  type Started,
} from '../shell/shell.ts';
import { FIRST_MOUNT_DESCRIPTOR } from './confinement.ts';
import { FORWARDER_PROGRAM } from './forwarder.ts';
import type { HeldMount } from './held-mounts.ts';
import { startWatchdog, type Allowance } from './watchdog.ts';

/** A namespace dies at once, and its monitor with it. */
const DEATH_MS_MAX = 5_000;
const ROUND_MS = 1;

/** Larger files than this a command cannot write, in KiB. */
const FILE_KIB_MAX = 8 * 1_024 * 1_024;

/**
 * Runs outside, before bwrap: closes what the worker inherited, gives real pipes for the outputs, and offers itself
 * first when memory runs out. Descriptor 3 takes bwrap's reports, 4 holds the filter of system calls, 5 bwrap's arguments,
 * which else would stand in every list of processes, and those from 6 on what is mounted.
 */
const closeInherited = (last: number): string =>
  `for fd in /dev/fd/*; do fd=\${fd##*/}; [ "$fd" -gt ${last} ] 2>/dev/null && eval "exec $fd>&-"; done`;
const OFFER_MEMORY = 'echo 1000 2>/dev/null >/proc/self/oom_score_adj';

/**
 * Runs inside, around the command: sets limits that hold for users other than root, and gives what the command left
 * running a moment to print its last words, since all of it dies with this shell.
 */
const INSIDE = [
  `ulimit -c 0; ulimit -f ${FILE_KIB_MAX}; ulimit -u "$2" 2>/dev/null`,
  'limit=2',
  '[ -n "$3" ] && limit=3 && eval \'read -r ready < <(exec "$3" -e "$4" 2>/dev/null)\'',
  'left() { [ $# -gt $limit ]; }',
  'exec 3>&2 2>/dev/null',
  '"$0" -c "$1" 2>&3 3>&-',
  'code=$?; n=0',
  'while [ $n -lt 20 ] && left /proc/[0-9]*; do sleep 0.01; n=$((n + 1)); done',
  'exit $code',
].join('\n');

export interface Launch {
  readonly bwrap: string;
  /** Up to the command. */
  readonly arguments: readonly string[];
  readonly mounts: readonly HeldMount[];
  readonly filter: Buffer | undefined;
  readonly allowance: Allowance;
  readonly root: string;
  /** Where the command joins its control group, if there is one. */
  readonly group: string | undefined;
  readonly proxied: boolean;
}

/** Starts a command within bwrap. Its first process is known before long; with it, all others are killed. */
export function startConfined(command: ShellCommand, launch: Launch): Started {
  const child = spawnLauncher(command, launch);
  const report = readReport(child.stdio[3] as Readable);
  hand(child.stdio[4], launch.filter);
  hand((child.stdio as readonly unknown[])[5], launch.arguments.map((argument) => `${argument}\0`).join(''));
  let init: Init | undefined;
  let stopped: ShellEnd | undefined;
  let endWatch = (): void => {};
  let isOver = false;
  const over = exitOf(child).finally(() => {
    isOver = true;
    endWatch();
  });
  report.onBegun((pid) => {
    init = identify(pid);
    if (init === undefined || isOver) return;
    const stop = (why: string): void => {
      stopped = { kind: 'stopped', why };
      killInit(init);
    };
    endWatch = startWatchdog({ init: pid, root: launch.root, allowance: launch.allowance, stop });
  });
  return {
    child,
    ended: ended(),
    async kill() {
      killInit(init);
      // Before the namespace is there, only the marker tells what was started.
      if (report.init() === undefined) await killMarked(command.marker);
      await within(
        over.catch(() => {}),
        DEATH_MS_MAX,
      );
      // Bwrap ends a moment before its namespace does.
      await whenGone(init);
    },
  };

  async function ended(): Promise<ShellEnd> {
    const end = await over;
    const code = await report.code;
    if (stopped !== undefined) return stopped;
    if (code !== undefined) return { kind: 'exit', code };
    return end.kind === 'killed' ? end : { kind: 'unconfined' };
  }
}

function spawnLauncher(command: ShellCommand, launch: Launch): ChildProcess {
  const { shell, isBash, runs } = findShell();
  const options = spawnOptions(command);
  const launcher = [
    isBash ? closeInherited(FIRST_MOUNT_DESCRIPTOR + launch.mounts.length - 1) : '',
    OFFER_MEMORY,
    outputsOf(command, isBash),
    launch.group === undefined ? '' : `echo $$ 2>/dev/null >${launch.group}`,
    'exec "$0" "$@"',
  ].join('\n');
  const inside = [shell, ...runs, INSIDE, shell, command.command, String(launch.allowance.threadsMax)];
  const forward = launch.proxied ? [process.execPath, FORWARDER_PROGRAM] : ['', ''];
  const filter = launch.filter === undefined ? [] : ['--seccomp', '4'];
  const bwrap = [launch.bwrap, '--json-status-fd', '3', ...filter, '--args', '5', '--'];
  return spawn(shell, [...runs, launcher, ...bwrap, ...inside, ...forward], {
    ...options,
    stdio: [
      ...(options.stdio as readonly 'pipe'[]),
      'pipe',
      'pipe',
      'pipe',
      ...launch.mounts.map(({ handle }) => handle?.fd ?? 'ignore'),
    ],
  });
}

/** Writes all of it and closes; the reader may be gone already. */
function hand(stream: unknown, content: Buffer | string | undefined): void {
  if (!(stream instanceof Writable)) return;
  stream.on('error', () => {});
  stream.end(content);
}

interface Report {
  /** The first process of the namespace, once it is known. */
  readonly init: () => number | undefined;
  readonly onBegun: (tell: (init: number) => void) => void;
  /** Undefined when the command was never started, or bwrap was killed. */
  readonly code: Promise<number | undefined>;
}

/** Bwrap reports in lines of JSON: the process when it is made, the exit code when the command has ended. */
function readReport(stream: Readable): Report {
  let text = '';
  let init: number | undefined;
  let tell = (_init: number): void => {};
  const find = (key: string): number | undefined => {
    const found = new RegExp(`"${key}": (\\d+)`).exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (init !== undefined) return;
    init = find('child-pid');
    if (init !== undefined) tell(init);
  });
  return {
    init: () => init,
    onBegun: (told) => {
      tell = told;
    },
    code: new Promise((resolve) => {
      stream.on('close', () => resolve(find('exit-code')));
    }),
  };
}

/** The first process of a namespace; its start tells it from a later one of the same number. */
interface Init {
  readonly pid: number;
  readonly startTime: string;
}

function identify(pid: number): Init | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

function isAlive({ pid, startTime }: Init): boolean {
  return startTimeOf(pid) === startTime;
}

/** Undefined when it is over: what is left of a first process is there only once all of its namespace is gone. */
function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function killInit(init: Init | undefined): void {
  if (init === undefined || !isAlive(init)) return;
  try {
    process.kill(init.pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

async function whenGone(init: Init | undefined): Promise<void> {
  const deadline = performance.now() + DEATH_MS_MAX;
  while (init !== undefined && isAlive(init) && performance.now() < deadline) await sleep(ROUND_MS);
}
