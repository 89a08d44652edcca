/** What models are asked beside a conversation, and the shape of their answers. Bounds of numbers are told in words, because structured output refuses them. */

type Schema = Readonly<Record<string, unknown>>;

const sure = { type: 'integer', description: 'How sure you are, from 0 to 100.' };

function answer(properties: Schema): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Of the answer to the critique's question. */
export const VERDICT_SCHEMA: Schema = answer({
  reason: {
    type: 'string',
    description: 'One or two sentences, written for the agent: what is wrong or missing, and where.',
  },
  action: { type: 'string', enum: ['continue', 'retry', 'replan', 'complete'] },
  confidence: sure,
});

/** For the agent that makes the plans of others. */
export const PLAN_QUESTION = [
  'Write the plan for the agent that does this task. You do not do it yourself, and you have no tools; the agent has those',
  'named above. If the account shows work that was already done, plan what is left, and do better what went wrong.',
  'A short numbered list: each step says what is to be done and how the agent will know that it is done. At most 12 steps.',
].join('\n');

export const COMPLETION_QUESTION = [
  'The agent has ended its work. Is the task done? Hold every part of it against the turns above.',
  'Done is what was found or changed there, not what the agent says of itself: a claim without a call or a result behind',
  'it is not done. What a person said later counts as part of the task, and what a person called off does not. A part that',
  'cannot be done is done when the agent tried, says so and says why.',
  'Answer with one JSON object and nothing else:',
  '{"reason": "one or two sentences", "complete": true or false, "confidence": 0 to 100}',
  'In "reason" name what is missing, as you would tell the agent; or what shows that it is done.',
].join('\n');

/** Of the answer to `COMPLETION_QUESTION`. */
export const COMPLETION_SCHEMA: Schema = answer({
  reason: { type: 'string', description: 'One or two sentences, written for the agent.' },
  complete: { type: 'boolean' },
  confidence: sure,
});

const KEPT_IN_SUMMARY = [
  'The summary takes the place of these turns: whoever goes on with the work knows of them only what you write. Keep',
  '- decisions, each with its reason, and what was ruled out;',
  '- facts that were found, each with its source: paths, names of functions, line numbers, commands, figures, exact errors;',
  '- what was changed, and the state in which each changed thing is now;',
  '- what was tried and failed, and why, so that nobody tries it again;',
  '- open ends: what was begun, what was promised, what waits for something.',
  'The task, the plan, notes, delivered outputs and the words of people are kept word for word beside it, so leave them out.',
  'Leave out as well how the work went, except where a detour taught something. Do not add, guess or judge: what is not in',
  'these turns is not in the summary. Where a later turn corrects an earlier one, only the later counts.',
  'Write plain text with short headings and lists, newest state first, at most about 1,500 words. Do not call tools.',
].join('\n');

/** For the model of the conversation, which has all of it before it. */
export const SUMMARY_INSTRUCTIONS = `Summarise this conversation so far. Do not go on with the work.\n${KEPT_IN_SUMMARY}`;

/** For a model that is shown an account of the turns. */
export const COMPACT_QUESTION = `Summarise the turns above. Do not go on with the work.\n${KEPT_IN_SUMMARY}`;
