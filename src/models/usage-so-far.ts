import type { Usage } from '../contract/messages.ts';
import type { CallOptions, ModelRequest } from './model.ts';
import { usageOf, type AnyMessage } from './wire.ts';

/** Roughly what a token is worth in English text and code. */
const CHARACTERS_PER_TOKEN = 4;

/** As much of an event of a stream as is looked at; pieces of all kinds have one string that grows. */
export interface MeteredEvent {
  readonly type: string;
  readonly delta?: object;
}

export interface Meter {
  /** Takes one event, and the message as it is after it. */
  readonly see: (event: MeteredEvent, message: AnyMessage) => void;
  /** Undefined until the API has begun to answer. */
  readonly used: () => Usage | undefined;
}

/**
 * Follows what a reply has used, so that one that breaks off is known to have cost something. The API counts the prompt
 * when it begins and the output only at the end; until then the output is estimated from the characters that came. That
 * is too low for a model that thinks: what it thinks is billed whole, and only a summary of it comes.
 */
export function meterUsage(request: ModelRequest, onUsage: CallOptions['onUsage']): Meter {
  let usage: Usage | undefined;
  let characters = 0;
  let isCounted = false;
  const see: Meter['see'] = (event, message) => {
    characters += charactersOf(event);
    isCounted ||= event.type === 'message_delta';
    try {
      usage = usageOf(message, request, isCounted ? 0 : Math.ceil(characters / CHARACTERS_PER_TOKEN));
      onUsage?.(usage);
    } catch {
      // An odd count, or a watcher that fails, must not cost a model call that is already paid for.
    }
  };
  return { see, used: () => usage };
}

function charactersOf({ type, delta = {} }: MeteredEvent): number {
  if (type !== 'content_block_delta') return 0;
  return PIECES.reduce((sum, name) => sum + lengthOf((delta as Readonly<Record<string, unknown>>)[name]), 0);
}

/** Signatures are not here: they are no output of the model. */
const PIECES = ['text', 'thinking', 'partial_json', 'content'] as const;

function lengthOf(piece: unknown): number {
  return typeof piece === 'string' ? piece.length : 0;
}
