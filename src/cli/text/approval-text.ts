import type { Approval } from '../../contract/approvals.ts';
import type { Colors } from '../terminal.ts';
import { relativeText, timeText } from './times.ts';
import { safeJson, shortLine, visible, visibleLines } from './visible.ts';

/**
 * Everything a person needs to decide, in full and with nothing cut: what, what happens if nobody answers, the exact
 * arguments, their digest, and why the policy asked.
 */
export function approvalText(
  approval: Approval,
  { colors, now }: { readonly colors: Colors; readonly now: number },
): readonly string[] {
  const { id, kind, title, reason, digest, options } = approval;
  return [
    colors.bold(visible(title)),
    `  ${colors.dim('Question')}     ${id}, ${ASKED[kind]}`,
    `  ${colors.dim('If nobody')}    ${fateText(approval, now)}`,
    `  ${colors.dim('Why')}          ${visible(reason)}`,
    ...(approval.about === undefined
      ? callLines(approval, colors)
      : [`  ${colors.dim('About')}        the run itself: ${approval.about}`]),
    ...(approval.preview === undefined ? [] : previewLines(approval.preview, colors)),
    `  ${colors.dim('Digest')}       ${digest}${BOUND[kind]}`,
    ...options.map((option) => `  ${colors.dim('Option')}       ${option.id}: ${visible(option.label)}`),
    ...decisionLines(approval, colors),
  ];
}

function callLines({ tool, arguments: given }: Approval, colors: Colors): readonly string[] {
  return [
    `  ${colors.dim('Tool')}         ${visible(tool)}`,
    ...argumentLines(given).map((line, index) => `  ${index === 0 ? colors.dim('Arguments') : '         '}    ${line}`),
  ];
}

/** What a tool says will happen; line by line, so that a diff or a script reads as one. */
export function previewLines(preview: string, colors: Colors): readonly string[] {
  const lines = visibleLines(preview);
  const firstHunk = lines.findIndex((line) => HUNK.test(line));
  const painted = lines.map((line, index) =>
    firstHunk >= 0 && index >= firstHunk ? paintedChange(line, colors) : line,
  );
  return [`  ${colors.dim('Preview')}`, ...painted.map((line) => `    | ${line}`)];
}

/** Where the changes of a unified diff begin; no other preview is painted. */
const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u;

function paintedChange(line: string, colors: Colors): string {
  if (HUNK.test(line)) return colors.cyan(line);
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}

const ASKED = {
  approve: 'leave for one exact call',
  choose: 'a choice',
  answer: 'an answer in words',
  outcome: 'what became of a call',
} as const;

/** What an answer is bound to; words and choices start nothing by themselves. */
const BOUND = {
  approve: ' (what you approve is what will run)',
  choose: '',
  answer: '',
  outcome: ' (what a repeat would run)',
} as const;

/** What happens when nobody answers, and when. */
export function fateText({ kind, status, deadline, onTimeout, fallback }: Approval, now: number): string {
  if (status !== 'open') return `it is ${status}`;
  if (fallback !== undefined)
    return `"${fallback}" is chosen, at ${timeText(deadline)} (${relativeText(deadline, now)})`;
  const goesOn =
    kind === 'outcome'
      ? 'its outcome stays unknown and the run goes on'
      : 'the call is denied as expired and the run goes on';
  const then = onTimeout === 'deny' ? goesOn : 'the run stops';
  return `${then}, at ${timeText(deadline)} (${relativeText(deadline, now)})`;
}

/** Strings keep their line breaks, so that a script or a file reads as what it is. */
function argumentLines(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return visibleLines(safeJson(value, 2));
  return Object.entries(value).flatMap(([key, entry]) => {
    const name = visible(key);
    if (typeof entry !== 'string')
      return visibleLines(safeJson(entry, 2)).map((line, index) => (index === 0 ? `${name}: ${line}` : `  ${line}`));
    const lines = visibleLines(entry);
    return lines.length === 1 ? [`${name}: ${lines[0] ?? ''}`] : [`${name}:`, ...lines.map((line) => `  | ${line}`)];
  });
}

function decisionLines({ status, answer }: Approval, colors: Colors): readonly string[] {
  if (answer === undefined) return [];
  const words = [answer.choice, answer.text, answer.note].filter((part) => part !== undefined);
  const said = words.length === 0 ? '' : `: ${words.map((part) => shortLine(part, 400)).join(' · ')}`;
  return [`  ${colors.dim('Decided')}      ${status} by ${visible(answer.by)} at ${timeText(answer.at)}${said}`];
}

/** The commands that answer from another terminal. */
export function answerCommands({ id, kind, options, about }: Approval): readonly string[] {
  if (kind === 'approve') return [`nightshift approvals approve ${id}`, `nightshift approvals deny ${id} --note "why"`];
  if (kind === 'answer') return [`nightshift approvals answer ${id} "your words"`];
  if (kind === 'outcome')
    return [
      `nightshift approvals answer ${id} --choice happened "what it returned"`,
      `nightshift approvals answer ${id} --choice repeat|skip|stop`,
    ];
  const words = about === undefined ? '' : ' ["your words"]';
  return [`nightshift approvals answer ${id} --choice ${options.map((option) => option.id).join('|')}${words}`];
}
