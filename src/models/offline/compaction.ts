import { createHash, createHmac } from 'node:crypto';
import { CompactionRefused, fieldsOf, RequestRefused, type Fields } from './refused.ts';
import type { WireBlock, WireMessage, WireRequest } from './request.ts';

const COMPACTION_BETA = 'compact-2026-09-04';

/** The limit of the real API. */
const INSTRUCTIONS_CHARACTERS_MAX = 16_384;

/** What else the real API refuses beside `compaction`, because it would do nothing. */
const NOT_BESIDE = ['stop_sequences', 'context_management'];

/** Reads the wish for a summary, or throws as the API would answer. */
export function readCompaction(fields: Fields, betas: readonly string[]): WireRequest['compaction'] {
  const { compaction, messages } = fields;
  if (compaction === undefined || compaction === null) return null;
  if (!betas.includes(COMPACTION_BETA))
    throw new RequestRefused(`compaction: requires anthropic-beta: ${COMPACTION_BETA}`);
  const { type, instructions = '' } = fieldsOf(compaction, 'compaction');
  if (type !== 'summarize') throw new RequestRefused("compaction.type: Input should be 'summarize'");
  if (typeof instructions !== 'string' || instructions.length > INSTRUCTIONS_CHARACTERS_MAX)
    throw new RequestRefused(
      `compaction.instructions: String should have at most ${INSTRUCTIONS_CHARACTERS_MAX} characters`,
    );
  checkBeside(fields);
  if (Array.isArray(messages) && messages.length === 0)
    throw new CompactionRefused('nothing_to_summarize', 'messages: there is nothing to summarize');
  return { instructions: instructions.trim() };
}

function checkBeside(fields: Fields): void {
  const format = (fields['output_config'] as Fields | undefined)?.['format'];
  const wrong = NOT_BESIDE.find((name) => fields[name] !== undefined && fields[name] !== null);
  const named = wrong ?? (format === undefined || format === null ? undefined : 'output_config.format');
  if (named !== undefined) throw new RequestRefused(`${named}: cannot be combined with \`compaction\``);
}

/** What a signed summary stands for. */
interface Summary {
  /** Stands for `system` and `tools` as they were. */
  readonly base: string;
  /** Stands for everything that was summarised, as if it were still there. */
  readonly prefix: string;
  /** Who spoke last of it. */
  readonly lastRole: WireMessage['role'];
  /** Digest of the summary's text. */
  readonly text: string;
}

/** The block that takes the place of all messages of `request`. `base` and `prefix` are hashes of what stood there. */
export function compactionBlock(
  text: string,
  { messages }: Pick<WireRequest, 'messages'>,
  { base, prefix }: Pick<Summary, 'base' | 'prefix'>,
): WireBlock {
  const lastRole = messages.at(-1)?.role ?? 'user';
  const summary: Summary = { base, prefix, lastRole, text: digestOf(text) };
  return { type: 'compaction', content: text, signature: sign(summary) };
}

/** The summary that a conversation begins with, or null when it begins with none. Throws when it is not as it was given. */
export function summaryOf([first]: readonly WireMessage[]): Summary | null {
  const block = first?.content[0];
  if (block?.type !== 'compaction' || typeof block['content'] !== 'string') return null;
  const summary = verified(block['signature']);
  if (summary === null)
    throw new CompactionRefused('signature_invalid', "messages.0.content.0: the block's `signature` does not verify");
  if (summary.text !== digestOf(block['content']))
    throw new CompactionRefused(
      'content_mismatch',
      'messages.0.content.0: the `content` of the block does not match the text its `signature` recorded',
    );
  return summary;
}

/** Not a secret. It is fixed so that summaries outlive a restart of the process. */
const SIGNING_KEY = 'nightshift offline summary';

function sign(summary: Summary): string {
  const told = Buffer.from(JSON.stringify(summary)).toString('base64url');
  return `${told}.${createHmac('sha256', SIGNING_KEY).update(told).digest('base64url')}`;
}

function verified(signature: unknown): Summary | null {
  const [told = ''] = typeof signature === 'string' ? signature.split('.') : [];
  if (signature !== `${told}.${createHmac('sha256', SIGNING_KEY).update(told).digest('base64url')}`) return null;
  return JSON.parse(Buffer.from(told, 'base64url').toString('utf8')) as Summary;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const BLOCK_FIELDS = ['type', 'content', 'signature', 'encrypted_content', 'tool_changes', 'cache_control'];

/** Refuses a summary that is not the first block of the conversation, not the only one, or not as the API returns it. */
export function checkSummaries({ messages, betas }: Pick<WireRequest, 'messages' | 'betas'>): void {
  const found = messages.flatMap(({ content }, index) =>
    content.flatMap((block, position) => (block.type === 'compaction' ? [{ block, index, position }] : [])),
  );
  for (const { block, index, position } of found) {
    const place = `messages.${index}.content.${position}`;
    if (!betas.includes(COMPACTION_BETA))
      throw new RequestRefused(`${place}: 'compaction' is not one of the expected content block types`);
    const extra = Object.keys(block).find((name) => !BLOCK_FIELDS.includes(name));
    if (extra !== undefined) throw new RequestRefused(`${place}.compaction.${extra}: Extra inputs are not permitted`);
  }
  checkPlaces(found.filter(({ block }) => typeof block['content'] === 'string'));
}

function checkPlaces(found: readonly { readonly index: number; readonly position: number }[]): void {
  if (found.length > 1)
    throw new CompactionRefused(
      'block_ambiguous',
      'messages: there is more than one `compaction` block; send the last',
    );
  const [only] = found;
  if (only === undefined || (only.index === 0 && only.position === 0)) return;
  throw new CompactionRefused(
    'block_misplaced',
    `messages.${only.index}.content.${only.position}: a \`compaction\` block must be sent first, in place of the messages it summarizes`,
  );
}
