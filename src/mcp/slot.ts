import { setTimeout as sleep } from 'node:timers/promises';
import type { McpConnection } from './connection.ts';

/** A connection that is opening or open. */
export interface Live {
  readonly opening: Promise<McpConnection>;
  users: number;
  /** Nobody new gets it; it is closed when the last user is done. */
  isRetired: boolean;
  /** Set once it is being closed. */
  closing?: Promise<void>;
  idle?: NodeJS.Timeout;
}

/** What is known of one server in one folder. */
export interface Slot {
  live?: Live;
  openedAt: number;
  /** When the latest attempt failed. */
  failedAt: number;
  failures: number;
}

/** How long the next attempt waits after so many that failed in a row. */
const BACKOFF_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** A connection that broke so soon counts as one that failed, or a server that dies on every call is started for ever. */
const STEADY_MS = 10_000;

export function createSlot(): Slot {
  return { openedAt: 0, failedAt: 0, failures: 0 };
}

export function noteOpened(slot: Slot): void {
  slot.openedAt = performance.now();
}

export function noteFailed(slot: Slot): void {
  slot.failures += 1;
  slot.failedAt = performance.now();
}

/** An open connection broke. */
export function noteBroken(slot: Slot): void {
  if (performance.now() - slot.openedAt >= STEADY_MS) slot.failures = 0;
  else slot.failures += 1;
  slot.failedAt = performance.now();
}

/** Waits as long as the failures before make advisable. */
export async function untilMayTry(slot: Slot, signal: AbortSignal): Promise<void> {
  const backoff = BACKOFF_MS[Math.min(slot.failures, BACKOFF_MS.length - 1)] ?? 0;
  const waitMs = slot.failedAt + backoff - performance.now();
  if (slot.failures > 0 && waitMs > 0) await sleep(waitMs, undefined, { signal });
}
