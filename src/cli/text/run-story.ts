import type { RunMemo, RunView } from '../../contract/run.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { outcomeText } from '../following/run-end.ts';
import { totalRows } from '../following/summary.ts';
import type { KnownReading } from '../named-run.ts';
import type { Told } from './react-text.ts';
import type { RunStory } from './run-markdown.ts';
import { SPENDING_HEAD, spendingRows } from './spending-text.ts';
import { timeText } from './times.ts';
import { shortLine } from './visible.ts';

/** What is known of a run besides what its history tells. */
export interface KnownRun {
  readonly runId: string;
  readonly reading: KnownReading;
  /** Missing when no worker has taken the run up, or when the server keeps none of its histories. */
  readonly spec: RunSpec | null;
  /** Whether it still goes on. */
  readonly isOpen: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Puts together what a document about a run is made of. */
export function storyOf(known: KnownRun, told: readonly Told[]): RunStory {
  const { runId, reading, spec } = known;
  const source = sourceOf(reading);
  return {
    title: spec?.title ?? source?.title ?? runId,
    rows: [
      ['Run', runId],
      ['Outcome', outcomeOf(known)],
      ...(spec === null ? [] : specRows(spec)),
      ...(source === null ? [] : totalRows(source.totals)),
    ],
    task: spec?.task ?? '',
    ...deliveryOf(source),
    told,
  };
}

function deliveryOf(source: RunView | RunMemo | null): Pick<RunStory, 'answer' | 'outputs' | 'spending'> {
  if (source === null) return { answer: '', outputs: {}, spending: [] };
  const { result, totals } = source;
  const { spending = [] } = totals;
  return {
    answer: result?.answer ?? '',
    outputs: result?.outputs ?? ('outputs' in source ? source.outputs : {}),
    spending: spending.length === 0 ? [] : [SPENDING_HEAD, ...spendingRows(spending)],
  };
}

function specRows({ agent, model, startedBy, workspace }: RunSpec): readonly (readonly [string, string])[] {
  return [
    ['Agent', `${agent.name} (${agent.digest})`],
    ['Model', `${model.id}${model.offline ? ' — OFFLINE: a fixed script stands in for a model' : ''}`],
    ['Started by', startedBy],
    ['Workspace', workspace],
  ];
}

function outcomeOf({ reading, isOpen, now }: KnownRun): string {
  const source = sourceOf(reading);
  if (isOpen) return `still going on, told as far as it was at ${timeText(now)}: ${shortLine(source?.now ?? '', 300)}`;
  if (source !== null && source.result !== null) return outcomeText(source.result.outcome);
  return `${closedAs(reading)?.toLowerCase() ?? 'ended'}, from outside the run`;
}

/** Temporal's word for how a run was closed; null while it is open. */
export function closedAs(reading: KnownReading): string | null {
  return reading.kind === 'ended' ? reading.closedAs : null;
}

export function sourceOf(reading: KnownReading): RunView | RunMemo | null {
  return reading.kind === 'live' ? reading.view : reading.memo;
}
