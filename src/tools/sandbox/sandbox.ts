import type { Environment } from '../shell/call-environment.ts';
import { makeNightshiftFolder } from '../nightshift-folder.ts';
import { runShell, type ShellCommand, type ShellEnd } from '../shell/shell.ts';
import { bwrapArguments, confinedEnvironment, sandboxHome, type Bwrap } from './confinement.ts';
import { startDomainProxy, type DomainProxy } from './domain-proxy.ts';
import { findBwraps } from './find-bwrap.ts';
import { noteGuard, putAwayLeft } from './guard-journal.ts';
import { putAway, surveyGuarded, type Guard } from './guarded.ts';
import { holdMounts, releaseMounts } from './held-mounts.ts';
import { startConfined } from './launch.ts';
import { limitProcesses } from './process-limit.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { testConfinement, type Check } from './self-test.ts';
import { listeningSockets } from './sockets.ts';
import { unfitWorkspace } from './unfit-workspace.ts';
import { DEFAULT_ALLOWANCE, type Allowance } from './watchdog.ts';

/** After so long a machine that could not confine is tried again: it may have been the load. */
const TRY_AGAIN_MS = 60_000;

export interface SandboxOptions {
  /** The worker's own; its PATH and HOME say what a command needs to see. */
  readonly environment: Environment;
  /** Such as `example.com` or `*.example.com`; none when left out, and then there is no network at all. */
  readonly allowedDomains?: readonly string[];
  /** Our own folders, hidden even if they lie in a workspace. */
  readonly hidden?: readonly string[];
  /** Where bubblewrap is; looked for in the system's folders when left out. */
  readonly bwrapPath?: string;
  readonly allowance?: Partial<Allowance>;
}

export interface ConfinedEnd {
  readonly end: ShellEnd;
  /** What the command made although it would act on programs outside; it was moved below `.nightshift/quarantine`. */
  readonly putAway: readonly string[];
}

/** Runs commands where they reach nothing but the workspace. */
export interface Sandbox {
  readonly allowedDomains: readonly string[];
  /** Why this machine cannot confine a command to this folder; undefined when it can, which has then been tried. */
  readonly problem: (root: string) => Promise<string | undefined>;
  /** Tries the escapes that matter, anew each time, for people who ask. */
  readonly selfTest: () => Promise<readonly Check[]>;
  /** Runs a command with `cwd` as its workspace. Only to be called when there is no problem. */
  readonly run: (command: ShellCommand) => Promise<ConfinedEnd>;
  readonly close: () => Promise<void>;
}

interface Tried {
  readonly bwrap?: Bwrap;
  readonly checks: readonly Check[];
  readonly problem?: string;
  readonly at: number;
}

export function createSandbox(options: SandboxOptions): Sandbox {
  const allowedDomains = options.allowedDomains ?? [];
  let proxy: Promise<DomainProxy> | undefined;
  let tried: Promise<Tried> | undefined;
  const proxySocket = async (): Promise<string | undefined> => {
    if (allowedDomains.length === 0) return undefined;
    proxy ??= startDomainProxy({ domains: allowedDomains });
    return (await proxy).socket;
  };
  const outcome = async (): Promise<Tried> => {
    const before = await tried;
    const isStale = before?.problem !== undefined && performance.now() - before.at > TRY_AGAIN_MS;
    if (before === undefined || isStale) tried = tryAll(options);
    return (await tried) ?? { checks: [], at: 0 };
  };
  return {
    allowedDomains,
    async problem(root) {
      const unfit = unfitWorkspace(root, sandboxHome(options.environment));
      return unfit ?? (await outcome()).problem;
    },
    selfTest: async () => (await tryAll(options)).checks,
    async run(command) {
      const { bwrap, problem } = await outcome();
      if (bwrap === undefined) throw new Error(`Cannot confine the command: ${problem}`);
      return await runWith(command, { ...options, bwrap, proxy: await proxySocket() });
    },
    async close() {
      await (await proxy)?.close();
    },
  };
}

interface Confining extends SandboxOptions {
  readonly bwrap: Bwrap;
  readonly proxy?: string | undefined;
}

async function runWith(command: ShellCommand, confining: Confining): Promise<ConfinedEnd> {
  const { cwd: root, marker } = command;
  await makeNightshiftFolder(root, ['output']);
  const left = await putAwayLeft(root);
  const [guard, sockets] = await Promise.all([surveyGuarded(root), listeningSockets(root)]);
  const forget = await noteGuard(root, guard, marker.value);
  const putAwayMade = async (): Promise<readonly string[]> => {
    const made = await putAway(root, guard, marker.value);
    await forget();
    return made;
  };
  try {
    const end = await launched(command, { ...confining, guard, sockets });
    return { end, putAway: [...new Set([...left, ...(await putAwayMade())])] };
  } catch (error) {
    await putAwayMade();
    throw error;
  }
}

interface Seen {
  readonly guard: Guard;
  readonly sockets: readonly string[];
}

async function launched(
  command: ShellCommand,
  { proxy, guard, sockets, ...options }: Confining & Seen,
): Promise<ShellEnd> {
  const { bwrap, environment, hidden = [] } = options;
  const root = command.cwd;
  const allowance = { ...DEFAULT_ALLOWANCE, ...options.allowance };
  const mounts = bwrap.descriptors ? await holdMounts(guard.mounts) : guard.mounts;
  const limit = limitProcesses(allowance.threadsMax);
  try {
    const wish = { bwrap, root, environment, mounts, sockets, hidden, ...(proxy !== undefined && { proxy }) };
    const launch = {
      bwrap: bwrap.path,
      arguments: bwrapArguments(wish),
      mounts,
      filter: seccompFilter(),
      allowance,
      root,
      group: limit?.file,
      proxied: proxy !== undefined,
    };
    const confined = { ...command, environment: confinedEnvironment(command.environment, proxy !== undefined) };
    return await runShell(confined, (shell) => startConfined(shell, launch));
  } finally {
    await releaseMounts(mounts);
    // Nobody waits for it: the kernel takes some milliseconds until a group counts as empty.
    void limit?.release();
  }
}

/** The first bwrap, with the most that it can do, that lets nothing out. */
async function tryAll(options: SandboxOptions): Promise<Tried> {
  const found = await findBwraps(options.bwrapPath);
  if ('problem' in found)
    return { ...found, checks: [{ name: 'bubblewrap', ok: false, said: found.problem }], at: performance.now() };
  let first: Tried | undefined;
  for (const bwrap of found.bwraps) {
    const checks = await testConfinement(
      options.environment,
      async (command) => await runWith(command, { ...options, bwrap }),
    );
    const failed = checks.find(({ ok }) => !ok);
    if (failed === undefined) return { bwrap, checks, at: performance.now() };
    first ??= {
      checks,
      problem: `the self-test of the sandbox failed: ${failed.name}: ${failed.said}`,
      at: performance.now(),
    };
  }
  return first ?? { checks: [], problem: 'bubblewrap was not tried', at: performance.now() };
}
