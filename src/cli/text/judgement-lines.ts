import type { RunEvent } from '../../contract/events.ts';
import type { Colors } from '../terminal.ts';
import { group } from './spending-text.ts';
import { spanText } from './times.ts';
import { todosInOneLine } from './todo-text.ts';
import { shortLine } from './visible.ts';

/** A line about an event, without its time. */
export interface Line {
  readonly icon: string;
  readonly word: string;
  readonly text: string;
}

export interface LineSituation {
  readonly colors: Colors;
  /** Summaries of calls by their ids, as far as they were told. */
  readonly summaries: ReadonlyMap<string, string>;
  /** Where words of others are cut. */
  readonly charactersMax: number;
}

/** Lines about plans, verdicts, loops, outputs and notes; null for events of other kinds. */
export function judgementLine(event: RunEvent, situation: LineSituation): Line | null {
  const { colors, charactersMax } = situation;
  const words = (text: string): string => shortLine(text, charactersMax);
  switch (event.type) {
    case 'plan.made':
      return { icon: colors.cyan('●'), word: 'plan', text: words(event.text) };
    case 'plan.updated':
      return { icon: colors.cyan('●'), word: 'plan', text: todosInOneLine(event.todos) };
    case 'critique.verdict':
      return verdictLine(event, situation);
    case 'completion.checked': {
      const icon = event.complete ? colors.green('✓') : colors.yellow('↺');
      return { icon, word: 'check', text: `${event.complete ? 'done' : 'not done'}: ${words(event.reason)}` };
    }
    case 'loop.detected': {
      const text = `${DETECTORS[event.detector]}: ${words(event.what)} → ${RUNGS[event.rung]}`;
      return { icon: colors.yellow('↻'), word: 'loop', text };
    }
    case 'loop.judged':
      return { icon: '·', word: 'loop', text: `${event.confidence} % sure of one: ${words(event.reason)}` };
    case 'output.set':
      return { icon: colors.green('✓'), word: 'output', text: `${words(event.name)}, ${group(event.bytes)} bytes` };
    case 'notes.kept':
      return { icon: '·', word: 'notes', text: `${group(event.bytes)} bytes` };
    default:
      return upkeepLine(event, situation);
  }
}

/** Lines about reads that were spared, budgets and hooks. */
function upkeepLine(event: RunEvent, { colors, summaries, charactersMax }: LineSituation): Line | null {
  const words = (text: string): string => shortLine(text, charactersMax);
  switch (event.type) {
    case 'read.reused': {
      const what = summaries.get(event.callId) ?? event.callId;
      return {
        icon: '·',
        word: 'reused',
        text: `${words(what)} · as in turn ${event.fromTurn}, ${group(event.bytes)} bytes saved`,
      };
    }
    case 'budget.leased': {
      const slice = `a slice of $${event.costUsd.toFixed(4)} and ${group(event.tokens)} tokens`;
      return { icon: '·', word: 'budget', text: slice };
    }
    case 'budget.exhausted':
      return { icon: colors.yellow('!'), word: 'budget', text: `${words(event.cap)}: ${words(event.message)}` };
    case 'budget.topped_up': {
      const text = `${words(event.cap)}, topped up by ${shortLine(event.by, 40)}: ${words(event.message)}`;
      return { icon: colors.green('✓'), word: 'budget', text };
    }
    case 'hook.ended': {
      const icon = { ok: '·', denied: colors.yellow('✗'), failed: colors.red('✗') }[event.status];
      const said = event.text === '' ? '' : `: ${words(event.text)}`;
      const text = `${shortLine(event.hook, 64)} (${event.on}) · ${spanText(event.durationMs)} · ${event.status}${said}`;
      return { icon, word: 'hook', text };
    }
    default:
      return null;
  }
}

function verdictLine(
  { verdict, followed, by }: Extract<RunEvent, { type: 'critique.verdict' }>,
  { colors, charactersMax }: LineSituation,
): Line {
  const { action, reason, confidence } = verdict;
  const judge = by === undefined ? '' : ` by ${shortLine(by, 40)}`;
  const instead = followed === action ? '' : ` (followed as ${followed})`;
  const icon = followed === 'retry' || followed === 'replan' ? colors.yellow('↺') : colors.cyan('●');
  const text = `${action}${instead}, ${confidence} % sure${judge}: ${shortLine(reason, charactersMax)}`;
  return { icon, word: 'critique', text };
}

const DETECTORS = {
  cycle: 'the same calls',
  chanting: 'the same words',
  same_replies: 'the same replies',
  no_progress: 'no progress',
  judge: 'a model says so',
} as const;

const RUNGS = {
  nudge: 'the agent is told',
  replan: 'a new plan',
  ask: 'a person is asked',
  stop: 'the run stops',
} as const;
