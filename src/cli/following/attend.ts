import type { Client } from '@temporalio/client';
import { answerApproval, type Sent } from '../../client.ts';
import type { Answer, Approval } from '../../contract/approvals.ts';
import type { OnApproval } from '../running/run-flags.ts';
import type { Terminal } from '../terminal.ts';
import { answerCommands, fateText } from '../text/approval-text.ts';
import { shortLine, visible } from '../text/visible.ts';
import { askPerson } from './ask-person.ts';
import type { Attend } from './follow.ts';
import type { WaitingView } from './run-end.ts';

export interface AttendOptions {
  readonly mode: OnApproval;
  readonly client: Client;
  readonly runId: string;
  readonly terminal: Terminal;
  readonly user: string;
}

export interface Attendant {
  readonly attend: Attend;
  /** Tells that a question was decided, by whomever; a prompt for it ends. */
  readonly decided: (approvalId: string) => void;
}

/** Deals with the questions of a run in the way the person at the command line chose. */
export function createAttendant(options: AttendOptions): Attendant {
  const { mode } = options;
  const announced = new Set<string>();
  const prompts = new Map<string, AbortController>();
  let asking: Promise<void> = Promise.resolve();
  return {
    decided: (approvalId) => prompts.get(approvalId)?.abort(),
    async attend(view) {
      if (isStuckForOperator(view)) return 'leave';
      const fresh = view.approvals.filter(({ id, status }) => status === 'open' && !announced.has(id));
      for (const approval of fresh) {
        announced.add(approval.id);
        if (mode === 'deny') await send(options, approval, { decision: 'deny', note: 'denied by --on-approval deny' });
        else if (mode !== 'prompt') announce(options.terminal, approval);
        else {
          const ended = new AbortController();
          prompts.set(approval.id, ended);
          asking = asking.then(async () => await prompt(options, approval, ended.signal)).catch(() => undefined);
        }
      }
      const waits = view.state === 'awaiting_human' || view.state === 'paused';
      return mode === 'exit' && waits ? 'leave' : 'go_on';
    },
  };
}

/** Parked for credentials, credit or an unreachable model: no answer of ours helps, so nobody waits for one here. */
function isStuckForOperator({ state, parked }: WaitingView): boolean {
  return state === 'paused' && parked != null;
}

function announce({ say, colors }: Terminal, approval: Approval): void {
  const lines = [
    `${colors.yellow('waits for a person:')} ${shortLine(approval.title, 200)}`,
    `  if nobody answers: ${fateText(approval, Date.now())}`,
    `  to answer, from another terminal:`,
    ...answerCommands(approval).map((command) => `    ${colors.bold(command)}`),
  ];
  for (const line of lines) say(`          ${line}`);
}

async function prompt(options: AttendOptions, approval: Approval, ended: AbortSignal): Promise<void> {
  const expiry = AbortSignal.timeout(Math.max(0, Math.min(approval.deadline - Date.now(), 2 ** 31 - 1)));
  const signal = AbortSignal.any([ended, expiry]);
  const answer = await askPerson(options.terminal, approval, signal);
  if (answer !== null) return await send(options, approval, answer);
  options.terminal.say(`${approval.id}: this question is no longer open here`);
}

async function send(
  { client, runId, terminal, user }: AttendOptions,
  approval: Approval,
  given: Omit<Answer, 'id' | 'by' | 'at'>,
): Promise<void> {
  const sent = await answerApproval(client, runId, { id: approval.id, by: user, digest: approval.digest, ...given });
  const words = unheard(sent);
  if (words !== null) terminal.say(`${approval.id}: ${words}`);
}

/** What is not told by the run's own events. */
function unheard(sent: Sent): string | null {
  switch (sent.kind) {
    case 'applied':
      return null;
    case 'recorded':
      return 'recorded; it will be judged by the time it was given, when a worker runs';
    case 'refused':
      return visible(sent.refusal.message);
    case 'gone':
      return visible(sent.message);
  }
}
