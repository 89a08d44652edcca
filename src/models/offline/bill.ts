import type { BilledTokens, ModelLedger } from './ledger.ts';
import { tokensOf } from './prompt-cache.ts';
import { outputTokens, type SpokenReply } from './reply.ts';
import type { StreamEvent } from './stream.ts';

/** What one reply is billed at, as it goes out. */
export interface Bill {
  readonly sent: (event: StreamEvent) => void;
  readonly whole: () => void;
}

/**
 * Bills as the real API does: the whole prompt once the answer begins, and of the output what was made until the stream
 * ended, for whatever reason. A piece that was sent is billed by its characters until the end of the reply is counted.
 */
export function openBill(model: ModelLedger, reply: SpokenReply): Bill {
  let characters = 0;
  let output = 0;
  const billOutput = (tokens: number): void => {
    model.billed = { ...model.billed, output: model.billed.output + tokens - output };
    output = tokens;
  };
  const begin = (): void => {
    model.billed = withPrompt(model.billed, reply);
    billOutput(1);
  };
  return {
    sent({ data }) {
      characters += charactersOf(data);
      if (data['type'] === 'message_start') begin();
      else if (data['type'] === 'message_delta') billOutput(outputTokens(reply));
      else if (data['type'] === 'content_block_delta') billOutput(Math.max(1, tokensOf(characters)));
    },
    whole() {
      begin();
      billOutput(outputTokens(reply));
    },
  };
}

function withPrompt(billed: BilledTokens, { prompt }: SpokenReply): BilledTokens {
  return {
    ...billed,
    input: billed.input + prompt.input,
    cacheRead: billed.cacheRead + prompt.cacheRead,
    cacheWrite: billed.cacheWrite + prompt.cacheWrite,
  };
}

/** Signatures and the names of kinds are no output. */
function charactersOf({ type, delta }: StreamEvent['data']): number {
  if (type !== 'content_block_delta') return 0;
  const { text, thinking, partial_json } = delta as Readonly<Record<string, string | undefined>>;
  return (text ?? thinking ?? partial_json ?? '').length;
}
