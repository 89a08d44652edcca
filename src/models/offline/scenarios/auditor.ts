import type { Scenario, ScriptedReply } from '../scenario.ts';
import { HISTORY_COMMAND, readAudit, REPORT_PATH, SEARCHES, SOURCES_PATTERN, type Audit } from './audit.ts';
import { STEPS_COUNT, withPlan } from './audit-plan.ts';
import { checkStory, inShort, reportOf } from './audit-report.ts';
import { acknowledgement, callTo, counted, listed, offers } from './speech.ts';

/** Lines shown around a hit. */
const LINES_READ = 40;
const LINES_BEFORE = 10;
const HITS_SHOWN_MAX = 100;
const CHECK_SECONDS_MAX = 600;

/**
 * The demo: audits whatever repository it finds, with the real tools. Each stage speaks until its results are in
 * the conversation; the first that has something to say has the turn.
 */
export const auditor: Scenario = (seen) => {
  const audit = readAudit(seen);
  const said = stages.map(({ step, stage }) => ({ step, reply: stage(audit) }));
  const { step, reply } = said.find((one) => one.reply !== null) ?? { step: STEPS_COUNT, reply: null };
  const planned = withPlan(audit, step, reply ?? farewell(audit));
  return { ...planned, text: acknowledgement(seen) + (planned.text ?? '') };
};

type Stage = (audit: Audit) => ScriptedReply | null;

const look: Stage = ({ seen, root }) =>
  root !== null || !offers(seen, 'ls')
    ? null
    : {
        thinking: 'I know nothing of this repository yet. Its root tells what kind it is.',
        text: 'I begin with what lies in the root of the repository.',
        calls: [callTo(seen, 'ls', { path: '.' })],
      };

const remember: Stage = ({ seen, entries, history }) =>
  history !== null || !offers(seen, 'bash')
    ? null
    : {
        thinking: `I count ${entries.length} in the root. The history shows what people work on.`,
        text: 'Next, the latest commits.',
        calls: [callTo(seen, 'bash', { command: HISTORY_COMMAND, description: 'Read the latest commits' })],
      };

const find: Stage = ({ seen, commits, sources }) =>
  sources !== null || !offers(seen, 'glob')
    ? null
    : {
        thinking: `I saw ${counted(commits.length, 'commit')}. Now I need to know which files are sources.`,
        text: 'Now the source files.',
        calls: [callTo(seen, 'glob', { pattern: SOURCES_PATTERN })],
      };

const search: Stage = ({ seen, searches, files }) => {
  const open = searches.filter(({ ending }) => ending === null);
  if (open.length === 0 || !offers(seen, 'grep')) return null;
  return {
    thinking: `There are ${counted(files.length, 'source file')}. The searches do not depend on each other, so they can run side by side.`,
    text: `I search for ${counted(open.length, 'thing')} at the same time: ${listed(open.map(({ title }) => title.toLowerCase()))}.`,
    calls: open.map(({ pattern }) => callTo(seen, 'grep', { pattern, maxResults: HITS_SHOWN_MAX })),
  };
};

const read: Stage = ({ seen, places, searches, read: reading }) => {
  const open = places.filter(({ path }) => reading(path) === null);
  if (open.length === 0 || !offers(seen, 'read_file')) return null;
  const hits = searches.reduce((sum, { hits: found }) => sum + found.length, 0);
  return {
    thinking:
      hits > 0
        ? `${counted(hits, 'hit')}. A hit means little without the lines around it.`
        : 'No hits. I read what a newcomer would read first.',
    text: `I read ${listed(open.map(({ path, line }) => (line > 1 ? `${path} near line ${line}` : path)))}.`,
    calls: open.map(({ path, line }) =>
      callTo(seen, 'read_file', { path, offset: Math.max(1, line - LINES_BEFORE), limit: LINES_READ }),
    ),
  };
};

const learn: Stage = ({ seen, manifests, read: reading }) => {
  const open = manifests.filter((name) => reading(name) === null);
  if (open.length === 0 || !offers(seen, 'read_file')) return null;
  return {
    thinking: 'A repository usually says itself how it wants to be checked.',
    text: `To learn which checks this repository has, I read ${listed(open)}.`,
    calls: open.map((path) => callTo(seen, 'read_file', { path })),
  };
};

const runChecks: Stage = ({ seen, command, check }) =>
  command === null || check !== null || !offers(seen, 'bash')
    ? null
    : {
        thinking: `"${command}" runs code of the repository, which I may not do by myself. I ask for it; a person decides.`,
        text: `The repository checks itself with \`${command}\`. It runs code, so it needs leave from a person.`,
        calls: [
          callTo(seen, 'bash', {
            command,
            description: 'Run the checks of the repository',
            timeoutSeconds: CHECK_SECONDS_MAX,
          }),
        ],
      };

const write: Stage = (audit) =>
  audit.report !== null || !offers(audit.seen, 'write_file')
    ? null
    : {
        thinking: `${checkStory(audit)} What I know goes into the report.`,
        text: `${checkStory(audit)} I write the report to ${REPORT_PATH}.`,
        calls: [callTo(audit.seen, 'write_file', { path: REPORT_PATH, content: reportOf(audit) })],
      };

/** Each stage, and the step of the plan it belongs to. */
const stages: readonly { readonly step: number; readonly stage: Stage }[] = [
  { step: 0, stage: look },
  { step: 0, stage: remember },
  { step: 0, stage: find },
  { step: 1, stage: search },
  { step: 2, stage: read },
  { step: 3, stage: learn },
  { step: 3, stage: runChecks },
  { step: 4, stage: write },
];

function farewell(audit: Audit): ScriptedReply {
  return {
    thinking: 'Everything is done that this plan holds.',
    text: [
      'This is the offline model: I follow a fixed plan, but every number here comes from the real tools.',
      `${inShort(audit)} ${checkStory(audit)}`,
      reportStory(audit),
      `I searched for ${counted(SEARCHES.length, 'pattern')} and judged nothing; a real model would. Set ANTHROPIC_API_KEY to use one.`,
    ].join('\n\n'),
  };
}

function reportStory({ report }: Audit): string {
  if (report === null) return 'There is no report, because I have no tool to write files with.';
  if (report.kind === 'ok') return `The report is in ${REPORT_PATH}.`;
  return `The report could not be written: ${report.kind === 'error' ? `${report.word}: ${report.reason}` : report.output}`;
}
