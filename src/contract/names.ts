/** Names that cross a border. Nothing here may import anything: the workflow bundle loads this file. */

export const WORKFLOW_TYPE = 'agentRun';

export const SIGNALS = {
  answer: 'answer',
  send: 'send',
  pause: 'pause',
  resume: 'resume',
} as const;

export const UPDATES = { answer: 'answerNow', send: 'sendNow' } as const;

/** The workflow that holds the budgets runs share; `id` is that of the one that is used unless a spec names another. */
export const LEDGER = {
  workflowType: 'budgetLedger',
  id: 'nightshift-budget',
  update: 'lease',
  query: 'ledger',
} as const;

export const QUERIES = { state: 'state', events: 'events', transcript: 'transcript' } as const;

/** Search attributes, all visible as list columns in the Temporal UI. */
export const SEARCH_ATTRIBUTES = {
  NightshiftAgent: 'KEYWORD',
  NightshiftState: 'KEYWORD',
  NightshiftWaitingFor: 'KEYWORD',
  NightshiftCostUsd: 'DOUBLE',
  NightshiftParent: 'KEYWORD',
  /** How the run ended, in one word. */
  NightshiftStopReason: 'KEYWORD',
  /** What the newest verdict had done, and how often work was sent back. */
  NightshiftVerdict: 'KEYWORD',
  NightshiftRedone: 'INT',
  /** The rung of the ladder the run was last taken to for going round in circles. */
  NightshiftLoop: 'KEYWORD',
} as const;

/** Key of `RunMemo` in a workflow's memo. */
export const MEMO_KEY = 'nightshift';

/** Types of `ApplicationFailure` that cross between activities, workflow and clients. */
export const FAILURES = {
  /** The model API refuses our credentials or our account: a person must act, then `resume`. */
  modelNeedsOperator: 'ModelNeedsOperator',
  /** The model API refuses this request; sending it again never helps. */
  modelRejected: 'ModelRejected',
  /** The conversation no longer fits the model's window. */
  contextOverflow: 'ContextOverflow',
  /** The reply is larger than history may hold. */
  replyTooLarge: 'ReplyTooLarge',
  /** Attempts that broke off have used all that the call was reserved at; the workflow decides whether to go on. */
  modelPaidInVain: 'ModelPaidInVain',
  /** A passing fault of the model API or the way to it; retried. */
  modelUnavailable: 'ModelUnavailable',
  /** An earlier call may still be writing in this workspace; retried. */
  workspaceBusy: 'WorkspaceBusy',
  /** A passing failure of a call that may be repeated; retried a few times. */
  toolFailing: 'ToolFailing',
  /** The worker that ran the step died; retried at once. */
  workerDied: 'WorkerDied',
  /** A person's answer was not accepted; details carry a `Refusal`. */
  answerRefused: 'AnswerRefused',
  /** A message was not accepted. */
  messageRefused: 'MessageRefused',
  /** A request to the ledger of budgets that it cannot answer; asking again never helps. */
  leaseRefused: 'LeaseRefused',
  runFailed: 'RunFailed',
} as const;
