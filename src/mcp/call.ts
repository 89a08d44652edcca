import {
  isInputRequiredResult,
  UrlElicitationRequiredError,
  type CallToolResult,
  type ElicitResult,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/client';
import { type ToolContext, type ToolOutput } from '../tools/tool.ts';
import { createAsked, roundOf, stateOf, type Asked, type Round } from './asked.ts';
import type { McpConnection } from './connection.ts';
import { textOf } from './content.ts';
import { questionOf, responseTo } from './elicitation.ts';
import { failureOf } from './failure.ts';
import type { Elicitation, Leaving } from './open-calls.ts';
import { progressLine } from './progress.ts';

export interface Calling {
  readonly connection: McpConnection;
  /** As the server lists it now; it is the one the run knows. */
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  readonly silenceMs: number;
  readonly totalMs: number;
  readonly context: Pick<ToolContext, 'signal' | 'live' | 'answers'>;
}

/** How often a server may put the client off with nothing to ask. */
const ROUNDS_MAX = 10;

/**
 * Calls a tool until it ends or asks. A question is given back instead of being waited for: the person's answer comes
 * with the next call, maybe days later and in another process.
 */
export async function callServer(calling: Calling): Promise<ToolOutput> {
  const { connection, context } = calling;
  const round = connection.era === 'modern' ? roundOf(context.answers) : undefined;
  if (round !== undefined) return await answerRound(calling, round);
  return await callAnew(calling);
}

/**
 * Calls from the start. What an older server asks on the way is answered from what people said, or ends the call. One
 * that refuses until an address was opened is asked once more when it was.
 */
async function callAnew(calling: Calling, isSecond = false): Promise<ToolOutput> {
  const { connection, context } = calling;
  const asked = createAsked(context.answers);
  const questioned = new AbortController();
  let question: ToolOutput | undefined;
  const leave = await connection.calls.enter((elicitation) => {
    const decided = decide(elicitation, asked(elicitation));
    if (decided.kind === 'response') return decided.response;
    question ??= decided.output;
    questioned.abort();
    return undefined;
  }, context.signal);
  let leaving: Leaving = 'ended';
  try {
    return await send(calling, {}, AbortSignal.any([context.signal, questioned.signal]));
  } catch (error) {
    if (question !== undefined) return question;
    leaving = failureOf(error) === 'answered' ? 'ended' : 'given_up';
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    const refused = afterRefusal(error, { asked, isSecond });
    if (refused !== 'again') return refused;
  } finally {
    leave(leaving);
  }
  return await callAnew(calling, true);
}

type Decided =
  | { readonly kind: 'response'; readonly response: ElicitResult }
  | { readonly kind: 'asks'; readonly output: ToolOutput };

function decide(elicitation: Elicitation, { state, answer }: Asked): Decided {
  const response = answer && responseTo(elicitation, answer);
  if (response?.kind === 'response') return response;
  return { kind: 'asks', output: asks(questionOf({ elicitation, state, ...(response && { why: response.why }) })) };
}

interface Refusal {
  readonly asked: (elicitation: Elicitation) => Asked;
  readonly isSecond: boolean;
}

function afterRefusal(
  { elicitations, message }: UrlElicitationRequiredError,
  { asked, isSecond }: Refusal,
): ToolOutput | 'again' {
  const wanted = elicitations.map((elicitation) => ({ elicitation, ...asked(elicitation) }));
  const open = wanted.find(({ answer }) => answer === undefined);
  if (open !== undefined) return asks(questionOf(open));
  const first = wanted.find(({ answer }) => answer?.action === 'accept' && answer.text !== 'decline');
  if (first === undefined) {
    return { text: `execution_failed: a person declined what the server asked for: ${message}`, isError: true };
  }
  return isSecond ? asks(questionOf({ ...first, why: 'the server still waits for it' })) : 'again';
}

/** Puts the next open question to a person, or tells the server all answers. */
async function answerRound(calling: Calling, round: Round): Promise<ToolOutput> {
  const elicitation = round.requests[round.key];
  const answer = calling.context.answers.at(-1);
  if (elicitation === undefined || answer === undefined) return await callAnew(calling);
  const response = responseTo(elicitation, answer);
  if (response.kind === 'unfit') return asks(questionOf({ elicitation, state: stateOf(round), why: response.why }));
  const responses = { ...round.responses, [round.key]: response.response };
  const next = nextQuestion({ ...round, responses });
  if (next !== undefined) return next;
  const { requestState } = round;
  const more = { inputResponses: responses, ...(requestState !== undefined && { requestState }) };
  return await send(calling, more, calling.context.signal);
}

function nextQuestion(round: Round): ToolOutput | undefined {
  const key = Object.keys(round.requests).find((candidate) => !Object.hasOwn(round.responses, candidate));
  const elicitation = key === undefined ? undefined : round.requests[key];
  if (key === undefined || elicitation === undefined) return undefined;
  return asks(questionOf({ elicitation, state: stateOf({ ...round, key }) }));
}

interface More {
  readonly inputResponses?: Record<string, ElicitResult>;
  readonly requestState?: string;
}

async function send(calling: Calling, first: More, signal: AbortSignal): Promise<ToolOutput> {
  const { connection, tool, input, silenceMs, totalMs, context } = calling;
  let more = first;
  for (let sent = 0; sent < ROUNDS_MAX; sent += 1) {
    const result: CallToolResult | InputRequiredResult = await connection.call(
      { name: tool.name, arguments: input, ...more },
      {
        toolDefinition: tool,
        signal,
        timeout: silenceMs,
        maxTotalTimeout: totalMs,
        resetTimeoutOnProgress: true,
        onprogress: (progress) => context.live(progressLine(progress)),
        allowInputRequired: true,
      },
    );
    if (!isInputRequiredResult(result)) return outputOf(result);
    const { requestState, inputRequests = {} } = result;
    const requests = connection.discreet(elicitationsIn(inputRequests));
    const asked = nextQuestion({ requestState, requests, responses: {}, key: '' });
    if (asked !== undefined) return asked;
    more = requestState === undefined ? {} : { requestState };
  }
  return { text: `execution_failed: the server put the call off ${ROUNDS_MAX} times`, isError: true };
}

/** We offer nothing else, so a server that asks for more asks in vain. */
function elicitationsIn(requests: NonNullable<InputRequiredResult['inputRequests']>): Record<string, Elicitation> {
  return Object.fromEntries(
    Object.entries(requests).flatMap(([key, request]) =>
      request.method === 'elicitation/create' ? [[key, request.params] as const] : [],
    ),
  );
}

function outputOf(result: CallToolResult): ToolOutput {
  const text = textOf(result);
  return result.isError === true ? { text, isError: true, error: 'execution_failed' } : { text };
}

function asks(question: NonNullable<ToolOutput['question']>): ToolOutput {
  return { text: '', question };
}
