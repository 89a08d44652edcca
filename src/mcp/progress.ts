import type { Progress } from '@modelcontextprotocol/client';
import { oneLine } from '../tools/one-line.ts';

const LINE_CHARACTERS_MAX = 500;

/** A line for people who watch. */
export function progressLine({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return `${oneLine(message === undefined || message === '' ? count : `${count}: ${message}`, LINE_CHARACTERS_MAX)}\n`;
}
