import { isSecretMember, replaceAssignments, replaceCredentials } from './assignments.ts';
import { replacePrivateKeys, replaceTokens, type Replace } from './key-shapes.ts';
import { secretFinder } from './known-secrets.ts';

export { secretsOf } from './secrets-of.ts';

export interface Redacted {
  readonly text: string;
  /** How many secrets were taken out. */
  readonly count: number;
}

/**
 * Takes secrets out of what tools give, before it is stored and before the model reads it. A secret that is cut in two
 * is not known any more: output that comes in pieces is joined first (live output by `createLiveTail`), and what is too
 * long is cut between words.
 */
export interface Redactor {
  readonly text: (text: string) => string;
  /** Redacts all strings of a JSON value, and keeps its keys. The very same value when there is nothing to hide. */
  readonly value: (value: unknown) => unknown;
}

export interface CountingRedactor extends Redactor {
  readonly counted: (text: string) => Redacted;
}

/** Deeper values come from nobody who means well. */
const DEPTH_MAX = 500;

/** Knows these values and the shapes of common keys. */
export function createRedactor({ secrets }: { readonly secrets: readonly string[] }): CountingRedactor {
  const known = secretFinder(secrets);
  const counted = (text: string): Redacted => {
    let count = 0;
    const replace: Replace = (_found, kind) => {
      count += 1;
      return `[redacted: ${kind}]`;
    };
    return { text: redact(text, { known, replace }), count };
  };
  const text = (whole: string): string => counted(whole).text;
  return { text, counted, value: (value) => redactValue(value, { text, depth: 0 }) };
}

interface Means {
  readonly known: RegExp | undefined;
  readonly replace: Replace;
}

/** Most texts hold nothing that the slower expressions would look at twice. */
const HINTS = /:\/\/[^\s/]{0,400}@|bearer|authorization|passw|pwd|phrase|secret|token|key|credential|connection/i;

function redact(text: string, { known, replace }: Means): string {
  const unknown = known === undefined ? text : text.replaceAll(known, (found) => replace(found, 'known secret'));
  const shaped = replaceTokens(replacePrivateKeys(unknown, replace), replace);
  return HINTS.test(shaped) ? replaceAssignments(replaceCredentials(shaped, replace), replace) : shaped;
}

interface Descent {
  readonly text: (text: string) => string;
  readonly depth: number;
}

function redactValue(value: unknown, { text, depth }: Descent): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH_MAX) return '[redacted: nested too deep]';
  const inner = { text, depth: depth + 1 };
  if (Array.isArray(value)) {
    const members = value.map((member) => redactValue(member, inner));
    return members.some((member, index) => member !== value[index]) ? members : value;
  }
  const entries = Object.entries(value).map(([name, member]) => [name, redactMember(name, member, inner)] as const);
  const changed = entries.some(([name, member]) => member !== (value as Record<string, unknown>)[name]);
  return changed ? Object.fromEntries(entries) : value;
}

function redactMember(name: string, member: unknown, descent: Descent): unknown {
  const redacted = redactValue(member, descent);
  if (typeof member === 'string' && redacted === member && isSecretMember(name, member)) return '[redacted: value]';
  return redacted;
}
