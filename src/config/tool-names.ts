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
]);

export type Named =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'problem'; readonly problem: string };

/** Our name of a tool, whichever of the two it was called by. */
export function toolName(written: string, known: readonly string[]): Named {
  const name = CLAUDE_NAMES.get(written) ?? written;
  if (known.includes(name)) return { kind: 'name', name };
  const rule = written.includes('(');
  const hint = rule
    ? '; a rule stands under x-nightshift.policy'
    : didYouMean(written, [...known, ...CLAUDE_NAMES.keys()]);
  return { kind: 'problem', problem: `there is no tool "${written}"${hint}` };
}

/** A rule in our names: `Bash(git log:*)` becomes `bash(git log *)`. */
export function normaliseRule(written: string, known: readonly string[]): Named {
  const match = /^([\w*-]+)(?:\((.+)\))?$/s.exec(written.trim());
  if (match === null) {
    return {
      kind: 'problem',
      problem: `"${written}" is not a rule; expected a tool, or a tool with a pattern such as "bash(git log *)"`,
    };
  }
  const [, tool = '', pattern] = match;
  const named = tool.includes('*') ? wildcardName(tool, known) : toolName(tool, known);
  if (named.kind === 'problem' || pattern === undefined) return named;
  return { kind: 'name', name: `${named.name}(${pattern.replace(/:\*$/, ' *')})` };
}

function wildcardName(pattern: string, known: readonly string[]): Named {
  const expression = new RegExp(`^${pattern.split('*').join('.*')}$`);
  if (known.some((name) => expression.test(name))) return { kind: 'name', name: pattern };
  return { kind: 'problem', problem: `no tool matches "${pattern}"` };
}
