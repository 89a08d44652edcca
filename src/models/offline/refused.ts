export type Fields = Readonly<Record<string, unknown>>;

/** A refusal in the words of the Messages API. `type` is its error type, `errorCode` the finer name that some have. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly type: string;
  readonly errorCode?: string;

  constructor(message: string, status = 400, type = 'invalid_request_error') {
    super(message);
    this.name = 'RequestRefused';
    this.status = status;
    this.type = type;
  }
}

type CompactionProblem =
  | 'block_ambiguous'
  | 'block_misplaced'
  | 'content_mismatch'
  | 'incomplete_turn'
  | 'nothing_to_summarize'
  | 'signature_invalid';

/** A refusal about a summary, asked for or sent back, with the code by which the SDK tells one from another. */
export class CompactionRefused extends RequestRefused {
  override readonly errorCode: string;

  constructor(problem: CompactionProblem, message: string) {
    super(message);
    this.errorCode = `compaction_${problem}`;
  }
}

export function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RequestRefused(`${where}: Input should be a valid dictionary`);
  return value as Fields;
}
