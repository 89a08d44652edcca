import type * as z from 'zod';
import { didYouMean } from './suggest.ts';

export interface ProblemContext {
  /** What stands before each path, such as `x-nightshift`. */
  readonly at: string;
  readonly input: unknown;
  /** The keys known under a path, for suggestions. */
  readonly keysOf: (path: string) => readonly string[];
}

/** One line for each thing that is wrong: where, what was expected, what stands there. */
export function zodProblems(error: z.ZodError, context: ProblemContext): readonly string[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    const at = [context.at, ...path].filter((part) => part !== '').join('.');
    if (issue.code === 'unrecognized_keys') {
      const known = context.keysOf(path.join('.'));
      return issue.keys.map(
        (key) => `${at === '' ? key : `${at}.${key}`}: there is no such key${didYouMean(key, known)}`,
      );
    }
    return [`${at}: ${issue.message}, got ${shown(valueAt(context.input, path))}`];
  });
}

export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function valueAt(input: unknown, path: readonly string[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
