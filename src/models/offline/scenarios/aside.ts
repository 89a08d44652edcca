import type { Conversation } from '../conversation.ts';
import type { Scenario } from '../scenario.ts';
import { oneLine } from './speech.ts';

type Fields = Readonly<Record<string, unknown>>;

const NO_JUDGE = 'The offline model stands in. It cannot judge, and goes by whether the last turn asked for a tool.';

/**
 * Answers what is asked beside a conversation: with a value that the wanted format allows, or, for a summary, with the
 * last that it was shown. It takes work for done when the newest turn asked for no tool, and nothing for a loop.
 */
export const aside: Scenario = (seen) => ({
  text: seen.format === null ? summaryOf(seen) : JSON.stringify(valueFor(seen.format, isDone(seen))),
});

const CHARACTERS_SHOWN = 2_000;

function summaryOf({ lastWords }: Conversation): string {
  const material = lastWords
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => oneLine(line.slice(2), 200));
  return `The offline model stands in, so this is only the end of what it was shown: ${material.join(' · ').slice(-CHARACTERS_SHOWN)}`;
}

function isDone({ lastWords }: Conversation): boolean {
  return lastWords.includes('(It asked for no tool in this turn.)');
}

function valueFor(schema: Fields, done: boolean): unknown {
  const { type, enum: choices, properties } = schema;
  if (Array.isArray(choices))
    return choices.find((choice) => choice === (done ? 'complete' : 'continue')) ?? choices[0];
  if (type === 'object') return objectFor((properties ?? {}) as Fields, done);
  if (type === 'boolean') return false;
  if (type === 'number' || type === 'integer') return 0;
  return type === 'array' ? [] : NO_JUDGE;
}

/** A judge that is sure of nothing would have a person asked; one that says a loop is certain would stop the run. */
function objectFor(properties: Fields, done: boolean): Fields {
  const isVerdict = 'action' in properties || 'complete' in properties;
  const entries = Object.entries(properties).map(([name, inner]) => {
    return [name, name === 'confidence' && isVerdict ? 75 : valueFor(inner as Fields, done)];
  });
  const value = Object.fromEntries(entries) as Fields;
  return 'complete' in value ? { ...value, complete: done } : value;
}
