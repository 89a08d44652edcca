import { defineSearchAttributeKey } from '@temporalio/common';
import type { ConnectionLike } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../contract/names.ts';
import { isRefusal } from './connect.ts';
import { NotAllowed } from './errors.ts';

/** The search attributes with their types, for clients and list columns. */
export const searchAttributeKeys = {
  agent: defineSearchAttributeKey('NightshiftAgent', SEARCH_ATTRIBUTES.NightshiftAgent),
  state: defineSearchAttributeKey('NightshiftState', SEARCH_ATTRIBUTES.NightshiftState),
  waitingFor: defineSearchAttributeKey('NightshiftWaitingFor', SEARCH_ATTRIBUTES.NightshiftWaitingFor),
  costUsd: defineSearchAttributeKey('NightshiftCostUsd', SEARCH_ATTRIBUTES.NightshiftCostUsd),
  parent: defineSearchAttributeKey('NightshiftParent', SEARCH_ATTRIBUTES.NightshiftParent),
  stopReason: defineSearchAttributeKey('NightshiftStopReason', SEARCH_ATTRIBUTES.NightshiftStopReason),
  verdict: defineSearchAttributeKey('NightshiftVerdict', SEARCH_ATTRIBUTES.NightshiftVerdict),
  redone: defineSearchAttributeKey('NightshiftRedone', SEARCH_ATTRIBUTES.NightshiftRedone),
  loop: defineSearchAttributeKey('NightshiftLoop', SEARCH_ATTRIBUTES.NightshiftLoop),
} as const;

const { IndexedValueType } = proto.temporal.api.enums.v1;

const VALUE_TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
} as const;

/** One question or order to a cluster, in milliseconds. */
const CALL_TIMEOUT_MS = 10_000;

/**
 * Registers the search attributes that a cluster lacks. Without them every run's first workflow task fails for ever.
 *
 * @throws {NotAllowed} they are missing and the cluster does not let us add them, as Temporal Cloud does not
 */
export async function ensureSearchAttributes(connection: ConnectionLike, namespace: string): Promise<void> {
  const { operatorService } = connection;
  try {
    const { customAttributes } = await connection.withDeadline(
      Date.now() + CALL_TIMEOUT_MS,
      async () => await operatorService.listSearchAttributes({ namespace }),
    );
    const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in customAttributes));
    if (missing.length === 0) return;
    const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, VALUE_TYPES[type]]));
    await connection.withDeadline(
      Date.now() + CALL_TIMEOUT_MS,
      async () => await operatorService.addSearchAttributes({ namespace, searchAttributes }),
    );
  } catch (error) {
    if (isRefusal(error)) throw new NotAllowed('register search attributes', explainByHand(namespace), error);
    throw error;
  }
}

function explainByHand(namespace: string): string {
  const list = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => `${name} (${type.toLowerCase()})`);
  return `the server does not let us; ask its operator to add to the namespace "${namespace}": ${list.join(', ')}`;
}
