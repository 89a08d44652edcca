import { HISTORY_COMMAND, type Audit, type Search } from './audit.ts';
import { counted, listed, oneLine } from './speech.ts';
import type { Ending } from './tool-output.ts';

const HITS_LISTED_MAX = 50;
const COMMITS_LISTED_MAX = 20;
const OUTPUT_LINES_MAX = 20;
const TEXT_CHARACTERS_MAX = 160;

/** The report in Markdown. Every number and place in it is taken from what the tools returned. */
export function reportOf(audit: Audit): string {
  const parts = [
    '# Audit',
    'Written by the offline model of Nightshift. It follows a fixed plan and judges nothing; the numbers and places below are what the tools returned.',
    `Task: ${oneLine(audit.seen.task, 500)}`,
    `## In short\n\n${inShort(audit)} ${checkStory(audit)}`,
    `## History\n\n${historyOf(audit)}`,
    `## Findings\n\n${audit.searches.map(findingsOf).join('\n\n')}`,
    `## Read\n\n${readingOf(audit)}`,
    `## Checks\n\n${checksOf(audit)}`,
    ...(audit.heard.length === 0
      ? []
      : [`## Said during the run\n\n${audit.heard.map((text) => `- ${oneLine(text, 500)}`).join('\n')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function inShort({ commits, files, searches }: Audit): string {
  const hits = searches.map((search) => `${amount(search)} for ${code(search.pattern)}`);
  return `I saw ${counted(commits.length, 'commit')} and ${counted(files.length, 'source file')}, and found ${listed(hits)}.`;
}

function amount({ hits, partial, ending }: Search): string {
  if (ending === null || ending.kind !== 'ok') return 'nothing known';
  return `${partial ? 'at least ' : ''}${counted(hits.length, 'hit')}`;
}

/** One or two sentences about the checks: whether they ran, how they ended, and if they did not run, why. */
export function checkStory({ command, check, manifests }: Audit): string {
  if (command === null)
    return manifests.length === 0
      ? 'I found no checks of the repository.'
      : 'The manifests name no checks that I know.';
  if (check === null) return `The checks (${code(command)}) were not run, because I have no tool to run them with.`;
  if (check.kind === 'ok') return `The checks (${code(command)}) were allowed, were run and passed.`;
  if (check.kind === 'failed')
    return `The checks (${code(command)}) were allowed and run, and failed with exit code ${check.exitCode}.`;
  const why = NOT_RUN.get(check.word) ?? `came to no end that I know (${check.word})`;
  // What follows the first sentence of an expiry is advice to the model, not a reason; a person's words are all kept.
  const reason = check.word === 'expired' ? check.reason.replace(/\.\s.*$/su, '.') : check.reason;
  return `The checks (${code(command)}) ${why}: ${oneLine(reason, 400)}`;
}

const NOT_RUN: ReadonlyMap<string, string> = new Map([
  ['denied', 'were not run, because leave was denied'],
  ['expired', 'were not run, because nobody answered in time'],
  ['cancelled', 'were cancelled'],
  ['timeout', 'were stopped, because they took too long'],
  ['outcome_unknown', 'may or may not have run'],
]);

function historyOf({ history, commits }: Audit): string {
  if (history === null) return 'Not read: there was no tool for it.';
  if (history.kind !== 'ok') return `\`${HISTORY_COMMAND}\` did not succeed: ${oneLine(saidBy(history), 400)}`;
  const lines = commits.slice(0, COMMITS_LISTED_MAX).map((commit) => `- ${code(commit)}`);
  return [`${counted(commits.length, 'commit')} seen (the latest ones only):`, ...lines].join('\n');
}

function findingsOf(search: Search): string {
  const { title, pattern, hits, ending } = search;
  const head = `### ${title}: ${amount(search)}\n\nSearched for ${code(pattern)}.`;
  if (ending !== null && ending.kind !== 'ok')
    return `${head} The search did not succeed: ${oneLine(saidBy(ending), 400)}`;
  if (hits.length === 0) return head;
  const lines = hits
    .slice(0, HITS_LISTED_MAX)
    .map(({ path, line, text }) => `- ${code(`${path}:${line}`)} ${code(text)}`);
  const rest = hits.length - lines.length;
  return `${head}\n\n${[...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')}`;
}

function readingOf({ places, read }: Audit): string {
  const lines = places.map(({ path, line }) => {
    const ending = read(path);
    const where = `- ${code(path)}${line > 1 ? `, around line ${line}` : ''}`;
    if (ending === null) return `${where}: not read`;
    return ending.kind === 'ok'
      ? `${where}: ${counted(ending.output.split('\n').length, 'line')}`
      : `${where}: could not be read: ${oneLine(saidBy(ending), 200)}`;
  });
  return lines.length === 0 ? 'Nothing: there was no place to look at.' : lines.join('\n');
}

function checksOf(audit: Audit): string {
  const { check } = audit;
  if (check === null || check.kind === 'error' || check.output === '') return checkStory(audit);
  const shown = check.output.split('\n').slice(-OUTPUT_LINES_MAX);
  return `${checkStory(audit)} The last ${counted(shown.length, 'line')} of their output:\n\n${shown.map((line) => `    ${line}`).join('\n')}`;
}

function saidBy(ending: Ending): string {
  return ending.kind === 'error' ? `${ending.word}: ${ending.reason}` : ending.output;
}

/** Text of others as Markdown code; a backtick in it would end the code. */
function code(text: string): string {
  return `\`${oneLine(text, TEXT_CHARACTERS_MAX).replaceAll('`', "'")}\``;
}
