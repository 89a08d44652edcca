import type { Policy } from '../contract/spec.ts';
import type { Effect } from '../contract/tool-calls.ts';

/** What the policy says about one call, with the rule that said it, for people. */
export interface PolicyDecision {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** The rule that allowed it, where the tool must check again on what it really touches. */
  readonly grant?: string;
}

/** What a policy looks at. */
export interface JudgedCall {
  readonly tool: string;
  readonly effect: Effect;
  readonly input: unknown;
}

interface ParsedRule {
  readonly tool: string;
  readonly specifier: string | null;
}

/** Commands with any of these may run more than their first word says, so no prefix rule can allow them. */
const SHELL_SYNTAX = /[;&|<>`$(){}\n\r\\!*?[\]~#'"]/u;

/**
 * Decides about one call. Deny beats ask beats allow; without a rule, reads are allowed and all else is asked.
 * Paths are compared as written here and again by the tool as resolved.
 */
export function decidePolicy(policy: Policy, call: JudgedCall): PolicyDecision {
  const { tool, effect } = call;
  const denied = policy.deny.find((rule) => matches(rule, call, 'widely'));
  if (denied !== undefined) return { decision: 'deny', reason: `rule "deny: ${denied}"` };
  const asked = policy.ask.find((rule) => matches(rule, call, 'widely'));
  if (asked !== undefined) return { decision: 'ask', reason: `rule "ask: ${asked}"` };
  const allowed = policy.allow.find((rule) => matches(rule, call, 'strictly'));
  if (allowed !== undefined) return { decision: 'allow', reason: `rule "allow: ${allowed}"`, grant: allowed };
  if (effect === 'read') return { decision: 'allow', reason: 'reads are allowed by default' };
  return { decision: 'ask', reason: `no rule allows ${tool}, and what is not a read is asked by default` };
}

/** Whether a grant such as `write_file(reports/**)` covers a workspace-relative path. */
export function grantCovers(grant: string | undefined, path: string): boolean {
  const specifier = grant === undefined ? null : parseRule(grant).specifier;
  return specifier === null || pathMatches(specifier, path);
}

function parseRule(rule: string): ParsedRule {
  const open = rule.indexOf('(');
  if (open < 0 || !rule.endsWith(')')) return { tool: rule, specifier: null };
  return { tool: rule.slice(0, open), specifier: rule.slice(open + 1, -1) };
}

/** A rule that restricts matches widely (when in doubt it applies), one that allows matches strictly. */
function matches(rule: string, call: { tool: string; input: unknown }, how: 'widely' | 'strictly'): boolean {
  const { tool, specifier } = parseRule(rule);
  if (!wildcardMatches(tool, call.tool)) return false;
  if (specifier === null || specifier === '*') return true;
  const { command, path } = (call.input ?? {}) as { command?: unknown; path?: unknown };
  if (typeof command === 'string') return commandMatches(specifier, command, how);
  if (typeof path === 'string') return pathMatches(specifier, path);
  // A rule about arguments that this tool does not have can restrict, but never allow.
  return how === 'widely';
}

function commandMatches(specifier: string, command: string, how: 'widely' | 'strictly'): boolean {
  const text = command.trim();
  if (how === 'strictly') return !SHELL_SYNTAX.test(text) && wildcardMatches(specifier, text);
  return (
    text.split(/[;&|\n(){}`]+/u).some((part) => wildcardMatches(specifier, part.trim())) ||
    wildcardMatches(`*${specifier}`, text)
  );
}

/** `*` stands for any characters. A pattern that ends with ` *` also matches without the arguments. */
function wildcardMatches(pattern: string, text: string): boolean {
  const source = pattern.split('*').map(escapeRegExp).join('.*');
  if (new RegExp(`^${source}$`, 'su').test(text)) return true;
  return pattern.endsWith(' *') && wildcardMatches(pattern.slice(0, -2), text);
}

/** Gitignore-like globs over a workspace-relative path: `**` crosses folders, `*` and `?` do not. */
function pathMatches(pattern: string, path: string): boolean {
  const clean = normalise(path);
  if (clean === null) return false;
  const source = normalisePattern(pattern)
    .split(/(\*\*\/|\*\*|\*|\?)/u)
    .map((part) => GLOB_PARTS.get(part) ?? escapeRegExp(part))
    .join('');
  return new RegExp(`^${source}$`, 'u').test(clean);
}

const GLOB_PARTS: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:.*/)?'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);

function normalisePattern(pattern: string): string {
  return pattern.replace(/^\.?\//u, '');
}

/** The path without `.` and `..`, or null when it leaves the workspace or is absolute. */
function normalise(path: string): string | null {
  if (path.startsWith('/') || path.includes('\0') || /^[a-zA-Z]:[\\/]/u.test(path)) return null;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

/** With the flag `u` only these may be escaped; an escaped hyphen is a syntax error. */
function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&');
}
