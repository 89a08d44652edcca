import type { HookResult } from '../../contract/activities.ts';
import type { RunEventBody } from '../../contract/events.ts';
import { KIB } from '../../contract/limits.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Hook, HookMoment } from '../../contract/terms.ts';
import type { ToolCallResult } from '../../contract/tool-calls.ts';
import type { JudgedCall } from '../policy/policy.ts';
import { applies } from '../policy/rule.ts';
import { touchesOfInput } from '../policy/touched.ts';
import { fitText } from '../sizes.ts';
import { notRun } from '../told.ts';

/** What one hook may tell the model, and what all together may while calls are open, in bytes of JSON. */
export const HOOK_CONTEXT_BYTES_MAX = 8 * KIB;
export const HOOK_CONTEXTS_BYTES_MAX = 32 * KIB;

/** What a hook is told of a call's result, in bytes of JSON: it is in history a second time. */
const ABOUT_RESULT_BYTES_MAX = 16 * KIB;

const EVENT_BYTES_MAX = 4_000;

/** A hook and what came of it. */
export interface RanHook {
  readonly hook: Hook;
  readonly result: HookResult;
}

/**
 * The hooks of a moment, in the order of the settings. A rule that may be about the call counts as being about it, as
 * one that denies does; without a call, a hook with rules is about nothing.
 */
export function hooksFor(spec: Pick<RunSpec, 'hooks'>, moment: HookMoment, call?: JudgedCall): readonly Hook[] {
  const hooks = spec.hooks ?? [];
  return hooks.filter(({ on, match }) => on === moment && (match === undefined || isAbout(match, call)));
}

function isAbout(match: readonly string[], call: JudgedCall | undefined): boolean {
  if (call === undefined) return false;
  const { touches = call.origin === undefined ? touchesOfInput(call.input, call.effect) : undefined } = call;
  return match.some((rule) => applies(rule, { ...call, touches }) !== 'no');
}

/** Whether the call must not run: its hook denied it, or had to be run and could not. */
export function deniesCall({ on, required }: Hook, { status }: HookResult): boolean {
  return on === 'before_tool' && (status === 'denied' || (status === 'failed' && required === true));
}

/** The result of a call that a hook denied. A hook that broke refused nothing, and is never told as a refusal. */
export function deniedByHook({ hook, result }: RanHook): ToolCallResult {
  return result.status === 'denied'
    ? notRun('denied', 'denied', toldByHook.denied(hook.name, result.reason))
    : notRun('error', 'permission_denied', toldByHook.broken(hook.name, result.reason));
}

/** What a hook tells the model, under its name; empty when it has nothing to say. */
export function contextOf({ hook, result: { context } }: RanHook): string {
  return context === '' ? '' : toldByHook.context(hook.name, fitText(context, HOOK_CONTEXT_BYTES_MAX));
}

/** The turn a hook is about: before a model call, the one that it begins. */
export function hookTurn({ turn }: { readonly turn: number }, { on }: Hook): number {
  return on === 'before_model' ? turn + 1 : turn;
}

/** What a hook of `after_tool` is told about the end of the call. */
export function aboutResult(result: ToolCallResult): ToolCallResult {
  return { ...result, content: fitText(result.content, ABOUT_RESULT_BYTES_MAX) };
}

export function hookEvent({ hook, result }: RanHook): Extract<RunEventBody, { type: 'hook.ended' }> {
  const { status, reason, context, durationMs } = result;
  const text = fitText(reason === '' ? context : reason, EVENT_BYTES_MAX);
  return { type: 'hook.ended', hook: hook.name, on: hook.on, status, text, durationMs };
}

const toldByHook = {
  denied: (hook: string, reason: string) =>
    `the hook "${hook}" of the operator does not allow this call: ${reason}\nIt was not run. Do not try it again another way.`,
  broken: (hook: string, reason: string) =>
    `the hook "${hook}" of the operator must be run before this call, and it failed: ${reason}\nSo the call was not run. Nobody refused it.`,
  context: (hook: string, context: string) => `[Hook ${hook}]\n${context}`,
} as const;

/** A hook whose moment has come. */
export interface DueHook {
  readonly hook: Hook;
  readonly callId?: string;
  /** How the call ended, the verdict, or the outcome. */
  readonly about?: unknown;
}

/** What a run knows of the hooks of its operator. */
export interface HookState {
  /** In the order in which they are to be run, one after another. */
  readonly due: readonly DueHook[];
  /** Hooks begun so far, which tells one from another. */
  readonly count: number;
  /** The model call, by its number, before which the hooks have been run. */
  readonly beforeRound: number;
  /** The hooks before the stop have been called for. */
  readonly stopCalled: boolean;
  /** What hooks said while calls were open; told behind their results. */
  readonly context: string;
}

export const newHookState: HookState = { due: [], count: 0, beforeRound: 0, stopCalled: false, context: '' };
