import type { HookResult } from '../../contract/activities.ts';
import type { ToolCall } from '../../contract/tool-calls.ts';
import { applyResult } from '../calls/apply-results.ts';
import { contextOf, deniedByHook, deniesCall, HOOK_CONTEXTS_BYTES_MAX, hookEvent, type DueHook } from './hooks.ts';
import { note, sayAsUser, type Run } from '../run.ts';
import { fitText } from '../sizes.ts';

/** Takes what a hook said: it may deny its call, and tell the model something. */
export function applyHook(
  run: Run,
  { due, result }: { readonly due: DueHook; readonly result: HookResult },
  now: number,
): Run {
  const ran = { hook: due.hook, result };
  const [first, ...rest] = run.hooks.due;
  const isFirst = first?.hook.name === due.hook.name && first.callId === due.callId;
  const hooks = { ...run.hooks, due: isFirst ? rest : run.hooks.due, count: run.hooks.count + 1 };
  const noted = note({ ...run, hooks }, now, hookEvent(ran));
  const told = tell(noted, contextOf(ran));
  if (due.hook.on !== 'before_tool' || due.callId === undefined) return told;
  const calls = told.calls.map((call) => (call.id === due.callId ? without(call, due.hook.name) : call));
  const passed = { ...told, calls };
  return deniesCall(due.hook, result)
    ? applyResult(passed, { callId: due.callId, result: deniedByHook(ran) }, now)
    : passed;
}

function without(call: ToolCall, hook: string): ToolCall {
  return { ...call, before: (call.before ?? []).filter((name) => name !== hook) };
}

/** Nothing may stand between a call and its result, so what is said meanwhile waits. */
function tell(run: Run, context: string): Run {
  if (context === '' || run.ending !== null) return run;
  if (run.calls.length === 0) return sayAsUser(run, context);
  const parts = [run.hooks.context, context].filter((part) => part !== '');
  return { ...run, hooks: { ...run.hooks, context: fitText(parts.join('\n\n'), HOOK_CONTEXTS_BYTES_MAX) } };
}
