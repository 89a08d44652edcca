import type { Answer, Approval } from '../../contract/approvals.ts';
import type { Terminal } from '../terminal.ts';
import { approvalText } from '../text/approval-text.ts';

export type GivenAnswer = Pick<Answer, 'decision' | 'note' | 'choice' | 'text'>;

/** Shows a question in full and asks for the answer. Null when `signal` fires or the input ends before. */
export async function askPerson(
  terminal: Terminal,
  approval: Approval,
  signal: AbortSignal,
): Promise<GivenAnswer | null> {
  terminal.say('');
  for (const line of approvalText(approval, { colors: terminal.colors, now: Date.now() })) terminal.say(line);
  switch (approval.kind) {
    case 'approve':
      return await askLeave(terminal, signal);
    case 'choose':
      return await (approval.about === undefined ? askChoice : askAboutRun)(terminal, approval, signal);
    case 'answer':
      return await askWords(terminal, signal);
    case 'outcome':
      return await askOutcome(terminal, approval, signal);
  }
}

async function askLeave(terminal: Terminal, signal: AbortSignal): Promise<GivenAnswer | null> {
  const typed = await terminal.ask('Approve this exact call? [y/N] ', signal);
  if (typed === null) return null;
  if (isYes(typed)) return { decision: 'approve' };
  const note = await terminal.ask('Denied. A note for the agent (Enter for none): ', signal);
  if (note === null) return null;
  return { decision: 'deny', ...(note === '' ? {} : { note }) };
}

async function askChoice(terminal: Terminal, { options }: Approval, signal: AbortSignal): Promise<GivenAnswer | null> {
  const ids = options.map(({ id }) => id);
  for (;;) {
    const typed = await terminal.ask(`Your choice (${ids.join(', ')}): `, signal);
    if (typed === null) return null;
    if (ids.includes(typed)) return { decision: 'answer', choice: typed };
    terminal.say(`There is no option "${typed}"`);
  }
}

async function askOutcome(terminal: Terminal, approval: Approval, signal: AbortSignal): Promise<GivenAnswer | null> {
  const given = await askChoice(terminal, approval, signal);
  if (given?.choice !== 'happened') return given;
  const text = await terminal.ask('What did it return? (Enter for nothing to add): ', signal);
  return text === null || text === '' ? given : { ...given, text };
}

/** What more may be said beside a choice about the run. */
const MORE: Readonly<Partial<Record<string, string>>> = {
  topup: 'Another amount, such as $5 or 200000 tokens (Enter for the one offered): ',
  redirect: 'What should it do instead? ',
  retry: 'Why? (Enter for the reason of the critique): ',
  replan: 'Why? (Enter for the reason of the critique): ',
};

async function askAboutRun(terminal: Terminal, approval: Approval, signal: AbortSignal): Promise<GivenAnswer | null> {
  const given = await askChoice(terminal, approval, signal);
  const more = MORE[given?.choice ?? ''];
  if (given === null || more === undefined) return given;
  const text = await terminal.ask(more, signal);
  if (text === null) return null;
  return text === '' ? given : { ...given, text };
}

async function askWords(terminal: Terminal, signal: AbortSignal): Promise<GivenAnswer | null> {
  for (;;) {
    const text = await terminal.ask('Your answer: ', signal);
    if (text === null) return null;
    if (text !== '') return { decision: 'answer', text };
  }
}

export function isYes(typed: string): boolean {
  return /^y(es)?$/iu.test(typed.trim());
}
