import type { RunState } from '../contract/run.ts';
import type { Decision } from './decide.ts';
import { moved } from './calls/call-life.ts';
import { note, type Run } from './run.ts';
import { nowText } from './view.ts';

/** The state that performing a decision puts the run in: its name is what is being done, so it cannot lie. */
function stateOf(decision: Decision, run: Run): RunState {
  switch (decision.kind) {
    case 'think':
      return STATES_OF_THINKING[decision.purpose];
    case 'reflect':
      return 'reflecting';
    case 'act':
      return 'acting';
    case 'wait':
      return 'awaiting_human';
    case 'hold':
      return 'paused';
    case 'compact':
      return 'compacting';
    case 'hook':
    case 'lease':
    case 'end':
      return run.state;
  }
}

const STATES_OF_THINKING = { turn: 'thinking', plan: 'planning', summary: 'finishing' } as const;

/** The run as it is while a decision is being performed: in its state, with its calls marked as begun. */
export function begin(run: Run, decision: Decision, now: number): Run {
  const state = stateOf(decision, run);
  const entered = run.state === state ? run : { ...run, state, since: now };
  const noted = run.state === state ? entered : note(entered, now, { type: 'run.state', state, now: nowText(entered) });
  if (decision.kind === 'lease') return { ...noted, budget: { ...noted.budget, asked: decision.input.lease } };
  return decision.kind === 'act' ? beginCalls(noted, decision, now) : noted;
}

function beginCalls(run: Run, { calls: begun }: Extract<Decision, { kind: 'act' }>, now: number): Run {
  const ids = new Set(begun.map(({ id }) => id));
  const calls = run.calls.map((call) => (ids.has(call.id) ? moved(call, 'executing') : call));
  const started = begun.map(({ id, tool, summary }) => ({ type: 'tool.started' as const, callId: id, tool, summary }));
  return note({ ...run, calls }, now, ...started);
}
