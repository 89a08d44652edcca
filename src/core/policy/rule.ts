import type { Effect, Touch } from '../../contract/tool-calls.ts';
import { globsMeet, isOutside, matchesGlob, matchesPath } from './globs.ts';

/** A call as rules see it. */
export interface RuledCall {
  readonly tool: string;
  readonly effect: Effect;
  readonly input: unknown;
  readonly origin?: 'mcp' | 'command';
  /** Undefined when nothing is known of what the call reaches for. */
  readonly touches: readonly Touch[] | undefined;
}

/** Whether a rule that restricts is about a call; `maybe` when it cannot be told. */
export type Applies = 'yes' | 'maybe' | 'no';

interface Rule {
  readonly tool: string;
  readonly specifier: string | undefined;
}

/** Rules about files, whichever tool touches them. */
const CLASSES: ReadonlyMap<string, 'read' | 'write'> = new Map([
  ['Read', 'read'],
  ['Edit', 'write'],
  ['Write', 'write'],
]);

function parseRule(rule: string): Rule {
  const open = rule.indexOf('(');
  if (open < 0 || !rule.endsWith(')')) return { tool: rule, specifier: undefined };
  const specifier = rule.slice(open + 1, -1);
  return { tool: rule.slice(0, open), specifier: specifier === '*' ? undefined : specifier };
}

/** Whether an asking or denying rule applies. When in doubt it does. */
export function applies(written: string, call: RuledCall): Applies {
  const rule = parseRule(written);
  const access = CLASSES.get(rule.tool);
  if (access !== undefined) return classApplies(access, rule.specifier, call.touches ?? []);
  if (!namesTool(rule.tool, call.tool)) return 'no';
  return rule.specifier === undefined ? 'yes' : specifierApplies(rule.specifier, call);
}

function classApplies(access: 'read' | 'write', pattern: string | undefined, touches: readonly Touch[]): Applies {
  const answers = touches.map((touch): Applies => {
    if (touch.kind === 'opaque') return 'maybe';
    if (touch.kind === 'path')
      return touch.access === access && (pattern === undefined || matchesPath(pattern, touch.path, 'widely'))
        ? 'yes'
        : 'no';
    // A program opens the files it is given by itself; no more than their names can be seen.
    return touch.kind === 'command' && pattern !== undefined && namesFile(pattern, touch.text) ? 'maybe' : 'no';
  });
  return strongest(answers);
}

function namesFile(pattern: string, text: string): boolean {
  const words = text.replaceAll(/['"]/gu, '').split(/[\s=]+/u);
  return words.slice(1).some((word) => word !== '' && !word.startsWith('-') && matchesPath(pattern, word, 'widely'));
}

function specifierApplies(specifier: string, { tool, input, touches }: RuledCall): Applies {
  if (isAboutCommands(tool, touches))
    return strongest((touches ?? []).map((touch) => commandApplies(specifier, touch)));
  const domain = /^domain:(.*)$/su.exec(specifier)?.[1];
  if (domain !== undefined) return strongest((touches ?? []).map((touch) => domainApplies(domain, touch)));
  const parameter = parameterOf(specifier, input);
  if (parameter !== undefined) return parameter;
  if (touches?.some(({ kind }) => kind === 'path' || kind === 'opaque') === true)
    return strongest(touches.map((touch) => pathApplies(specifier, touch)));
  return 'yes';
}

function commandApplies(specifier: string, touch: Touch): Applies {
  if (touch.kind === 'opaque') return 'maybe';
  if (touch.kind !== 'command') return 'no';
  const spellings = spellingsOf(touch);
  if (spellings.some((spelling) => matchesCommand(specifier, spelling))) return 'yes';
  return spellings.some((spelling) => mayBecome(specifier, spelling)) ? 'maybe' : 'no';
}

/** The same command as somebody who forbids it may have thought of it: `/bin/rm` is `rm`. */
function spellingsOf({ text, bare }: { readonly text: string; readonly bare: string }): readonly string[] {
  const [program = ''] = bare.split(' ', 1);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const rest = bare.slice(program.length);
  const written = [text, bare, `${name}${rest}`, `${name.toLowerCase()}${rest}`].filter((spelling) => spelling !== '');
  return [...new Set(written.flatMap((spelling) => [spelling, spelling.replaceAll("'", '')]))];
}

/** A pattern that ends with ` *` also matches without the arguments. */
function matchesCommand(pattern: string, text: string): boolean {
  return matchesGlob(pattern, text) || (pattern.endsWith(' *') && matchesGlob(pattern.slice(0, -2), text));
}

/** Whether a command may come to match once the shell put values in: `git $x` may become `git push`. */
function mayBecome(pattern: string, text: string): boolean {
  if (!/[$`*?[{~]/u.test(text)) return false;
  const open = text.replaceAll(/(^|\s)([^\s$`*?[{~]*)[$`*?[{~]\S*/gu, (_, blank: string, start: string) =>
    start === '' ? '*' : `${blank}${start}*`,
  );
  return globsMeet(pattern, open) || (pattern.endsWith(' *') && globsMeet(pattern.slice(0, -2), open));
}

function domainApplies(pattern: string, touch: Touch): Applies {
  if (touch.kind === 'opaque') return 'maybe';
  return touch.kind === 'domain' && matchesGlob(plainHost(pattern), plainHost(touch.host)) ? 'yes' : 'no';
}

function pathApplies(pattern: string, touch: Touch): Applies {
  if (touch.kind === 'opaque') return 'maybe';
  return touch.kind === 'path' && matchesPath(pattern, touch.path, 'widely') ? 'yes' : 'no';
}

/** `Agent(model:opus*)` is about a parameter of the input; undefined when the input has none of that name. */
function parameterOf(specifier: string, input: unknown): Applies | undefined {
  const [, name = '', pattern = ''] = /^(\w[\w.]*):(.*)$/su.exec(specifier) ?? [];
  if (name === '') return undefined;
  const value = valueOf(input, name);
  if (value === undefined) return 'no';
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return 'maybe';
  return matchesGlob(pattern, String(value)) ? 'yes' : 'no';
}

function valueOf(input: unknown, name: string): unknown {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return undefined;
  return (input as Readonly<Record<string, unknown>>)[name];
}

function strongest(answers: readonly Applies[]): Applies {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('maybe') ? 'maybe' : 'no';
}

/** Whether an allowing rule is about the call as a whole: one of whose reach nothing is known, or that has none. */
export function coversCall(written: string, { tool, input }: RuledCall): boolean {
  const { tool: name, specifier } = parseRule(written);
  if (CLASSES.has(name) || !namesTool(name, tool)) return false;
  return specifier === undefined || (!specifier.startsWith('domain:') && parameterOf(specifier, input) === 'yes');
}

/** Whether an allowing rule is about one of the things a call reaches for. When in doubt it is not. */
export function coversTouch(written: string, call: RuledCall, touch: Touch): boolean {
  const { tool, specifier } = parseRule(written);
  const access = CLASSES.get(tool);
  if (access !== undefined) return isFile(touch, access) && coversFile(specifier, call, touch.path);
  if (!namesTool(tool, call.tool) || touch.kind === 'opaque') return false;
  if (specifier === undefined) return touch.kind !== 'path' || !isOutside(touch.path);
  if (touch.kind === 'command') return matchesCommand(specifier, touch.text);
  if (touch.kind === 'domain') return coversDomain(specifier, touch.host);
  return !isAboutCommands(call.tool, call.touches) && matchesPath(specifier, touch.path, 'strictly');
}

function isFile(touch: Touch, access: 'read' | 'write'): touch is Extract<Touch, { kind: 'path' }> {
  return touch.kind === 'path' && touch.access === access;
}

/** Other tools than ours may mean something else by a path. */
function coversFile(pattern: string | undefined, { origin }: RuledCall, path: string): boolean {
  if (origin !== undefined) return false;
  return pattern === undefined ? !isOutside(path) : matchesPath(pattern, path, 'strictly');
}

/** A star stands only for whole labels at the beginning, so that `example.*` is not `example.evil.org`. */
function coversDomain(specifier: string, host: string): boolean {
  const pattern = plainHost(/^domain:(.*)$/su.exec(specifier)?.[1] ?? '');
  const fixed = pattern.replace(/^\*\./u, '');
  if (pattern === '*') return true;
  return fixed !== '' && !fixed.includes('*') && matchesGlob(pattern, plainHost(host));
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/u, '');
}

function isAboutCommands(tool: string, touches: readonly Touch[] | undefined): boolean {
  return tool === 'bash' || touches?.some(({ kind }) => kind === 'command') === true;
}

/** `mcp__docs` stands for all tools of that server. */
function namesTool(pattern: string, tool: string): boolean {
  return matchesGlob(pattern, tool) || (pattern.startsWith('mcp__') && matchesGlob(`${pattern}__*`, tool));
}
