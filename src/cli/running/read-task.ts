import { TASK_BYTES_MAX } from '../../contract/limits.ts';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-codes.ts';
import { readStdin } from '../read-stdin.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * The task from the command line, or from stdin. Stdin is read only when it is asked for, or when there is no task
 * and stdin is no terminal: a command that inherited somebody's open stdin must not hang on it.
 */
export async function readTask(task: string | undefined, { stdin }: Pick<RunFlags, 'stdin'>): Promise<string> {
  const wanted = stdin === true || task === '-';
  if (wanted && task !== undefined && task !== '-')
    throw new CommandFailure(EXIT.usage, 'Cannot read the task: it is given twice, as an argument and by --stdin');
  if (task !== undefined && !wanted) return task;
  if (!wanted && process.stdin.isTTY)
    throw new CommandFailure(
      EXIT.usage,
      'Cannot start a run: there is no task; give it as an argument, or "-" to read it from stdin',
    );
  const text = await readStdin(
    TASK_BYTES_MAX,
    `Cannot start a run: the task from stdin has more than ${TASK_BYTES_MAX} bytes; put it into a file`,
  );
  if (text.trim() === '')
    throw new CommandFailure(EXIT.usage, 'Cannot start a run: there is no task, and stdin is empty');
  return text;
}
