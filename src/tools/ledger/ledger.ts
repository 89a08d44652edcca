import { readdirSync } from 'node:fs';
import { readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Effect } from '../../contract/tool-calls.ts';
import { CALL_MARKER } from '../shell/call-environment.ts';
import {
  createExclusively,
  deposit,
  readClaim,
  readIfThere,
  removeMark,
  type Claim,
  type Durability,
} from './claim-file.ts';
import { lifeOf, type Holder } from './holder.ts';
import { makeNightshiftFolder } from '../nightshift-folder.ts';
import { killMarked } from '../shell/process-tree.ts';
import { safeName } from '../safe-name.ts';

export { identifyHolder, type Holder } from './holder.ts';

/** A result is far smaller (`RESULT_BYTES_MAX`); this only keeps a mistake from filling the disk. */
const STORED_BYTES_MAX = 1_024 * 1_024;

/** Folder of the marks of calls that may still be at work. */
const OPEN = 'open';

/** A claim of which not even the holder is readable was being written; nobody needs longer for that. */
const UNREADABLE_MS_MAX = 5_000;

export interface LedgerOptions {
  /** `process` (the default) survives any kill of processes; `power` survives a loss of power and is slower. */
  readonly durable?: Durability;
  /** Milliseconds for which a holder on another host, whose life cannot be seen, is taken to be alive. */
  readonly foreignMsMax?: number;
}

export interface CallClaim {
  readonly run: string;
  /** Stable across retries, unique within the run. The call's processes carry `callKey(run, call)`. */
  readonly call: string;
  readonly effect: Effect;
  readonly holder: Holder;
  /** Of a `checkable` effect: finds out whether an interrupted attempt had its effect. */
  readonly probe?: () => Promise<Finding>;
}

/** What a probe found out. The value is what the call would have returned. */
export type Finding =
  | { readonly kind: 'happened'; readonly value: unknown }
  | { readonly kind: 'not_happened' }
  | { readonly kind: 'unknown' };

export type Kept<T> =
  /** Performed now. */
  | { readonly kind: 'done'; readonly value: T }
  /** Performed by an earlier attempt. */
  | { readonly kind: 'stored'; readonly value: T }
  /** Begun by an attempt that is over and left no result. */
  | { readonly kind: 'unknown'; readonly since: number }
  /** Perhaps still being performed. */
  | { readonly kind: 'busy'; readonly holder: Holder };

export interface Ledger {
  /**
   * Performs a call at most once where that matters. The claim is on disk before `perform` starts, its value before
   * this resolves to `done`. When `perform` rejects, the claim stays and the outcome counts as unknown: a failure
   * whose outcome is known must be returned as a value. Rejects when the value exceeds 1 MiB of JSON.
   */
  readonly once: <T>(claim: CallClaim, perform: () => Promise<T>) => Promise<Kept<T>>;
  /** Living holders in other processes of calls of this run without result; no step may start while there are any. */
  readonly abandoned: (run: string, exceptCall: string) => Promise<readonly Holder[]>;
  /** Removes what was kept for runs that did nothing for so long; resolves to how many. */
  readonly prune: (olderThanMs: number) => Promise<number>;
}

interface Ground {
  /** Where the runs' folders are. */
  readonly folder: string;
  readonly root: string;
  readonly durable: Durability;
  readonly foreignMsMax: number;
}

interface Attempt extends CallClaim {
  readonly ground: Ground;
  readonly path: string;
}

/** Calls that this process performs right now, by the path of their claim: a retry joins them. */
const inFlight = new Map<string, Promise<Kept<unknown>>>();

/** What marks the processes of a call: the `key` of its `ToolContext`. */
export function callKey(run: string, call: string): string {
  return `${run}/${call}`;
}

/** Opens the ledger of a workspace, in `.nightshift/ledger`. Rejects when the workspace is missing. */
export async function openLedger(
  root: string,
  { durable = 'process', foreignMsMax = 3_600_000 }: LedgerOptions = {},
): Promise<Ledger> {
  const real = await realpath(root);
  const ground = { root: real, folder: await makeNightshiftFolder(real, ['ledger']), durable, foreignMsMax };
  return {
    once: async <T>(claim: CallClaim, perform: () => Promise<T>) => (await once(ground, claim, perform)) as Kept<T>,
    abandoned: async (run, exceptCall) =>
      await livingHolders(ground, join(ground.folder, safeName(run)), safeName(exceptCall)),
    prune: async (olderThanMs) => await prune(ground, olderThanMs),
  };
}

async function once(ground: Ground, claim: CallClaim, perform: () => Promise<unknown>): Promise<Kept<unknown>> {
  const path = join(ground.folder, safeName(claim.run), safeName(claim.call));
  const running = inFlight.get(path);
  if (running !== undefined) return await running;
  const attempt = settle({ ...claim, ground, path }, perform).finally(() => inFlight.delete(path));
  inFlight.set(path, attempt);
  return await attempt;
}

async function settle(attempt: Attempt, perform: () => Promise<unknown>): Promise<Kept<unknown>> {
  const stored = await storedResult(attempt);
  if (stored !== undefined) return stored;
  for (let number = 1; ; number += 1) {
    if (await claimed(attempt, number)) return await performAndStore(attempt, { number, perform });
    const obstacle = await obstacleOf(attempt, number);
    const found = obstacle?.kind === 'unknown' ? await probed(attempt, obstacle) : obstacle;
    if (found !== undefined) return found;
  }
}

/** What can still be found out about an interrupted attempt; undefined when it did nothing, so that it may be done. */
async function probed(attempt: Attempt, unknown: Kept<unknown>): Promise<Kept<unknown> | undefined> {
  const finding = (await attempt.probe?.()) ?? { kind: 'unknown' };
  if (finding.kind === 'unknown') return unknown;
  if (finding.kind === 'not_happened') return undefined;
  await store(attempt, finding.value);
  return { kind: 'stored', value: finding.value };
}

async function claimed({ ground, path, holder, run }: Attempt, number: number): Promise<boolean> {
  const claim: Claim = { holder, since: Date.now() };
  const deposit = { path: claimPath(path, number), text: JSON.stringify(claim), durable: ground.durable };
  const mark = openMark(path, holder);
  return await createExclusively(deposit, mark).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // The first call of a run finds no folder yet.
    await makeNightshiftFolder(ground.root, ['ledger', safeName(run), OPEN]);
    return await createExclusively(deposit, mark);
  });
}

async function performAndStore(
  attempt: Attempt,
  { number, perform }: { readonly number: number; readonly perform: () => Promise<unknown> },
): Promise<Kept<unknown>> {
  const { ground, path, holder } = attempt;
  const value = await perform().catch(async (error: unknown) => {
    // Its process lives on, so without this word others would take the attempt to be still at work.
    await deposit({ path: overPath(path, number), text: '', durable: ground.durable });
    removeMark(openMark(path, holder));
    throw error;
  });
  await store(attempt, value);
  removeMark(openMark(path, holder));
  return { kind: 'done', value };
}

async function store({ ground, path, call }: Attempt, value: unknown): Promise<void> {
  const text = JSON.stringify({ value });
  if (Buffer.byteLength(text) > STORED_BYTES_MAX)
    throw new Error(`Cannot store the result of "${call}": it is larger than 1 MiB`);
  await deposit({ path: `${path}.result`, text, durable: ground.durable });
}

/** What keeps the attempt from taking over claim number `number`; undefined when the next number may be claimed. */
async function obstacleOf(attempt: Attempt, number: number): Promise<Kept<unknown> | undefined> {
  const { path, ground, effect } = attempt;
  const claim = await readClaim(claimPath(path, number));
  if (claim === undefined || (await readIfThere(claimPath(path, number + 1))) !== undefined) return undefined;
  const isOver = (await readIfThere(overPath(path, number))) !== undefined;
  if (!isOver && (await mayBeAlive(claim, ground))) return { kind: 'busy', holder: claim.holder };
  const survivors = await killMarked({ name: CALL_MARKER, value: callKey(attempt.run, attempt.call) });
  if (survivors.length > 0) return { kind: 'busy', holder: claim.holder };
  // The holder may have stored its result between our first look and its end.
  const stored = await storedResult(attempt);
  if (stored !== undefined) return stored;
  return effect === 'unsafe' || effect === 'checkable' ? { kind: 'unknown', since: claim.since } : undefined;
}

/** A claim of this very process that gets here is not in flight, so its attempt is over. */
async function mayBeAlive({ holder, since }: Claim, { foreignMsMax }: Ground): Promise<boolean> {
  const ageMs = Date.now() - since;
  if (holder.pid === 0) return ageMs < UNREADABLE_MS_MAX;
  const life = await lifeOf(holder);
  return life === 'alive' || (life === 'elsewhere' && ageMs < foreignMsMax);
}

async function storedResult({ path }: { readonly path: string }): Promise<Kept<unknown> | undefined> {
  const text = await readIfThere(`${path}.result`);
  if (text === undefined) return undefined;
  try {
    return { kind: 'stored', value: (JSON.parse(text) as { readonly value: unknown }).value };
  } catch {
    // A loss of power can leave the file without what was in it: what became of the call is not known.
    return undefined;
  }
}

function claimPath(path: string, number: number): string {
  return number === 1 ? `${path}.claim` : `${path}.claim.${number}`;
}

/** Says that an attempt ended without a result although its process lives. */
function overPath(path: string, number: number): string {
  return `${claimPath(path, number)}.over`;
}

/**
 * Stands from before a call is claimed until its result is stored, so that the calls which may still be at work are
 * found without looking at all that ever were. It is each worker's own.
 */
function openMark(path: string, { worker }: Holder): string {
  return join(dirname(path), OPEN, `${basename(path)}${OF}${safeName(worker)}`);
}

/** Parts the call from the worker in the name of a mark; `safeName` never makes one. */
const OF = '.';

/** Living holders, in other processes, of claims in a run's folder that have no result. */
async function livingHolders(ground: Ground, folder: string, exceptName = ''): Promise<readonly Holder[]> {
  const names = openMarks(folder);
  const calls = [...new Set(names.map((name) => name.split(OF)[0] ?? name))].filter((call) => call !== exceptName);
  const holders = await Promise.all(calls.map(async (name) => await livingHolder(ground, join(folder, name))));
  return holders.filter((holder) => holder !== undefined);
}

/** Before the first call of a run there is no folder. */
function openMarks(folder: string): readonly string[] {
  try {
    return readdirSync(join(folder, OPEN));
  } catch {
    return [];
  }
}

async function livingHolder(ground: Ground, path: string): Promise<Holder | undefined> {
  if ((await storedResult({ path })) !== undefined) return undefined;
  for (let number = 1; ; number += 1) {
    const claim = await readClaim(claimPath(path, number));
    if (claim === undefined) return undefined;
    const isOver = (await readIfThere(overPath(path, number))) !== undefined;
    if (!isOver && (await mayBeAlive(claim, ground))) return claim.holder;
  }
}

async function prune(ground: Ground, olderThanMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(ground.folder)) {
    const folder = join(ground.folder, name);
    const idleMs = Date.now() - (await stat(folder)).mtimeMs;
    if (idleMs < olderThanMs || (await isHeld(ground, folder))) continue;
    // Renamed first: a call that begins meanwhile finds no folder rather than a vanishing one.
    const doomed = join(ground.folder, `~${randomUUID()}`);
    await rename(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function isHeld(ground: Ground, folder: string): Promise<boolean> {
  const isHeldHere = [...inFlight.keys()].some((path) => path.startsWith(`${folder}/`));
  return isHeldHere || (await livingHolders(ground, folder)).length > 0;
}
