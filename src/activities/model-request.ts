import type { CallModelInput } from '../contract/activities.ts';
import type { UserMessage } from '../contract/messages.ts';
import type { RunSpec } from '../contract/spec.ts';
import type { ModelChoice } from '../contract/terms.ts';
import { asideFor, type Aside } from '../core/aside/aside.ts';
import { modelFor } from '../core/aside/model-for.ts';
import { SUMMARY_INSTRUCTIONS } from '../core/aside/questions.ts';
import { CRITIQUE_QUESTION } from '../core/judgement/critique.ts';
import { factsOf } from '../models/facts.ts';
import { ModelError, type ModelRequest, type ModelTool } from '../models/model.ts';
import type { Transcript } from './transcript-cache.ts';

type Asked = Pick<CallModelInput, 'purpose' | 'compact'>;

/** Tokens that a summary of many turns may need, thinking included; what screens has less. */
const SUMMARY_TOKENS = 8_000;

/**
 * What is sent for a purpose. Turn, plan and closing summary are said in the conversation; everything else is asked
 * beside it. Throws `ModelError` of kind `rejected` where the API cannot summarise with the run's model.
 */
export function requestFor({ spec, messages }: Transcript, asked: Asked): ModelRequest {
  const { purpose, compact } = asked;
  if (isOwnCritique(spec, asked))
    return inConversation(spec, { messages: [...messages, CRITIQUE], toolChoice: 'none' });
  const about = compact === undefined ? messages : messages.slice(0, compact.messages);
  if (purpose === 'compact' && compact?.by === 'api') return signedSummaryOf(spec, about);
  const aside = asideFor(spec, about, purpose);
  if (aside !== null) return besideConversation(modelFor(spec, purpose, compact?.by), aside, purpose);
  return inConversation(spec, { messages, toolChoice: purpose === 'turn' ? 'auto' : 'none' });
}

/** Runs that name no lighter model are judged as they always were: by their own, with the whole conversation before it. */
function isOwnCritique({ screening, critique }: RunSpec, { purpose }: Asked): boolean {
  return purpose === 'critique' && screening === undefined && critique.model === undefined;
}

/** The question of a critique stands behind the conversation, so that the cached prefix serves it too. */
const CRITIQUE: UserMessage = { role: 'user', content: [{ type: 'text', text: CRITIQUE_QUESTION }] };

/** System prompt and tools are the same for the whole run, and thinking is signed over them. */
function inConversation(spec: RunSpec, said: Pick<ModelRequest, 'messages' | 'toolChoice'>): ModelRequest {
  return { ...fromChoice(spec.model), system: spec.system, tools: toolsSent(spec), ...said };
}

function besideConversation(choice: ModelChoice, aside: Aside, purpose: Asked['purpose']): ModelRequest {
  const { system, messages, format } = aside;
  return {
    ...fromChoice(choice),
    ...(purpose === 'compact' && { maxTokens: Math.max(choice.maxTokens, SUMMARY_TOKENS) }),
    system,
    tools: [],
    messages,
    toolChoice: 'none',
    ...(format !== null && { format }),
  };
}

/** Tools may be used as ever, so that the cached prefix serves this request too; the instructions say not to. */
function signedSummaryOf(spec: RunSpec, messages: ModelRequest['messages']): ModelRequest {
  const { id } = spec.model;
  if (!factsOf(id).compaction)
    throw new ModelError(`Cannot have the API summarise: "${id}" is not known to offer it`, { kind: 'rejected' });
  const request = inConversation(spec, { messages, toolChoice: 'auto' });
  return { ...request, compaction: { instructions: SUMMARY_INSTRUCTIONS } };
}

function fromChoice({ id, maxTokens, effort, price }: ModelChoice): Pick<ModelRequest, 'model' | 'maxTokens'> {
  return { model: id, maxTokens, ...(effort !== undefined && { effort }), ...(price !== undefined && { price }) };
}

/** What is found by search is never sent by itself: the list of tools must stay as it is. */
function toolsSent({ tools }: RunSpec): readonly ModelTool[] {
  return tools
    .filter(({ deferred }) => deferred !== true)
    .map((tool) => (tool.origin?.kind === 'api' ? { ...tool, apiType: tool.origin.type } : tool));
}
