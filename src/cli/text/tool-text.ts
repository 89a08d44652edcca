import type { ToolOrigin } from '../../contract/spec.ts';

/** Where a tool comes from, in a few words. */
export function originText(origin: ToolOrigin | undefined): string {
  switch (origin?.kind) {
    case undefined:
      return 'built in';
    case 'mcp':
      return `MCP server ${origin.server}`;
    case 'command':
      return origin.source;
    case 'api':
      return 'the model API';
  }
}

/** The first sentence of a description. */
export function sentenceOf(description: string): string {
  const text = description.trim().replaceAll(/\s+/gu, ' ');
  return /^.*?[.!?](?=\s|$)/u.exec(text)?.[0] ?? text;
}

/** A word as a person would write it in a shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./${}-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
