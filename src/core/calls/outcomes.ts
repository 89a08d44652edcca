import { REPEAT, type Approval, type ApprovalOption } from '../../contract/approvals.ts';
import { PREVIEW_BYTES_MAX } from '../../contract/limits.ts';
import type { ToolAnswer, ToolCall, ToolCallResult, ToolQuestion } from '../../contract/tool-calls.ts';
import { applyResult, countWork } from './apply-results.ts';
import { moved } from './call-life.ts';
import { stop } from '../ending.ts';
import { isUnattended, openApproval, type Question } from '../people/questions.ts';
import type { Run } from '../run.ts';
import { fitText, oneLine } from '../sizes.ts';
import { notRun, told } from '../told.ts';

/**
 * Calls that were started and then wait for a person: nobody knows whether they happened, or their tool asks something
 * before it goes on. Both are questions like any other, with a deadline and a digest.
 */

const HAPPENED = 'happened';
const SKIP = 'skip';
const STOP = 'stop';

const OUTCOME_OPTIONS: readonly ApprovalOption[] = [
  { id: HAPPENED, label: 'It happened; the agent is told so, with your words about the result' },
  { id: REPEAT, label: 'It did not happen; do it now' },
  { id: SKIP, label: 'Leave it open; the agent is told that nobody knows' },
  { id: STOP, label: 'Stop the run' },
];

/** Takes the result of a call. One whose outcome is unknown becomes a question, where people are asked. */
export function takeResult(
  run: Run,
  { callId, result }: { readonly callId: string; readonly result: ToolCallResult },
  now: number,
): Run {
  const call = run.calls.find(({ id }) => id === callId);
  const isAsked = result.status === 'unknown' && run.spec.approvals.unknownOutcome === 'ask' && !isUnattended(run);
  if (call === undefined || !isAsked || run.ending !== null) return applyResult(run, { callId, result }, now);
  const question: Question = {
    kind: 'outcome',
    title: oneLine(`Did it happen? ${call.summary}`, 300),
    reason: oneLine(result.content, 500),
    options: OUTCOME_OPTIONS,
  };
  return openOutcome(run, { call: { ...call, open: { kind: 'unknown', result } }, question, result }, now);
}

export interface AskedByTool {
  readonly callId: string;
  readonly question: ToolQuestion;
  readonly durationMs: number;
}

/** Takes what a tool wants to know. Where nobody can be asked, the tool hears at once that nobody answers. */
export function takeQuestion(run: Run, { callId, question, durationMs }: AskedByTool, now: number): Run {
  const call = run.calls.find(({ id }) => id === callId);
  if (call === undefined) return run;
  if (isUnattended(run)) return goOn(run, call, { action: 'cancel', state: question.state });
  const { message, options } = question;
  const title = oneLine(message, 1_000);
  const asked: Question = {
    kind: options.length > 0 ? 'choose' : 'answer',
    title,
    reason: `${call.tool} asks`,
    options,
    // A form has a line for each of its fields.
    ...(title !== message && { preview: fitText(message, PREVIEW_BYTES_MAX) }),
  };
  return openOutcome(
    run,
    { call: { ...call, open: { kind: 'question', question } }, question: asked, result: { durationMs } },
    now,
  );
}

interface Opening {
  readonly call: ToolCall;
  readonly question: Question;
  readonly result: Pick<ToolCallResult, 'durationMs'>;
}

function openOutcome(run: Run, { call, question, result }: Opening, now: number): Run {
  const waiting = moved(call, 'awaiting_approval');
  // The person who asked and the one who answers may take days; the work so far is counted now.
  const totals = countWork(run.totals, call, result);
  return openApproval({ ...replaceCall(run, waiting), totals }, { call: waiting, question }, now);
}

/** What a person's decision, or nobody's, makes of a call that was started; null for a call that was not. */
export function settleOpen(
  run: Run,
  { call, approval }: { call: ToolCall; approval: Approval },
  now: number,
): Run | null {
  if (call.open === undefined) return null;
  if (call.open.kind === 'question') return goOn(run, call, answerTo(call.open.question, approval));
  const { choice = SKIP, text, by = 'a person', note } = approval.answer ?? {};
  switch (approval.status === 'answered' ? choice : SKIP) {
    case HAPPENED:
      return applyResult(run, { callId: call.id, result: happened({ by, text: text ?? note }) }, now);
    case REPEAT:
      return replaceCall(run, again(call));
    case STOP: {
      const told = applyResult(run, { callId: call.id, result: call.open.result }, now);
      return stop(
        told,
        'outcome_unknown',
        `${by} stopped the run, because the outcome of "${call.summary}" is unknown`,
      );
    }
    default:
      return applyResult(run, { callId: call.id, result: withWords(call.open.result, approval) }, now);
  }
}

/** The result of a call that is closed by something else than its own end: what is known of it is not forgotten. */
export function closingResult(call: ToolCall, otherwise: ToolCallResult): ToolCallResult {
  return call.open?.kind === 'unknown' ? call.open.result : otherwise;
}

function happened({ by, text }: { readonly by: string; readonly text: string | undefined }): ToolCallResult {
  const words = text === undefined || text.trim() === '' ? '' : ` They report: ${text}`;
  return { status: 'success', content: `${by} looked and says that this call did happen.${words}`, durationMs: 0 };
}

/** A new call of its own, by a person's leave: it gets a claim of its own. */
function again(call: ToolCall): ToolCall {
  const { open: _settled, ...rest } = moved(call, 'scheduled');
  return { ...rest, attempt: (call.attempt ?? 1) + 1 };
}

function withWords(result: ToolCallResult, { status, answer }: Approval): ToolCallResult {
  if (status === 'expired') return { ...result, content: `${result.content} Nobody could be asked in time.` };
  const note = answer?.note === undefined ? '' : ` They said: "${answer.note}".`;
  return { ...result, content: `${result.content} ${answer?.by ?? 'A person'} could not tell either.${note}` };
}

function answerTo({ state }: ToolQuestion, { status, answer }: Approval): ToolAnswer {
  if (status === 'denied') return { action: 'decline', state };
  if (status !== 'answered') return { action: 'cancel', state };
  const text = answer?.choice ?? answer?.text;
  return { action: 'accept', state, ...(text !== undefined && { text }) };
}

function goOn(run: Run, call: ToolCall, answer: ToolAnswer): Run {
  const answers = [...(call.answers ?? []), answer];
  if (answers.length > ANSWERS_MAX) {
    const result = notRun('error', 'execution_failed', told.asksTooOften(ANSWERS_MAX));
    return replaceCall(run, { ...call, status: 'error', result });
  }
  // A call that nobody can be asked about goes back without having waited.
  const waited = moved(call, 'awaiting_approval');
  const { open: _answered, ...rest } = moved(waited, 'scheduled');
  return replaceCall(run, { ...rest, answers });
}

/** How often one call may ask. */
const ANSWERS_MAX = 10;

function replaceCall(run: Run, call: ToolCall): Run {
  return { ...run, calls: run.calls.map((other) => (other.id === call.id ? call : other)) };
}
