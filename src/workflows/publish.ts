import { proxySinks, setCurrentDetails, upsertMemo, upsertSearchAttributes } from '@temporalio/workflow';
import type { TranscriptSink } from '../contract/activities.ts';
import { MEMO_KEY } from '../contract/names.ts';
import type { Run } from '../core/run.ts';
import { detailsOf, listedState, memoOf, waitingFor } from '../core/view.ts';

/** A type, because the SDK wants an index signature that an interface does not have. */
type TranscriptSinks = { readonly transcript: TranscriptSink };

const STATE = { name: 'NightshiftState', type: 'KEYWORD' } as const;
const WAITING_FOR = { name: 'NightshiftWaitingFor', type: 'KEYWORD' } as const;
const COST = { name: 'NightshiftCostUsd', type: 'DOUBLE' } as const;

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
      transcript.open(run.spec);
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
  let shownState = '';
  let shownWaiting: string | null = null;
  let shownCost = -1;
  return (run) => {
    const state = listedState(run.state);
    const waiting = waitingFor(run);
    const cost = run.totals.usage.costUsd ?? 0;
    if (state === shownState && waiting === shownWaiting && cost - shownCost < COST_STEP_USD) return;
    upsertSearchAttributes([
      { key: STATE, value: state },
      { key: WAITING_FOR, value: waiting },
      { key: COST, value: cost },
    ]);
    upsertMemo({ [MEMO_KEY]: memoOf(run) });
    [shownState, shownWaiting, shownCost] = [state, waiting, cost];
  };
}
