import type { Conversation } from '../conversation.ts';
import type { Scenario, ScriptedReply } from '../scenario.ts';
import { acknowledgement, argumentOf, callTo, counted, listed, offers, oneLine } from './speech.ts';
import { endingOf, entriesOf, linesOf } from './tool-output.ts';

const ENTRIES_SHOWN_MAX = 20;
const FIRST_LINES = 40;

/**
 * Stands in for any agent that has no part of its own: it shows that the tools work, says what it saw, and says
 * plainly that it is no language model.
 */
export const general: Scenario = (seen) => {
  const reply = list(seen) ?? open(seen) ?? answer(seen);
  return { ...reply, text: acknowledgement(seen) + (reply.text ?? '') };
};

function list(seen: Conversation): ScriptedReply | null {
  const tool = ['ls', 'glob'].find((name) => offers(seen, name));
  if (tool === undefined || lister(seen) !== undefined) return null;
  return {
    thinking: 'I cannot do the task, but I can show that the tools work. First, what is here?',
    text: 'I am the offline model. I look at what is in the workspace.',
    calls: [callTo(seen, tool, tool === 'ls' ? { path: '.' } : { pattern: '*' })],
  };
}

function lister({ results }: Conversation): readonly string[] | undefined {
  const found = results.find(({ tool }) => tool === 'ls' || tool === 'glob');
  if (found === undefined) return undefined;
  const ending = endingOf(found);
  return ending.kind === 'ok' ? entriesOf(ending.output) : [];
}

function open(seen: Conversation): ScriptedReply | null {
  if (!offers(seen, 'read_file') || seen.results.some(({ tool }) => tool === 'read_file')) return null;
  const files = (lister(seen) ?? []).filter((name) => !name.endsWith('/'));
  const path = files.find((name) => /^readme(\.|$)/i.test(name)) ?? files.find((name) => !name.startsWith('.'));
  if (path === undefined) return null;
  return {
    thinking: `${path} is a fair first file to read.`,
    text: `I read ${path}.`,
    calls: [callTo(seen, 'read_file', { path, limit: FIRST_LINES })],
  };
}

function answer(seen: Conversation): ScriptedReply {
  return {
    thinking: 'That is all I can do.',
    text: [
      `I am the offline model, a script that stands in because no API key is configured. I did not work on the task "${oneLine(seen.task, 200)}".`,
      [sawEntries(seen), sawFile(seen)].filter((words) => words !== '').join(' '),
      'To have a real model do it, set ANTHROPIC_API_KEY and start the run again.',
    ]
      .filter((words) => words !== '')
      .join('\n\n'),
  };
}

function sawEntries(seen: Conversation): string {
  const entries = lister(seen);
  if (entries === undefined)
    return seen.tools.length === 0 ? 'I have no tools.' : `My tools are ${listed(seen.tools.map(({ name }) => name))}.`;
  if (entries.length === 0) return 'I could list nothing in the workspace.';
  const shown = entries.slice(0, ENTRIES_SHOWN_MAX);
  const rest = entries.length - shown.length;
  return `In the workspace I saw ${listed([...shown, ...(rest > 0 ? [`${rest} more`] : [])])}.`;
}

function sawFile({ results }: Conversation): string {
  const found = results.find(({ tool }) => tool === 'read_file');
  if (found === undefined) return '';
  const path = argumentOf(found, 'path');
  const ending = endingOf(found);
  if (ending.kind !== 'ok') return `I could not read ${path}: ${oneLine(found.text, 200)}.`;
  const lines = linesOf(ending.output);
  return `I read ${counted(lines.length, 'line')} of ${path}, which begins with "${oneLine(lines[0] ?? '', 120)}".`;
}
