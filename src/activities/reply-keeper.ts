import { randomUUID } from 'node:crypto';
import type { LiveText } from '../contract/activities.ts';
import type { Usage } from '../contract/messages.ts';
import type { ModelReply } from '../models/model.ts';

/** Replies that a worker keeps at hand after they came; about as many as it can have in flight. */
const REPLIES_MAX = 256;

/** How far a request to the model has come. */
export interface Progress {
  readonly live?: LiveText;
  readonly usage?: Usage;
}

/** Is told of the progress of a request, by the name the request is given. */
export type Watch = (request: string, progress: Progress) => void;

export interface KeptReply {
  readonly request: string;
  readonly reply: ModelReply;
}

/**
 * Keeps each reply until long after it was reported. When the server could not be told of it (an outage of more than
 * ten seconds is enough), the next attempt finds it here, or joins the call that is still going on, instead of paying
 * for another. It then watches the same request under the same name, so that what it uses is counted once. A model call
 * changes nothing in the world, so it is not worth a file: when the worker dies, it is made again.
 */
export class ReplyKeeper {
  readonly #requests = new Map<string, Request>();

  async once(name: string, watch: Watch, ask: Ask): Promise<KeptReply> {
    const request = this.#requests.get(name) ?? this.#begin(name, ask);
    request.show(watch);
    return { request: request.id, reply: await request.reply };
  }

  #begin(name: string, ask: Ask): Request {
    const request = new Request(ask);
    this.#requests.set(name, request);
    // Only replies are kept: what failed may be asked again.
    request.reply.catch(() => this.#requests.delete(name));
    this.#forgetOldest();
    return request;
  }

  #forgetOldest(): void {
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > REPLIES_MAX && oldest !== undefined) this.#requests.delete(oldest);
  }
}

type Ask = (report: (progress: Progress) => void) => Promise<ModelReply>;

class Request {
  readonly id = `r-${randomUUID().slice(0, 8)}`;
  readonly reply: Promise<ModelReply>;
  #progress: Progress = {};
  #watch: Watch = () => undefined;

  constructor(ask: Ask) {
    this.reply = ask((progress) => {
      this.#progress = { ...this.#progress, ...progress };
      this.#watch(this.id, this.#progress);
    });
  }

  /** One attempt watches at a time: the server has given up all before the newest. */
  show(watch: Watch): void {
    this.#watch = watch;
    watch(this.id, this.#progress);
  }
}
