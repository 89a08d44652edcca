import type { ToolDefinition } from './spec.ts';

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

/** By which an agent keeps its list of what is to be done, where people can see it. */
export const TODO = 'todo';

export const TODOS_MAX = 50;

const todoDefinition: ToolDefinition = {
  name: TODO,
  description:
    'Keeps your list of what is to be done, where people see it. Send the whole list each time; it replaces the last one. ' +
    'Use it for work of three steps and more, and mark each step as soon as its state changes.',
  inputSchema: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: TODOS_MAX,
        items: {
          type: 'object',
          properties: {
            text: { type: 'string', description: 'What is to be done, in one line.' },
            status: { type: 'string', enum: ['open', 'doing', 'done'] },
          },
          required: ['text', 'status'],
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

/** The tools that are the workflow's own: it answers them itself, and no activity runs. */
export const controlDefinitions: readonly ToolDefinition[] = [askHumanDefinition, todoDefinition];

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
