import type { ApprovalKind, RefusalReason } from './approvals.ts';
import type { Usage } from './messages.ts';
import type { Outcome, Parking, RunState, Todo, Verdict } from './run.ts';
import type { HookMoment } from './terms.ts';
import type { ToolErrorKind } from './tool-calls.ts';

/** What noticed a loop: repeated calls, repeated text, repeated replies, turns without progress, or a model. */
export type LoopDetector = 'cycle' | 'chanting' | 'same_replies' | 'no_progress' | 'judge';

/** What is done about a loop, in this order. */
export type LoopRung = 'nudge' | 'replan' | 'ask' | 'stop';

/** What happened, without its envelope. Texts are cut at 4,000 characters; the transcript has them whole. */
export type RunEventBody =
  | {
      readonly type: 'run.started';
      readonly agent: string;
      readonly model: string;
      readonly offline: boolean;
      readonly task: string;
    }
  | { readonly type: 'run.state'; readonly state: RunState; readonly now: string }
  | { readonly type: 'run.continued'; readonly continuation: number }
  | { readonly type: 'run.ended'; readonly outcome: Outcome; readonly answer: string }
  | { readonly type: 'run.parked'; readonly parked: Parking }
  | { readonly type: 'run.paused' | 'run.resumed' | 'run.cancel_requested'; readonly by: string }
  | {
      readonly type: 'run.compacted';
      readonly messagesBefore: number;
      readonly messagesAfter: number;
      /** Who wrote the summary of the old turns; a rule when left out. */
      readonly by?: 'api' | 'model' | 'rule';
    }
  | {
      readonly type: 'model.replied';
      readonly turn: number;
      readonly text: string;
      /** The thinking that came before the words, as far as the API shows it. */
      readonly thought?: string;
      readonly calls: number;
      readonly usage: Usage;
      readonly stopReason: string;
      readonly durationMs: number;
    }
  | { readonly type: 'model.problem'; readonly turn: number; readonly problem: string }
  | { readonly type: 'plan.made'; readonly text: string }
  | { readonly type: 'plan.updated'; readonly todos: readonly Todo[] }
  | {
      readonly type: 'critique.verdict';
      readonly verdict: Verdict;
      readonly followed: Verdict['action'];
      /** Who judged: a rule, a model, or the person who decided it. A model when left out. */
      readonly by?: string;
    }
  | { readonly type: 'completion.checked'; readonly complete: boolean; readonly reason: string }
  | {
      readonly type: 'loop.detected';
      readonly detector: LoopDetector;
      readonly what: string;
      /** What is done about it. */
      readonly rung: LoopRung;
    }
  | { readonly type: 'loop.judged'; readonly confidence: number; readonly reason: string }
  | { readonly type: 'output.set'; readonly name: string; readonly bytes: number }
  | { readonly type: 'notes.kept'; readonly bytes: number }
  | { readonly type: 'read.reused'; readonly callId: string; readonly fromTurn: number; readonly bytes: number }
  | { readonly type: 'budget.leased'; readonly costUsd: number; readonly tokens: number }
  | { readonly type: 'budget.exhausted'; readonly cap: string; readonly message: string }
  | { readonly type: 'budget.topped_up'; readonly cap: string; readonly by: string; readonly message: string }
  | {
      readonly type: 'hook.ended';
      readonly hook: string;
      readonly on: HookMoment;
      readonly status: 'ok' | 'denied' | 'failed';
      readonly text: string;
      readonly durationMs: number;
    }
  | { readonly type: 'tool.proposed'; readonly callId: string; readonly tool: string; readonly summary: string }
  | { readonly type: 'tool.started'; readonly callId: string; readonly tool: string; readonly summary: string }
  | {
      readonly type: 'tool.ended';
      readonly callId: string;
      readonly tool: string;
      readonly status: string;
      readonly error?: ToolErrorKind;
      readonly durationMs: number;
      readonly text: string;
    }
  | {
      readonly type: 'approval.requested';
      readonly id: string;
      readonly kind: ApprovalKind;
      readonly title: string;
      readonly reason: string;
      readonly deadline: number;
    }
  | {
      readonly type: 'approval.decided';
      readonly id: string;
      readonly status: string;
      readonly by: string;
      readonly note?: string;
    }
  | {
      readonly type: 'approval.refused';
      readonly id: string;
      readonly by: string;
      readonly reason: RefusalReason;
      readonly message: string;
    }
  | { readonly type: 'message.received'; readonly by: string; readonly text: string }
  | { readonly type: 'message.refused'; readonly by: string; readonly message: string }
  | { readonly type: 'limit.reached'; readonly limit: string; readonly message: string };

/** `seq` counts from 1 without gaps through every continuation; `at` is milliseconds since 1970. */
export type RunEvent = RunEventBody & { readonly seq: number; readonly at: number };

/** Answer to the query `events`. `missed` is true when events after `after` are no longer kept: read `state` anew. */
export interface EventPage {
  readonly events: readonly RunEvent[];
  readonly last: number;
  readonly missed: boolean;
}
