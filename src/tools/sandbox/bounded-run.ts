import { runShell, type ShellCommand } from '../shell/shell.ts';
import { ToolError } from '../tool.ts';
import type { ConfinedEnd, Sandbox } from './sandbox.ts';

export interface Bounds {
  /** Real path of the workspace. */
  readonly root: string;
  /** A person allowed this very call to run without any. */
  readonly unconfined: boolean;
  /** How the refusal begins: `Cannot run the command`. */
  readonly attempt: string;
}

/**
 * How a command is run: in the sandbox, or without bounds when a person allowed that. What cannot be confined does not
 * run otherwise; this is the only place that decides so.
 */
export async function boundedRun(
  sandbox: Sandbox,
  { root, unconfined, attempt }: Bounds,
): Promise<(shell: ShellCommand) => Promise<ConfinedEnd>> {
  const problem = await sandbox.problem(root);
  if (problem === undefined) return sandbox.run;
  if (!unconfined) throw new ToolError('permission_denied', `${attempt}: it cannot be confined here: ${problem}`);
  return async (shell) => ({ end: await runShell(shell), putAway: [] });
}
