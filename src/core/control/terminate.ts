import { fitText } from '../sizes.ts';
import { fieldsOf } from '../fields.ts';

/** What an agent says when it ends its run by itself. */
export interface Termination {
  readonly status: 'success' | 'failure';
  readonly summary: string;
}

const SUMMARY_BYTES_MAX = 32_000;

/** Reads the input of `terminate`, which no worker validates; a text says what is wrong with it. */
export function readTermination(input: unknown): Termination | string {
  const { status, summary } = fieldsOf(input);
  if (status !== 'success' && status !== 'failure') return 'expected a "status" of success or failure';
  if (typeof summary !== 'string' || summary.trim() === '') return 'expected a "summary" that is not empty';
  return { status, summary: fitText(summary.trim(), SUMMARY_BYTES_MAX) };
}
