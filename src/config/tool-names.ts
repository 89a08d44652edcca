import { didYouMean } from './suggest.ts';

/** Claude Code's names for what we have too, so that one agent file works in both. */
const CLAUDE_NAMES: ReadonlyMap<string, string> = new Map([
  ['Read', 'read_file'],
  ['Write', 'write_file'],
  ['Edit', 'edit_file'],
  ['Bash', 'bash'],
  ['Grep', 'grep'],
  ['Glob', 'glob'],
  ['LS', 'ls'],
  ['AskUserQuestion', 'ask_human'],
  ['WebFetch', 'web_fetch'],
  ['WebSearch', 'web_search'],
  ['TodoWrite', 'todo'],
]);

/** In rules these are no tools: they are about files, whichever tool reads or writes them. */
const FILE_RULES: ReadonlyMap<string, string> = new Map([
  ['Read', 'Read'],
  ['Edit', 'Edit'],
  ['Write', 'Edit'],
]);

/** Tools whose pattern is a path. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file', 'ls', 'glob', 'grep']);

/** Tools of servers are not known before these are asked. */
const SERVER_TOOL = /^mcp__[\w*-]+$/;

export type Named =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'problem'; readonly problem: string };

/** Our name of a tool, whichever of the two it was called by. */
export function toolName(written: string, known: readonly string[]): Named {
  const name = CLAUDE_NAMES.get(written) ?? written;
  if (known.includes(name) || SERVER_TOOL.test(name)) return { kind: 'name', name };
  const rule = written.includes('(');
  const hint = rule ? '; a rule stands under x-nightshift.policy' : hintAt(written, known);
  return { kind: 'problem', problem: `there is no tool "${written}"${hint}` };
}

/** A rule in our names: `Bash(git log:*)` becomes `bash(git log *)`. Rules about files keep theirs: `Edit(/src/**)`. */
export function normaliseRule(written: string, known: readonly string[]): Named {
  return namedRule(written, (tool) => toolName(tool, known), known);
}

/** The same where tools may come later: a name that is not near to any known one is taken as it is. */
export function normaliseOpenRule(written: string, known: readonly string[]): Named {
  const named = (tool: string): Named => {
    const found = toolName(tool, known);
    return found.kind === 'problem' && hintAt(tool, known) === '' ? { kind: 'name', name: tool } : found;
  };
  return namedRule(written, named, [...known, '']);
}

function namedRule(written: string, nameOf: (tool: string) => Named, known: readonly string[]): Named {
  const match = /^([\w*-]+)(?:\((.+)\))?$/s.exec(written.trim());
  if (match === null)
    return problem(`"${written}" is not a rule; expected a tool, or a tool with a pattern such as "bash(git log *)"`);
  const [, tool = '', pattern] = match;
  const files = FILE_RULES.get(tool);
  const named = files === undefined ? namedTool(tool, nameOf, known) : ({ kind: 'name', name: files } as const);
  if (named.kind === 'problem' || pattern === undefined) return named;
  const wrong = wrongIn(named.name, pattern);
  if (wrong !== undefined) return problem(`"${written}": ${wrong}`);
  return { kind: 'name', name: `${named.name}(${named.name === 'bash' ? plainCommand(pattern) : pattern})` };
}

function namedTool(tool: string, nameOf: (tool: string) => Named, known: readonly string[]): Named {
  if (!tool.includes('*') || SERVER_TOOL.test(tool)) return nameOf(tool);
  const expression = new RegExp(`^${tool.split('*').join('.*')}$`);
  // An empty name among the known ones stands for tools that come later.
  if (known.some((name) => name === '' || expression.test(name))) return { kind: 'name', name: tool };
  return problem(`no tool matches "${tool}"`);
}

/** Why a pattern could never match as it is meant. */
function wrongIn(tool: string, pattern: string): string | undefined {
  if (tool === 'web_fetch') return wrongHost(pattern);
  if (!FILE_TOOLS.has(tool) && !FILE_RULES.has(tool)) return undefined;
  if (pattern.startsWith('~')) return 'a home folder is written with two slashes, such as "//home/ada/notes/**"';
  return pattern.startsWith('!') ? 'a pattern says what it is about, not what it is not about' : undefined;
}

/** A star in another place would be about hosts of strangers: `example.*` is `example.evil.org`. */
function wrongHost(pattern: string): string | undefined {
  const [parameter = '', value = ''] = pattern.split(/:(.*)/s);
  if (parameter !== 'domain' && /^\w+$/.test(parameter) && !/^(?:\/\/|$)/.test(value)) return undefined;
  if (parameter === 'domain' && /^(?:\*|(?:\*\.)?[^*/:\s]+)$/.test(value)) return undefined;
  return 'expected a host such as "domain:example.com" or "domain:*.example.com"';
}

/** As the commands of a line are put before the policy: without quotes, but around blanks. */
function plainCommand(pattern: string): string {
  const words = pattern.replace(/:\*$/, ' *').split(/((?:^|(?<=\s))(?:"[^"'\\$`]*"|'[^"'\\$`]*')(?=\s|$))/);
  return words.map((word) => (/^(["']).*\1$/s.test(word) ? quotedWord(word.slice(1, -1)) : word)).join('');
}

function quotedWord(word: string): string {
  return word === '' || /\s/.test(word) ? `'${word}'` : word;
}

function hintAt(written: string, known: readonly string[]): string {
  const claude = [...CLAUDE_NAMES].filter(([, name]) => known.includes(name)).map(([name]) => name);
  return didYouMean(written, [...known.filter((name) => name !== ''), ...claude]);
}

function problem(text: string): Named {
  return { kind: 'problem', problem: text };
}
