import type { ToolDefinition } from './spec.ts';
import type { Output } from './terms.ts';

/** The workflow answers its own tools at once, so this is only there because every tool has one. */
const CONTROL_TIMEOUT_MS = 1;

/** By which an agent asks a person by itself. */
export const ASK_HUMAN = 'ask_human';

const askHumanDefinition: ToolDefinition = {
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
  timeoutMs: CONTROL_TIMEOUT_MS,
  local: false,
};

/** By which an agent keeps its plan, where people can see it. */
export const TODO = 'todo';

export const TODOS_MAX = 12;

const todoDefinition: ToolDefinition = {
  name: TODO,
  description:
    'Keeps your plan, where people see it. Send the whole list each time; it replaces the last one. Use it for work of ' +
    'three steps and more. At most one item is in_progress; mark each as soon as its state changes, and one that cannot ' +
    'be done as blocked.',
  inputSchema: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: TODOS_MAX,
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', description: 'What is to be done, in one line.' },
            status: { type: 'string', enum: ['pending', 'in_progress', 'completed', 'blocked'] },
            activeForm: { type: 'string', description: 'What is being done meanwhile, such as "Writing the report".' },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['items'],
    additionalProperties: false,
  },
  effect: 'read',
  timeoutMs: CONTROL_TIMEOUT_MS,
  local: false,
};

/** By which an agent keeps in mind what must outlast a compaction. */
export const NOTES = 'notes';

const notesDefinition: ToolDefinition = {
  name: NOTES,
  description:
    'Keeps notes for yourself: facts, decisions, what was tried. They replace the earlier ones, and are shown to you again ' +
    'when older parts of the conversation had to make room. Use it in long work, and keep it short.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string', description: 'All you want to keep, at most about 8,000 characters.' } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'read',
  timeoutMs: CONTROL_TIMEOUT_MS,
  local: false,
};

/** By which an agent ends its run by itself. */
export const TERMINATE = 'terminate';

const terminateDefinition: ToolDefinition = {
  name: TERMINATE,
  description:
    'Ends your work at once. Use it when the task is done and nothing is left to say, or when it cannot be done: then say ' +
    'why. An ordinary answer without a tool call ends your work too.',
  inputSchema: {
    type: 'object',
    properties: {
      status: { type: 'string', enum: ['success', 'failure'] },
      summary: { type: 'string', description: 'Your final answer: what was done, or why it cannot be done.' },
    },
    required: ['status', 'summary'],
    additionalProperties: false,
  },
  effect: 'read',
  timeoutMs: CONTROL_TIMEOUT_MS,
  local: false,
};

/** By which an agent delivers a declared output. */
export const EMIT_VALUE = 'emit_value';

/** The tool for the declared outputs of a run; which they are stands in its description. */
export function emitValueDefinition(outputs: readonly Output[]): ToolDefinition {
  const lines = outputs.map(
    ({ name, description, schema }) =>
      `- ${name}${description === undefined ? '' : `: ${description}`}\n  schema: ${JSON.stringify(schema)}`,
  );
  return {
    name: EMIT_VALUE,
    description: `Delivers one of the outputs this task must have. A later value replaces an earlier one. The outputs:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: outputs.map(({ name }) => name) },
        value: { description: 'Must fit the schema of that output.' },
      },
      required: ['name', 'value'],
      additionalProperties: false,
    },
    effect: 'read',
    timeoutMs: CONTROL_TIMEOUT_MS,
    local: false,
  };
}

/** The tools that are the workflow's own: it answers them itself, and no activity runs. */
export const controlDefinitions: readonly ToolDefinition[] = [
  askHumanDefinition,
  todoDefinition,
  notesDefinition,
  terminateDefinition,
];

/** The names of all of them, and of the one that is made for a run. */
export const CONTROL_TOOLS: readonly string[] = [...controlDefinitions.map(({ name }) => name), EMIT_VALUE];

/** Finds tools whose definitions the model was not given; an ordinary tool, answered by the worker. */
export const TOOL_SEARCH = 'tool_search';

/** By which a tool is called that was found by search: the list of tools must never change under a conversation. */
export const USE_TOOL = 'use_tool';

export const useToolDefinition: ToolDefinition = {
  name: USE_TOOL,
  description: `Calls a tool that ${TOOL_SEARCH} found. \`input\` must fit the schema that the search gave.`,
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'The name of the tool, exactly as it was found.' },
      input: { type: 'object', description: 'What that tool takes.' },
    },
    required: ['tool', 'input'],
    additionalProperties: false,
  },
  effect: 'unsafe',
  timeoutMs: CONTROL_TIMEOUT_MS,
  local: false,
};
