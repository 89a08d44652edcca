import type { ModelReply } from '../models/model.ts';

/** Replies that a worker keeps at hand after they came; about as many as it can have in flight. */
const REPLIES_MAX = 256;

/**
 * Keeps each reply until long after it was reported. When the server could not be told of it (an outage of more than
 * ten seconds is enough), the next attempt finds it here, or joins the call that is still going on, instead of paying
 * for another. A model call changes nothing in the world, so it is not worth a file: when the worker dies, it is made
 * again.
 */
export class ReplyKeeper {
  readonly #replies = new Map<string, Promise<ModelReply>>();

  async once(name: string, ask: () => Promise<ModelReply>): Promise<ModelReply> {
    const known = this.#replies.get(name);
    if (known !== undefined) return await known;
    const asked = ask();
    this.#replies.set(name, asked);
    // Only replies are kept: what failed may be asked again.
    asked.catch(() => this.#replies.delete(name));
    this.#forgetOldest();
    return await asked;
  }

  #forgetOldest(): void {
    const [oldest] = this.#replies.keys();
    if (this.#replies.size > REPLIES_MAX && oldest !== undefined) this.#replies.delete(oldest);
  }
}
