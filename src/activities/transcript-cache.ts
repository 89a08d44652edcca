import type { WorkflowInfo } from '@temporalio/workflow';
import type { TranscriptPart } from '../contract/activities.ts';
import type { RunEvent } from '../contract/events.ts';
import type { Message } from '../contract/messages.ts';
import type { RunSpec } from '../contract/spec.ts';

/** What a run's activities read: its spec and the messages so far. */
export interface Transcript {
  readonly spec: RunSpec;
  readonly messages: readonly Message[];
}

interface Entry {
  readonly spec: RunSpec;
  readonly compactions: number;
  readonly messages: Message[];
}

/** Runs whose transcript one worker keeps at hand; the oldest unused is dropped, and read by query if it is needed. */
const ENTRIES_MAX = 1_000;

/**
 * The transcripts of the runs this worker has seen, filled by the workflows through a sink while they run and while
 * they replay. It is only a cache: whoever misses asks the workflow. Keyed by execution, so that a run which was
 * reset or continued never meets the messages of its earlier execution.
 */
export class TranscriptCache {
  readonly #entries = new Map<string, Entry>();

  open(execution: string, spec: RunSpec, compactions: number): void {
    this.#entries.delete(execution);
    this.#entries.set(execution, { spec, compactions, messages: [] });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > ENTRIES_MAX && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Puts messages at their place. A gap means that the start was dropped: then the entry is of no use. */
  append(execution: string, from: number, messages: readonly Message[]): void {
    const entry = this.#entries.get(execution);
    if (entry === undefined) return;
    if (from > entry.messages.length) {
      this.#entries.delete(execution);
      return;
    }
    entry.messages.splice(from, entry.messages.length - from, ...messages);
  }

  close(execution: string): void {
    this.#entries.delete(execution);
  }

  /** That part of an execution's transcript, or undefined when it is not all here. */
  read(execution: string, { messages: count, compactions }: TranscriptPart): Transcript | undefined {
    const entry = this.#entries.get(execution);
    if (entry === undefined || entry.messages.length < count) return undefined;
    if (compactions !== undefined && compactions !== entry.compactions) return undefined;
    this.#entries.delete(execution);
    this.#entries.set(execution, entry);
    return { spec: entry.spec, messages: entry.messages.slice(0, count) };
  }

  /** The sinks a worker registers. They are called during replay too: that is what refills the cache. */
  sinks(): TranscriptSinks {
    return {
      transcript: {
        open: { fn: ({ runId }, spec, compactions) => this.open(runId, spec, compactions), callDuringReplay: true },
        append: { fn: ({ runId }, from, messages) => this.append(runId, from, messages), callDuringReplay: true },
        // Events are for whoever rebuilds a run; a worker has no use for them, and is not called while it replays.
        noted: { fn: () => undefined, callDuringReplay: false },
        close: { fn: ({ runId }) => this.close(runId), callDuringReplay: true },
      },
    };
  }
}

interface SinkFunction<Arguments extends readonly unknown[]> {
  readonly fn: (info: WorkflowInfo, ...rest: Arguments) => void;
  readonly callDuringReplay: boolean;
}

/** A type, because the SDK wants an index signature that an interface does not have. */
export type TranscriptSinks = {
  readonly transcript: {
    readonly open: SinkFunction<[RunSpec, number]>;
    readonly append: SinkFunction<[number, readonly Message[]]>;
    readonly noted: SinkFunction<[readonly RunEvent[]]>;
    readonly close: SinkFunction<[]>;
  };
};
