import { createRedactor, type Redactor } from '../tools/redaction/redaction.ts';

export interface LearningRedactor extends Redactor {
  /** Takes out this value, too, from now on. */
  readonly learn: (secret: string) => void;
}

/** A redactor that hears of further secrets while the worker works, such as the tokens of MCP servers. */
export function createLearningRedactor(known: readonly string[]): LearningRedactor {
  const secrets = new Set(known);
  let redactor = createRedactor({ secrets: known });
  return {
    text: (text) => redactor.text(text),
    value: (value) => redactor.value(value),
    learn(secret) {
      if (secrets.has(secret)) return;
      secrets.add(secret);
      redactor = createRedactor({ secrets: [...secrets] });
    },
  };
}
