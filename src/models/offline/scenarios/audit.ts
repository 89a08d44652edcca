import type { Conversation, SeenResult } from '../conversation.ts';
import { checkCommand, MANIFESTS } from './repository-checks.ts';
import { argumentOf, heard } from './speech.ts';
import { endingOf, entriesOf, hitsOf, isPartial, linesOf, type Ending, type Hit } from './tool-output.ts';

/** What the auditor looks for, most serious first. */
export const SEARCHES = [
  { title: 'Code that runs text as code', pattern: 'eval\\(' },
  { title: 'Output left from debugging', pattern: 'console\\.log' },
  { title: 'Notes left in the code', pattern: 'TODO|FIXME|XXX' },
] as const;

export const HISTORY_COMMAND = 'git log --oneline -n 20';
export const SOURCES_PATTERN = '**/*.{ts,tsx,mts,js,jsx,mjs,py,go,rs,rb,java,kt,c,h,cc,cpp,cs,php,swift,sh}';
export const REPORT_PATH = 'reports/audit.md';

const FILES_READ_MAX = 3;

export interface Search {
  readonly title: string;
  readonly pattern: string;
  /** Null until it has been searched for. */
  readonly ending: Ending | null;
  readonly hits: readonly Hit[];
  /** True when there are more hits than were shown. */
  readonly partial: boolean;
}

/** A file to look at, and the line that matters in it. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** All that the conversation shows about the audit. It is read anew in every turn and stored nowhere. */
export interface Audit {
  readonly seen: Conversation;
  readonly root: Ending | null;
  readonly entries: readonly string[];
  readonly history: Ending | null;
  readonly commits: readonly string[];
  readonly sources: Ending | null;
  readonly files: readonly string[];
  readonly searches: readonly Search[];
  readonly places: readonly Place[];
  /** Manifests that the root holds. */
  readonly manifests: readonly string[];
  readonly command: string | null;
  readonly check: Ending | null;
  readonly report: Ending | null;
  readonly heard: readonly string[];
  /** Ending of the reading of a file, or null while it has not been read. */
  readonly read: (path: string) => Ending | null;
}

export function readAudit(seen: Conversation): Audit {
  const root = resultOf(seen, 'ls');
  const history = resultOf(seen, 'bash', ({ command }) => command === HISTORY_COMMAND);
  const sources = resultOf(seen, 'glob');
  const entries = okText(root) === '' ? [] : entriesOf(okText(root));
  const files = linesOf(okText(sources)).filter(isOurs);
  const searches = SEARCHES.map((search) => readSearch(seen, search));
  const manifests = MANIFESTS.filter((name) => entries.includes(name));
  const read = (path: string): Ending | null => resultOf(seen, 'read_file', (call) => call.path === path);
  const command = checkCommand(new Map(manifests.map((name) => [name, okText(read(name))])));
  return {
    seen,
    root,
    entries,
    history,
    commits: linesOf(okText(history)),
    sources,
    files,
    searches,
    places: placesOf({ searches, entries, files }),
    manifests,
    command,
    check: command === null ? null : resultOf(seen, 'bash', (call) => call.command === command),
    report: resultOf(seen, 'write_file', ({ path }) => path === REPORT_PATH),
    heard: heard(seen.words),
    read,
  };
}

interface CallWords {
  readonly command: string;
  readonly path: string;
  readonly pattern: string;
}

function resultOf(seen: Conversation, tool: string, fits: (call: CallWords) => boolean = () => true): Ending | null {
  const found = seen.results.find((result) => result.tool === tool && fits(wordsOf(result)));
  return found === undefined ? null : endingOf(found);
}

function wordsOf(result: SeenResult): CallWords {
  return {
    command: argumentOf(result, 'command'),
    path: argumentOf(result, 'path'),
    pattern: argumentOf(result, 'pattern'),
  };
}

function readSearch(seen: Conversation, { title, pattern }: (typeof SEARCHES)[number]): Search {
  const ending = resultOf(seen, 'grep', (call) => call.pattern === pattern);
  const text = okText(ending);
  return { title, pattern, ending, hits: hitsOf(text).filter(({ path }) => isOurs(path)), partial: isPartial(text) };
}

/** An earlier report quotes what it found, and must not be found itself. */
function isOurs(path: string): boolean {
  return !path.startsWith('reports/');
}

function okText(ending: Ending | null): string {
  return ending?.kind === 'ok' ? ending.output : '';
}

/** Where to look closer: at the first hit in each of a few files, else at what a newcomer would read first. */
function placesOf({ searches, entries, files }: Pick<Audit, 'searches' | 'entries' | 'files'>): readonly Place[] {
  const hits = new Map<string, number>();
  for (const { path, line } of searches.flatMap((search) => search.hits)) {
    // Manifests are read whole by a later stage.
    if (!hits.has(path) && !MANIFESTS.some((name) => name === path)) hits.set(path, line);
  }
  if (hits.size > 0) return [...hits].slice(0, FILES_READ_MAX).map(([path, line]) => ({ path, line }));
  const readme = entries.filter((name) => /^readme(\.|$)/i.test(name)).slice(0, 1);
  return (readme.length > 0 ? readme : files.slice(0, FILES_READ_MAX)).map((path) => ({ path, line: 1 }));
}
