import type { Outcome } from '../../contract/run.ts';
import type { Hook, HookMoment } from '../../contract/terms.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { isOpen } from '../calls/call-life.ts';
import { hooksFor, type DueHook } from './hooks.ts';
import type { Run } from '../run.ts';

/** The run with the hooks of a moment put in the queue. */
export function callHooks(run: Run, on: HookMoment, about?: unknown): Run {
  const due = hooksFor(run.spec, on).map((hook): DueHook => ({ hook, ...(about !== undefined && { about }) }));
  return due.length === 0 ? run : queued(run, due);
}

/** The same for the hooks after a call, which its own matching chose when it was opened. */
export function callHooksAfter(run: Run, { id, after = [] }: ToolCall, about: unknown): Run {
  const due = hooksNamed(run, after).map((hook): DueHook => ({ hook, callId: id, about }));
  return due.length === 0 ? run : queued(run, due);
}

function queued(run: Run, due: readonly DueHook[]): Run {
  return { ...run, hooks: { ...run.hooks, due: [...run.hooks.due, ...due] } };
}

function hooksNamed({ spec }: Run, names: readonly string[]): readonly Hook[] {
  return (spec.hooks ?? []).filter(({ name }) => names.includes(name));
}

/** The hooks that must be run before the calls of a turn may go on; none for a call that waits for a person. */
export function hooksBefore(run: Run): readonly DueHook[] {
  return run.calls
    .filter((call) => isOpen(call) && call.status === 'scheduled')
    .flatMap(({ id, before = [] }) => hooksNamed(run, before).map((hook) => ({ hook, callId: id })));
}

/** Calls the hooks before the next model call, once. */
export function callHooksBeforeModel(run: Run): Run {
  const round = run.rounds + 1;
  if (run.hooks.beforeRound === round) return run;
  return callHooks({ ...run, hooks: { ...run.hooks, beforeRound: round } }, 'before_model');
}

/** Calls the hooks before the run ends, once. */
export function callHooksBeforeStop(run: Run, ending: Outcome): Run {
  if (run.hooks.stopCalled) return run;
  return callHooks({ ...run, hooks: { ...run.hooks, stopCalled: true } }, 'before_stop', ending);
}
