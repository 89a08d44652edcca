import type { McpServer } from '../contract/mcp-server.ts';
import { ToolError } from '../tools/tool.ts';
import type { McpConnection } from './connection.ts';
import type { Environment } from './expand.ts';
import { orAborted } from './or-aborted.ts';
import { createSlot, noteBroken, noteFailed, noteOpened, untilMayTry, type Live, type Slot } from './slot.ts';

/** Which server, and in which folder it works. */
export interface McpTarget {
  /** Its name, for messages. */
  readonly server: string;
  /** Digest of how it is started or reached. */
  readonly config: string;
  /** Absolute path. */
  readonly workspace: string;
}

export interface McpPoolOptions {
  /**
   * Finds how a server is started or reached; undefined when this machine does not know, or may not. Asked for every
   * use, because trust can be revoked while a server runs.
   */
  readonly find: (target: McpTarget) => Promise<McpServer | undefined>;
  /** `${VAR}` is filled in from here. */
  readonly environment: Environment;
  /** Variables that every started process gets, such as the marker of the worker by which it is found and ended. */
  readonly markers?: Readonly<Record<string, string>>;
  /** Told every secret that was filled in or received, before it is used. */
  readonly onSecret?: (secret: string) => void;
  readonly startMs?: number;
  readonly idleMs?: number;
}

type Work<T> = (connection: McpConnection) => Promise<T>;

/** The connections of one process: one a server and folder, shared by all its calls. */
export interface McpPool {
  /**
   * Works with the connection, opening it when needed. Rejects with a passing `ToolError` when there is none to be had,
   * and with the signal's reason when it fires before there is one.
   */
  readonly use: <T>(target: McpTarget, signal: AbortSignal, work: Work<T>) => Promise<T>;
  /** Says that a connection is of no more use: those who work with it may finish, the next gets a new one. */
  readonly retire: (target: McpTarget, connection: McpConnection) => Promise<void>;
  /** Closes all, and ends every process that was started. */
  readonly close: () => Promise<void>;
}

const START_MS = 30_000;
const IDLE_MS = 5 * 60_000;

export function createMcpPool(options: McpPoolOptions): McpPool {
  const pool = new Pool(options);
  return {
    use: async (target, signal, work) => await pool.use(target, signal, work),
    retire: async (target, connection) => await pool.retire(target, connection),
    close: async () => await pool.close(),
  };
}

class Pool {
  readonly #options: McpPoolOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #closing = new Set<Promise<void>>();
  readonly #ending = new AbortController();

  constructor(options: McpPoolOptions) {
    this.#options = options;
  }

  async use<T>(target: McpTarget, signal: AbortSignal, work: Work<T>): Promise<T> {
    const slot = this.#slotOf(target);
    await untilMayTry(slot, signal);
    if (this.#ending.signal.aborted)
      throw new ToolError('cancelled', `Cannot connect to "${target.server}": the worker is ending`);
    const live = await this.#live(slot, target);
    clearTimeout(live.idle);
    live.users += 1;
    try {
      return await work(await orAborted(live.opening, signal));
    } finally {
      live.users -= 1;
      this.#rest(slot, live);
    }
  }

  async retire(target: McpTarget, connection: McpConnection): Promise<void> {
    const slot = this.#slotOf(target);
    const { live } = slot;
    if (live === undefined || (await live.opening.catch(() => undefined)) !== connection || live.isRetired) return;
    noteBroken(slot);
    this.#retire(slot, live);
  }

  async close(): Promise<void> {
    this.#ending.abort(new Error('the worker is ending'));
    for (const slot of this.#slots.values()) {
      const { live } = slot;
      if (live === undefined) continue;
      this.#retire(slot, live);
      this.#closeNow(live);
    }
    await Promise.all(this.#closing);
  }

  #slotOf({ config, workspace }: McpTarget): Slot {
    const key = JSON.stringify([config, workspace]);
    const slot = this.#slots.get(key) ?? createSlot();
    this.#slots.set(key, slot);
    return slot;
  }

  /** The connection there is, or one that is opened now. */
  async #live(slot: Slot, target: McpTarget): Promise<Live> {
    const present = slot.live;
    if (present !== undefined) {
      const mayUse = (await this.#options.find(target).catch(() => undefined)) !== undefined;
      const connection = await present.opening.catch(() => undefined);
      if (mayUse && connection?.isOpen() === true && !present.isRetired) return present;
      if (connection !== undefined) await this.retire(target, connection);
    }
    // While this one looked, another may have opened a new connection.
    if (slot.live !== undefined && slot.live !== present) return slot.live;
    return this.#open(slot, target);
  }

  #open(slot: Slot, target: McpTarget): Live {
    const live: Live = {
      opening: open(slot, target, { ...this.#options, signal: this.#ending.signal }),
      users: 0,
      isRetired: false,
    };
    slot.live = live;
    live.opening.catch(() => {
      live.isRetired = true;
      if (slot.live === live) delete slot.live;
    });
    return live;
  }

  /** Called when a user is done. */
  #rest(slot: Slot, live: Live): void {
    if (live.users > 0) return;
    if (live.isRetired || this.#ending.signal.aborted) this.#closeNow(live);
    else live.idle = setTimeout(() => this.#retire(slot, live), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #retire(slot: Slot, live: Live): void {
    clearTimeout(live.idle);
    live.isRetired = true;
    if (slot.live === live) delete slot.live;
    if (live.users === 0) this.#closeNow(live);
  }

  #closeNow(live: Live): void {
    if (live.closing !== undefined) return;
    const closed = live.opening.then(async (connection) => await connection.close()).catch(() => {});
    live.closing = closed;
    this.#closing.add(closed);
    void closed.then(() => this.#closing.delete(closed));
  }
}

async function open(
  slot: Slot,
  target: McpTarget,
  options: McpPoolOptions & { readonly signal: AbortSignal },
): Promise<McpConnection> {
  const { find, environment, markers = {}, onSecret = () => {}, startMs = START_MS, signal } = options;
  const { server: name, workspace } = target;
  try {
    const server = await find(target);
    if (server === undefined) {
      throw new Error(`Cannot connect to "${name}": this machine does not know how, or its folder is not trusted`);
    }
    const { openConnection } = await import('./connection.ts');
    const surroundings = { environment, workspace, markers, onSecret, startMs, signal };
    const connection = await openConnection({ ...server, name }, surroundings);
    noteOpened(slot);
    return connection;
  } catch (error) {
    noteFailed(slot);
    const message = error instanceof Error ? error.message : String(error);
    throw new ToolError('execution_failed', message, { passing: true });
  }
}
