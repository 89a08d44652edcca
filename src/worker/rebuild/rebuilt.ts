import type { RunEvent } from '../../contract/events.ts';
import type { Message } from '../../contract/messages.ts';
import type { RunSpec } from '../../contract/spec.ts';

/**
 * One piece of a run as its history tells it, in the order of time.
 *
 * - `spec`: what the run was started with, once, before anything else of it.
 * - `event`: as readers of the run were told it, numbered without gaps but for what `gap` names.
 * - `message`: of the transcript, whole. `segment` counts the compactions, from 0; `index` is its place in the
 *   transcript as the model was sent it then.
 * - `segment`: a compaction made the transcript anew. What it kept word for word is not told again.
 * - `gap`: so many events came at once that the run dropped some before they could be handed over; both ends included.
 * - `missing`: the server no longer keeps this execution of the run, nor any before it that is not told.
 * - `end`: how far the history goes; always the last. `isOpen` when the run still goes on.
 */
export type Rebuilt =
  | { readonly kind: 'spec'; readonly spec: RunSpec }
  | { readonly kind: 'event'; readonly event: RunEvent }
  | RebuiltMessage
  | RebuiltSegment
  | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  | { readonly kind: 'missing'; readonly execution: string }
  | { readonly kind: 'end'; readonly isOpen: boolean; readonly executions: number };

export interface RebuiltMessage {
  readonly kind: 'message';
  readonly segment: number;
  readonly index: number;
  readonly message: Message;
}

/**
 * The first `head` messages stayed, and `kept` more that stood at `from` in the segment before stand at `to` in this
 * one; all other messages of it are told. `thinking` is false when the thinking of those that stayed was taken out.
 */
export interface RebuiltSegment {
  readonly kind: 'segment';
  readonly segment: number;
  readonly head: number;
  readonly from: number;
  readonly to: number;
  readonly kept: number;
  readonly thinking: boolean;
}
