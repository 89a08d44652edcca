import type { RunEvent } from '../../contract/events.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { OnApproval, OutputFormat } from '../running/run-flags.ts';
import type { ServerAccess } from '../server-access.ts';
import { createEventLines } from '../text/event-lines.ts';
import { visible } from '../text/visible.ts';
import { createAttendant } from './attend.ts';
import { followRun, type Listener } from './follow.ts';
import { listenForInterruptions } from './interruptions.ts';
import { createOutput, type Output, type RunIntroduction } from './output.ts';
import { exitCodeOf } from './run-end.ts';
import { summaryText } from './summary.ts';

/** The flags that `run` and `runs tail` share. */
export interface FollowFlags {
  readonly outputFormat: OutputFormat;
  readonly print?: true;
  readonly quiet?: true;
  readonly timeout?: number;
  readonly onApproval?: OnApproval;
  readonly allowDenied?: true;
}

export interface Showing {
  readonly server: ServerAccess;
  readonly introduction: RunIntroduction;
  readonly flags: FollowFlags;
}

/** Follows a run for a person or a script: progress on stderr, the answer on stdout, and what came of it as exit code. */
export async function showRun(context: Context, { server, introduction, flags }: Showing): Promise<ExitCode> {
  const { terminal, settings } = context;
  const { client } = server;
  const { runId } = introduction;
  const quiet = flags.quiet === true || flags.print === true;
  const mode = flags.onApproval ?? (terminal.canAsk ? 'prompt' : 'exit');
  const attendant = createAttendant({
    mode: askable(mode, terminal.canAsk),
    client,
    runId,
    terminal,
    user: settings.user,
  });
  const output = createOutput(flags.outputFormat, introduction, terminal);
  const interruptions = listenForInterruptions({ client, runId, terminal, timeoutMs: flags.timeout });
  output.begin();
  try {
    const live = !quiet && process.stderr.isTTY;
    const listener = createListener(context, { output, quiet, decided: attendant.decided });
    const end = await followRun(client, runId, {
      listener,
      attend: attendant.attend,
      live,
      interrupted: interruptions.interrupted,
    });
    if (!quiet || end.kind === 'waiting')
      for (const line of summaryText(introduction, end, terminal.colors)) terminal.say(line);
    if (!quiet && flags.outputFormat === 'text') terminal.say('');
    output.end(end);
    return exitCodeOf(end, { allowDenied: flags.allowDenied === true });
  } finally {
    interruptions.close();
  }
}

/** Nobody can be asked without a terminal, and a run never waits for somebody who is not there. */
function askable(mode: OnApproval, canAsk: boolean): OnApproval {
  return mode === 'prompt' && !canAsk ? 'exit' : mode;
}

interface Listening {
  readonly output: Output;
  readonly quiet: boolean;
  readonly decided: (approvalId: string) => void;
}

function createListener({ terminal }: Context, { output, quiet, decided }: Listening): Listener {
  const lines = createEventLines(terminal.colors);
  const { dim } = terminal.colors;
  return {
    event(event: RunEvent) {
      output.event(event);
      if (event.type === 'approval.decided') decided(event.id);
      if (quiet) return;
      for (const line of lines.of(event)) terminal.say(line);
    },
    live({ tail }) {
      const words = visible(tail.slice(-200).replaceAll(/\s+/gu, ' '));
      const room = Math.max(20, (process.stderr.columns ?? 80) - 14);
      terminal.flash(dim(`          … ${[...words].slice(-room).join('')}`));
    },
    note: (text) => terminal.say(dim(`          ${visible(text)}`)),
  };
}
