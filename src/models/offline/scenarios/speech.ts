import type { Conversation, SeenResult } from '../conversation.ts';
import type { ScriptedCall } from '../scenario.ts';

/** What people said while the run was going on, as the runtime puts it: `<name> says: <words>`. */
export function heard(words: readonly string[]): readonly string[] {
  return words.flatMap((text) => text.split('\n\n').filter((part) => /^[^\n]{1,200}? says: /.test(part)));
}

/** What is said first when a person has just spoken, so that they see that they were heard. */
export function acknowledgement({ lastWords, turn }: Conversation): string {
  const said = turn === 0 ? [] : heard([lastWords]);
  if (said.length === 0) return '';
  return `I heard this: ${said.map((text) => `"${oneLine(text, 200)}"`).join(', ')}. I am the offline model and follow a fixed plan, so I can take note of it but not act on it. `;
}

export function offers({ tools }: Conversation, tool: string): boolean {
  return tools.some(({ name }) => name === tool);
}

/** A call with those of the wished arguments that the tool knows. */
export function callTo({ tools }: Conversation, name: string, wish: Readonly<Record<string, unknown>>): ScriptedCall {
  const properties = tools.find((tool) => tool.name === name)?.inputSchema['properties'];
  if (typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0)
    return { name, input: wish };
  return { name, input: Object.fromEntries(Object.entries(wish).filter(([key]) => Object.hasOwn(properties, key))) };
}

/** One argument of a call, as text; empty when it is not there. */
export function argumentOf({ input }: SeenResult, name: string): string {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, name)) return '';
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

export function oneLine(text: string, charactersMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  // A cut in the middle of a character would leave half of it, which the API refuses.
  return line.length <= charactersMax ? line : `${line.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** `1 hit`, `2 hits`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
