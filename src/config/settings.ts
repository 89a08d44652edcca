import { hostname, userInfo } from 'node:os';
import type { Environment } from './environment.ts';
import { findFolders, type Folders, userHome } from './folders.ts';
import { readTemporalTarget, type TemporalTarget } from './temporal-target.ts';

/** What the environment says, read once at the start of a process. */
export interface Settings {
  /** Null when no server is named: the local one is used. */
  readonly temporal: TemporalTarget | null;
  readonly anthropic: { readonly apiKey?: string; readonly baseURL?: string };
  /** `NIGHTSHIFT_MODEL`: stands above what agent files say. */
  readonly model: string | null;
  readonly taskQueue: string;
  /** Who starts runs and answers questions from this terminal. */
  readonly user: string;
  readonly folders: Folders;
  readonly home: string;
}

/** @throws {ConfigError} Temporal's own settings cannot be read */
export function readSettings(env: Environment): Settings {
  const apiKey = text(env['ANTHROPIC_API_KEY']);
  const baseURL = text(env['ANTHROPIC_BASE_URL']);
  return {
    temporal: readTemporalTarget(env),
    anthropic: { ...(apiKey === null ? {} : { apiKey }), ...(baseURL === null ? {} : { baseURL }) },
    model: text(env['NIGHTSHIFT_MODEL']),
    taskQueue: text(env['NIGHTSHIFT_TASK_QUEUE']) ?? `nightshift@${hostname()}`,
    user: text(env['NIGHTSHIFT_USER']) ?? systemUser(),
    folders: findFolders(env),
    home: userHome(env),
  };
}

/** A variable that is set to nothing counts as not set. */
function text(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value.trim();
}

/** In a container the user id may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
