import { proxySinks, setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { TranscriptSink } from '../contract/activities.ts';
import { MEMO_KEY } from '../contract/names.ts';
import type { Run } from '../core/run.ts';
import { detailsOf, judgementOf, listedState, memoOf, waitingFor } from '../core/view.ts';

/** A type, because the SDK wants an index signature that an interface does not have. */
type TranscriptSinks = { readonly transcript: TranscriptSink };

const STATE = { name: 'NightshiftState', type: 'KEYWORD' } as const;
const WAITING_FOR = { name: 'NightshiftWaitingFor', type: 'KEYWORD' } as const;
const COST = { name: 'NightshiftCostUsd', type: 'DOUBLE' } as const;
const STOP_REASON = { name: 'NightshiftStopReason', type: 'KEYWORD' } as const;
const VERDICT = { name: 'NightshiftVerdict', type: 'KEYWORD' } as const;
const LOOP = { name: 'NightshiftLoop', type: 'KEYWORD' } as const;
const REDONE = { name: 'NightshiftRedone', type: 'INT' } as const;

/** Dollars by which the cost in the list may lag behind while a run works, so that it costs no event a turn. */
const COST_STEP_USD = 0.05;

/**
 * Shows the run to everybody who reads it without asking: the worker's transcript cache, whoever rebuilds the run from
 * its history, the details pane and the list of the Temporal UI, and the memo that remains when no worker runs. Called
 * before each step, and once more at the end.
 */
export function createPublisher(): (run: Run) => void {
  const { transcript } = proxySinks<TranscriptSinks>();
  const showTranscript = createTranscriptPublisher(transcript);
  const showEvents = createEventPublisher(transcript);
  const showInList = createListPublisher();
  return (run) => {
    showTranscript(run);
    showEvents(run);
    if (run.result !== null) transcript.close();
    setCurrentDetails(detailsOf(run));
    showInList(run);
  };
}

/** Fills the worker's cache, so that no activity carries the transcript; replay fills it anew after a crash. */
function createTranscriptPublisher(transcript: TranscriptSink): (run: Run) => void {
  let shown = 0;
  let compactions = -1;
  return (run) => {
    if (compactions !== run.compactions) {
      transcript.open(run.spec, run.compactions);
      compactions = run.compactions;
      shown = 0;
    }
    if (shown < run.messages.length) transcript.append(shown, run.messages.slice(shown));
    shown = run.messages.length;
  };
}

/** Hands over events before the log drops them, so that a replay of the history can tell the whole story. */
function createEventPublisher(transcript: TranscriptSink): (run: Run) => void {
  let shown = 0;
  return ({ log }) => {
    if (log.last > shown) transcript.noted(log.kept.slice(-(log.last - shown)));
    shown = log.last;
  };
}

function createListPublisher(): (run: Run) => void {
  let shown = '';
  let shownCost = -1;
  return (run) => {
    const listed = listedOf(run);
    const cost = run.totals.usage.costUsd ?? 0;
    const now = JSON.stringify(listed);
    if (now === shown && cost - shownCost < COST_STEP_USD) return;
    upsertSearchAttributes([...listed, { key: COST, value: cost }]);
    upsertMemo({ [MEMO_KEY]: memoOf(run) });
    [shown, shownCost] = [now, cost];
  };
}

type Listed = Extract<Parameters<typeof upsertSearchAttributes>[0], readonly unknown[]>[number];

/** What a list is filtered by, besides the cost. A change of it costs an event, so it changes seldom. */
function listedOf(run: Run): readonly Listed[] {
  const listed: readonly Listed[] = [
    { key: STATE, value: listedState(run.state) },
    { key: WAITING_FOR, value: waitingFor(run) },
  ];
  const judged = judgementOf(run);
  if (judged === null) return listed;
  return [
    ...listed,
    { key: STOP_REASON, value: judged.stopReason },
    { key: VERDICT, value: judged.verdict },
    { key: LOOP, value: judged.loop },
    { key: REDONE, value: judged.redone },
  ];
}
