import { access, constants, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SpecOverrides } from '../../config/terms.ts';
import { prepareRun as prepare, type PreparedRun } from '../../prepare/prepare-run.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { readTask } from './read-task.ts';
import type { RunFlags } from './run-flags.ts';

export interface RunWish {
  readonly agent: string;
  readonly task: string | undefined;
  readonly flags: RunFlags;
}

/**
 * Checks everything that can be wrong before anything is started, and freezes the run.
 *
 * @throws {ConfigError} agent file, task or a limit cannot be used
 * @throws {CommandFailure} the workspace or the task is missing
 */
export async function prepareRun(context: Context, { agent, task, flags }: RunWish): Promise<PreparedRun> {
  const { folder, settings, env, terminal } = context;
  const workspace = await findWorkspace(resolve(folder, flags.workspace ?? '.'));
  const quiet = flags.quiet === true || flags.print === true;
  return await prepare({
    agent,
    folder,
    workspace,
    task: await readTask(task, flags),
    overrides: overridesOf(flags),
    settings,
    env,
    signal: new AbortController().signal,
    ...(!quiet && { onProgress: (line: string) => terminal.say(terminal.colors.dim(line)) }),
  });
}

export async function findWorkspace(path: string): Promise<string> {
  const refuse = (why: string): never => {
    throw new CommandFailure(EXIT.usage, `Cannot use the workspace "${path}": ${why}`);
  };
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === 'ENOENT' ? 'there is no such folder' : String(error.code)),
  );
  if (!stats.isDirectory()) refuse('it is not a folder');
  await access(path, constants.R_OK | constants.X_OK).catch(() => refuse('it cannot be read'));
  return await realpath(path);
}

function overridesOf(flags: RunFlags): SpecOverrides {
  const { id, title, model, approvalTimeout, denyTools, mode } = flags;
  return {
    ...given({ runId: id, title, model }),
    limits: given({
      turns: flags.maxTurns,
      toolCalls: flags.maxToolCalls,
      tokens: flags.maxTokens,
      costUsd: flags.maxBudgetUsd,
      activeMs: flags.activeTime,
    }),
    approvals: given({ timeoutMs: approvalTimeout }),
    policy: given({ deny: denyTools }),
    ...given({ mode }),
  };
}

type Given<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}
