import type { ToolDefinition } from './spec.ts';

/** The control tool by which an agent asks a person by itself. The workflow answers it; no activity runs. */
export const ASK_HUMAN = 'ask_human';

export const askHumanDefinition: ToolDefinition = {
  name: ASK_HUMAN,
  description:
    'Ask a person a question and wait for the answer. Give `options` when they can choose among a few; leave them ' +
    'out when you need words. The person may take hours, may decline, or may not answer in time; you will be told which.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'What you need to know, with all that is needed to answer it.' },
      options: {
        type: 'array',
        minItems: 2,
        maxItems: 9,
        items: { type: 'string' },
        description: 'What the person can choose from, if it is a choice.',
      },
    },
    required: ['question'],
    additionalProperties: false,
  },
  effect: 'read',
  timeoutMs: 1,
  local: false,
};
