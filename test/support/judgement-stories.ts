import { answerApproval, cancelRun, pauseRun } from '../../src/client.ts';
import { emitValueDefinition } from '../../src/contract/control-tools.ts';
import type { StopReason } from '../../src/contract/run.ts';
import { loopsSchema } from '../../src/contract/terms.ts';
import { steps, type Scenario, type ScriptedReply } from '../../src/models/offline/scenario.ts';
import type { House, LiveRun, SpecChanges } from './house.ts';

/** A run that ends for one reason, as the offline model and people play it. */
export interface Story {
  readonly script: Scenario;
  readonly changes?: SpecChanges;
  /** What people do meanwhile. */
  readonly act?: (house: House, run: LiveRun) => Promise<void>;
  readonly ends: StopReason;
  /** Events that must be there, in this order, as `type` or `type:detail`. */
  readonly seen?: readonly string[];
}

const look = (path: string): ScriptedReply => ({
  thinking: 'look',
  calls: [{ name: 'ls', input: { path } }],
  pauseMs: 15,
});
const say = (text: string): ScriptedReply => ({ thinking: 'say', text, pauseMs: 15 });

/** Looks somewhere else each turn, for ever. */
const wander: Scenario = (seen) => look(`./${'./'.repeat(seen.turn)}`);

/** Makes the same call until the words of somebody fit. */
const circle =
  (until: RegExp): Scenario =>
  (seen) => {
    if (seen.aside !== null) return say('{}');
    if (seen.summaryWanted) return say(seen.lastWords.includes('plan') ? 'a new plan' : 'this is where it stands');
    return seen.words.some((words) => until.test(words)) ? say('done after all') : look('.');
  };

const judge =
  (action: string, confidence: number, rest: Scenario): Scenario =>
  (seen) => {
    if (seen.lastWords.includes('strict reviewer')) {
      const isAgain = seen.words.some((words) => words.includes('A review'));
      const verdict = {
        action: isAgain ? 'complete' : action,
        reason: 'as seen',
        confidence: isAgain ? 99 : confidence,
      };
      return say(JSON.stringify(verdict));
    }
    return seen.summaryWanted ? say('the plan') : rest(seen);
  };

const oneLook = steps([look('.'), say('the answer'), say('the answer'), say('the answer')]);

const answerWith =
  (choice: string, text?: string) =>
  async (house: House, run: LiveRun): Promise<void> => {
    const { approvals } = await run.until(({ state }) => state === 'awaiting_human');
    const { id } = approvals.find(({ status }) => status === 'open')!;
    const words = text === undefined ? {} : { text };
    await answerApproval(house.client, run.runId, { id, decision: 'answer', choice, by: 'ann', ...words });
  };

const loops = loopsSchema.parse({});
const outputs = [{ name: 'title', schema: { type: 'string' } }];
const delivering: SpecChanges = { outputs };

/** The tools of a run that declares outputs; the house adds them to its own. */
export const outputTool = emitValueDefinition(outputs);

const emit: ScriptedReply = { calls: [{ name: 'emit_value', input: { name: 'title', value: 'x' } }], pauseMs: 15 };
const terminate = (status: string): ScriptedReply => ({
  calls: [{ name: 'terminate', input: { status, summary: 'that is all' } }],
  pauseMs: 15,
});
const failing: Scenario = (seen) => ({
  calls: [{ name: 'read_file', input: { path: `none-${seen.turn}` } }],
  pauseMs: 15,
});
const bash: ScriptedReply = { calls: [{ name: 'bash', input: { command: 'echo no' } }], pauseMs: 15 };
const price = { input: 1_000, output: 1_000, cacheRead: 1_000, cacheWrite: 1_000 };

export const stories: Readonly<Record<string, Story>> = {
  'no tool call and nothing owed': { script: oneLook, ends: 'answered' },
  'terminate with success': { script: steps([look('.'), terminate('success')]), ends: 'terminated' },
  'terminate with failure': { script: steps([look('.'), terminate('failure')]), ends: 'gave_up' },
  'declared outputs complete': { script: steps([look('.'), emit]), changes: delivering, ends: 'outputs_complete' },
  'declared outputs missing': {
    script: steps([look('.'), ...Array.from({ length: 6 }, () => say('done'))]),
    changes: delivering,
    ends: 'outputs_missing',
  },
  'a completion check': {
    script: (seen) => (seen.aside === 'completion' ? say('{"complete": true, "reason": "all there"}') : oneLook(seen)),
    changes: { completionCheck: true },
    ends: 'completion_check',
    seen: ['completion.checked'],
  },
  'too many turns': { script: wander, changes: { limits: { turns: 3 } }, ends: 'turns' },
  'too many tool calls': { script: wander, changes: { limits: { toolCalls: 3 } }, ends: 'tool_calls' },
  'too much active time': { script: wander, changes: { limits: { activeMs: 400 } }, ends: 'active_time' },
  'too many tokens': { script: wander, changes: { limits: { tokens: 9_000 } }, ends: 'tokens' },
  'too much money': {
    script: wander,
    changes: {
      limits: { costUsd: 5 },
      model: { id: 'priced', maxTokens: 8_000, contextTokens: 200_000, offline: false, price },
    },
    ends: 'cost',
  },
  'errors in a row': { script: failing, changes: { limits: { consecutiveErrors: 3 } }, ends: 'consecutive_errors' },
  'a refusal': { script: steps([look('.'), { stopReason: 'refusal', pauseMs: 15 }]), ends: 'refusal' },
  'replies that are cut': {
    script: () => ({ text: 'and so on', stopReason: 'max_tokens', pauseMs: 15 }),
    ends: 'max_tokens',
  },
  'a conversation that does not fit': {
    script: () => ({ text: 'and so on', stopReason: 'model_context_window_exceeded', pauseMs: 15 }),
    ends: 'context',
  },
  'a request the API refuses for good': {
    script: (seen) => {
      if (seen.turn > 0) throw new Error('no such thing');
      return look('.');
    },
    ends: 'failed',
  },
  'a shared budget that is used up': {
    script: wander,
    changes: {
      budget: { atCap: 'stop', ledger: 'ledger-of-stories', caps: [{ key: 'tree:stories', tokens: 25_000 }] },
    },
    ends: 'budget',
    seen: ['budget.exhausted'],
  },
  'an approval that expires': {
    script: steps([bash, say('never')]),
    changes: { approvals: { timeoutMs: 1_500, onTimeout: 'stop' } },
    ends: 'approval_expired',
  },
  'paused too long': {
    script: wander,
    changes: { timeouts: { pausedMs: 1_500 } },
    act: async (house, run) => void (await pauseRun(house.client, run.runId, 'ann')),
    ends: 'paused_too_long',
  },
  cancelled: {
    script: wander,
    changes: { limits: { turns: 500, toolCalls: 500 } },
    act: async (house, run) => {
      await run.until(({ turn }) => turn >= 1);
      await cancelRun(house.client, run.runId);
    },
    ends: 'cancelled',
  },
  'nudged out of a loop': {
    script: circle(/go round in circles/u),
    changes: { loops },
    ends: 'answered',
    seen: ['loop.detected:nudge'],
  },
  'planned out of a loop': {
    script: circle(/still go round/u),
    changes: { loops },
    ends: 'answered',
    seen: ['loop.detected:nudge', 'loop.detected:replan', 'plan.made'],
  },
  'led out of a loop by a person': {
    script: circle(/look elsewhere/u),
    changes: { loops },
    act: answerWith('redirect', 'look elsewhere'),
    ends: 'answered',
    seen: ['loop.detected:nudge', 'loop.detected:replan', 'loop.detected:ask', 'approval.decided'],
  },
  'a loop that a person lets go on': {
    script: circle(/never/u),
    changes: { loops, limits: { turns: 25 } },
    act: answerWith('continue'),
    ends: 'turns',
    seen: ['loop.detected:ask', 'approval.decided', 'limit.reached'],
  },
  'a loop that a person stops': {
    script: circle(/never/u),
    changes: { loops },
    act: answerWith('stop'),
    ends: 'person',
    seen: ['loop.detected:ask', 'approval.decided'],
  },
  'a loop that nobody looks at': {
    script: circle(/never/u),
    changes: { loops, policy: { mode: 'unattended' } },
    ends: 'loop',
    seen: ['loop.detected:nudge', 'loop.detected:replan', 'loop.detected:stop'],
  },
  'a critique that says continue': {
    script: judge('continue', 90, oneLook),
    changes: { critique: { when: ['every_turn'], redoMax: 3 } },
    ends: 'answered',
    seen: ['critique.verdict:continue'],
  },
  'a critique that says retry': {
    script: judge('retry', 90, oneLook),
    changes: { critique: { when: ['every_turn'], redoMax: 3 } },
    ends: 'answered',
    seen: ['critique.verdict:retry'],
  },
  'a critique that says replan': {
    script: judge('replan', 90, oneLook),
    changes: { critique: { when: ['every_turn'], redoMax: 3 } },
    ends: 'answered',
    seen: ['critique.verdict:replan', 'plan.made'],
  },
  'a critique that says complete': {
    script: judge('complete', 90, oneLook),
    changes: { critique: { when: ['every_turn'], redoMax: 3 } },
    ends: 'critique',
    seen: ['critique.verdict:complete'],
  },
  'a critique that is not sure': {
    script: judge('continue', 10, oneLook),
    changes: { critique: { when: ['every_turn'], redoMax: 3, askBelow: 50 } },
    act: answerWith('replan', 'the plan is old'),
    ends: 'answered',
    seen: ['approval.decided', 'critique.verdict:replan', 'plan.made'],
  },
};

/** The changes of a story, with a ledger that no other file asks: it lives with the workers that first asked it. */
export function changesOf({ changes = {} }: Story, { taskQueue }: Pick<House, 'taskQueue'>): SpecChanges {
  const { budget } = changes;
  if (budget?.ledger === undefined) return changes;
  return { ...changes, budget: { ...budget, ledger: `${budget.ledger}-${taskQueue}` } };
}

/** What of an event a story names. */
export function nameOf(event: { readonly type: string; readonly rung?: string; readonly followed?: string }): string {
  const detail = event.rung ?? event.followed;
  return detail === undefined ? event.type : `${event.type}:${detail}`;
}

/** The wanted names that do not stand in the list, in their order. */
export function missingFrom(names: readonly string[], wanted: readonly string[]): readonly string[] {
  let from = 0;
  return wanted.filter((name) => {
    const at = names.indexOf(name, from);
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}
