import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import type { Effect } from '../contract/tool-calls.ts';
import { canonicalJson } from '../tools/digest.ts';

type Described = Pick<Tool, 'name' | 'description' | 'inputSchema' | 'annotations'>;

/** Digest of all that a model or a policy goes by when it deals with a tool. Throws a `RangeError` on absurd nesting. */
export function pinOf({ name, description, inputSchema, annotations }: Described): string {
  const text = canonicalJson({ name, description, inputSchema, annotations });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** What the server says a tool does to the world. Whether it is believed is for the policy to say. */
export function effectOf({ annotations }: Described): Effect {
  if (annotations?.readOnlyHint === true) return 'read';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}
