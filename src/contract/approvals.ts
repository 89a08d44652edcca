/**
 * What is asked of a person: leave for one exact call, one of several options, words, or what became of a call whose
 * outcome is not known.
 */
export type ApprovalKind = 'approve' | 'choose' | 'answer' | 'outcome';

/** The choice of an `outcome` that has the call started once more, and so needs the same leave as starting it did. */
export const REPEAT = 'repeat';

/**
 * `open` until it is one of the others, once. `expired` is nobody's decision; `superseded` means the run moved
 * on (it was cancelled or stopped) and no answer counts any more.
 */
export type ApprovalStatus = 'open' | 'approved' | 'denied' | 'answered' | 'expired' | 'superseded';

export interface ApprovalOption {
  readonly id: string;
  readonly label: string;
}

/** What of a run a person decides: a verdict that is not sure, a loop that went on, or a budget that is used up. */
export type RunQuestion = 'critique' | 'loop' | 'budget';

/** One question to a person, and what became of it. Times are milliseconds since 1970, UTC. */
export interface Approval {
  /** `<run id>.<number>`, unique for ever. */
  readonly id: string;
  readonly kind: ApprovalKind;
  /** The tool call this decides about (`ask_human` itself for the other kinds); empty when it is about the run. */
  readonly callId: string;
  readonly tool: string;
  /** What of the run is decided, where it is not about a call. */
  readonly about?: RunQuestion;
  /** One line: what is asked. */
  readonly title: string;
  /** The exact arguments, secrets left out; what is approved is what will run. */
  readonly arguments: unknown;
  /** What will happen, as the tool foretells it: a diff, the command, the request. */
  readonly preview?: string;
  readonly options: readonly ApprovalOption[];
  /** `sha256:…` over tool and arguments. An answer that names another digest is refused. */
  readonly digest: string;
  /** Why the policy asked: the rule, or the default. */
  readonly reason: string;
  readonly openedAt: number;
  readonly deadline: number;
  readonly onTimeout: 'deny' | 'stop';
  /** The option that is followed when nobody answers, of questions about the run. */
  readonly fallback?: string;
  readonly status: ApprovalStatus;
  readonly answer?: AcceptedAnswer;
}

export interface AcceptedAnswer {
  readonly by: string;
  readonly at: number;
  readonly note?: string;
  /** Of kinds `choose` and `outcome`. */
  readonly choice?: string;
  /** Of kind `answer`; of kind `outcome`, what the call would have returned; of questions about the run, more words. */
  readonly text?: string;
}

/** What a person sends, as one JSON object. */
export interface Answer {
  readonly id: string;
  readonly decision: 'approve' | 'deny' | 'answer';
  /** Required to approve; checked whenever it is given. */
  readonly digest?: string;
  readonly by: string;
  /**
   * When the server that took the answer accepted it. Left out by hand-sent answers, which are judged by the
   * workflow's own time.
   */
  readonly at?: number;
  readonly note?: string;
  readonly choice?: string;
  readonly text?: string;
}

export type RefusalReason =
  | 'malformed'
  | 'not_found'
  | 'already_answered'
  | 'too_late'
  | 'superseded'
  | 'wrong_digest'
  | 'wrong_kind';

export interface Refusal {
  readonly reason: RefusalReason;
  /** A sentence for the person, with who and when where that is the reason. */
  readonly message: string;
}
