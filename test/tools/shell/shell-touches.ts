import { expect, test } from 'vitest';
import type { Touch } from '../../../src/contract/tool-calls.ts';
import { touchesOfShell } from '../../../src/tools/shell/shell-line.ts';

/** `ls` a command, `>x` a write, `<x` a read, `@x` a host, `?` something that cannot be told. */
function short(touch: Touch): string {
  switch (touch.kind) {
    case 'command':
      return touch.text;
    case 'path':
      return `${touch.access === 'write' ? '>' : '<'}${touch.path}`;
    case 'domain':
      return `@${touch.host}`;
    case 'opaque':
      return '?';
  }
}

const read = (line: string): string[] => [...new Set(touchesOfShell(line).map(short))].toSorted();

/** A row a line, with what it reaches for in any order. */
export function table(title: string, cases: readonly (readonly [line: string, ...touches: string[]])[]): void {
  test.each(cases.map(([line, ...touches]) => ({ line, touches })))(`${title}: $line`, ({ line, touches }) => {
    expect(read(line)).toEqual(touches.toSorted());
  });
}
