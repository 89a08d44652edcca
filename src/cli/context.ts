import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { readEnvironment, type Environment } from '../config/environment.ts';
import { readSettings, type Settings } from '../config/settings.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

/** What every command has at hand. */
export interface Context {
  readonly env: Environment;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** The folder in which the command was given. */
  readonly folder: string;
  readonly build: Build;
}

/** The code that runs, as other processes are started from it. */
export interface Build {
  /** The file that starts the command line. */
  readonly main: string;
  /** Changes with the code; `unstamped` when it was compiled by hand. */
  readonly stamp: string;
  readonly workflowBundle: string | null;
}

/** @throws {ConfigError} the settings cannot be read */
export function openContext(options: TerminalOptions): Context {
  const env = readEnvironment();
  return {
    env,
    settings: readSettings(env),
    terminal: openTerminal(options, env),
    folder: process.cwd(),
    build: findBuild(),
  };
}

function findBuild(): Build {
  const above = join(import.meta.dirname, '..');
  const bundle = join(above, 'workflow-bundle.js');
  return {
    main: join(import.meta.dirname, `main${extname(import.meta.filename)}`),
    stamp: readStamp(join(above, '.stamp')),
    workflowBundle: existsSync(bundle) ? bundle : null,
  };
}

function readStamp(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return 'unstamped';
  }
}
