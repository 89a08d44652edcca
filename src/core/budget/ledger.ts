import type { Amount, LeaseResult } from '../../contract/activities.ts';
import type { Cap, LedgerAnswer, LedgerRequest, LedgerView } from '../../contract/budget.ts';
import { amountOf, larger, minus, nothing, plus } from './amount.ts';
import { dayOf, keyOn } from './keys.ts';
import { COUNTERS_MAX, type Counter, type Holder, type Ledger } from './ledger-state.ts';
import { prune, type Moment } from './pruning.ts';
import { readLedgerRequest, REQUEST_SHAPE } from './request.ts';
import { fullText, refusalText } from './refusal-text.ts';

/** A request, and when the ledger got it. */
export interface LeaseRequest extends LedgerRequest, Moment {}

export interface Leased {
  readonly ledger: Ledger;
  /** Null when the same execution has asked for a later slice since: nobody waits for this answer any more. */
  readonly result: LeaseResult | null;
}

/** A slice is this part of what is left under the tightest cap, but never more than so many times what was wanted. */
const SLICE_SHARE = 0.02;
const SLICE_TIMES_MAX = 8;

const TOP_UPS_KEPT_MAX = 100;

/**
 * Settles what the run spent of its slice, and grants it a new one in place of what is left of that, if it fits under
 * each of its caps. A repeat changes nothing and hears the same. Each run is judged by its own caps, which were frozen at
 * its start, on counters that it shares.
 */
export function lease(ledger: Ledger, request: LeaseRequest): Leased {
  const known = own(ledger.holders, request.run);
  if (known !== undefined && isRepeat(known, request))
    return { ledger, result: request.input.lease === known.lease ? known.result : null };
  const caps = request.caps.map((cap) => ({ ...cap, key: keyOn(cap.key, request.today) }));
  const pruned = prune(ledger, request);
  const full = caps.find(({ key }) => !hasRoom(pruned, key));
  if (full !== undefined) {
    const refused = refusal(full.key, fullText(), request.input.wanted);
    return { ledger: pruned, result: refused };
  }
  const asked: Asked = { request, caps };
  const holder = holderOf(known, asked);
  const keys = [...caps.map(({ key }) => key), ...(known?.keys ?? []), ...topUpKeys(request)];
  const opened = topUp(openCounters(partOf(pruned, keys), asked, holder), request);
  const closed = known === undefined || known === holder ? opened : close(opened, known);
  const { ledger: part, result } = answer(settle(closed, holder, request), asked);
  return { ledger: { ...part, counters: { ...pruned.counters, ...part.counters } }, result };
}

/** Only the counters that a request is about, so that a large ledger is copied once a request and not at each step. */
function partOf(ledger: Ledger, keys: readonly string[]): Ledger {
  const counters = keys.flatMap((key) => {
    const counter = own(ledger.counters, key);
    return counter === undefined ? [] : [[key, counter] as const];
  });
  return { ...ledger, counters: Object.fromEntries(counters) };
}

function topUpKeys({ input }: LeaseRequest): readonly string[] {
  return input.topUp === undefined ? [] : [input.topUp.cap];
}

/** Answers whatever was sent, in the words of the update. */
export function leaseFor(
  ledger: Ledger,
  given: unknown,
  moment: Moment,
): { readonly ledger: Ledger; readonly answer: LedgerAnswer } {
  const request = readLedgerRequest(given);
  if (request === null) return { ledger, answer: unanswerable(`Cannot read the request: expected ${REQUEST_SHAPE}`) };
  const leased = lease(ledger, { ...request, ...moment });
  const late = `Cannot answer lease ${request.input.lease} of "${request.run}": it has asked for a later one since`;
  return { ledger: leased.ledger, answer: leased.result ?? unanswerable(late) };
}

function unanswerable(message: string): LedgerAnswer {
  return { status: 'unanswerable', message };
}

/** What readers are shown: the newest days and the runs last. */
export function viewOf({ counters, holders }: Ledger): LedgerView {
  const keys = Object.keys(counters).toSorted();
  return {
    counters: keys.flatMap((key) => {
      const counter = own(counters, key);
      if (counter === undefined) return [];
      const { cap, toppedUp, leased, spent } = counter;
      return [{ key, cap, toppedUp, leased, spent }];
    }),
    runs: Object.keys(holders).length,
  };
}

interface Asked {
  readonly request: LeaseRequest;
  readonly caps: readonly Cap[];
}

interface Settled {
  readonly ledger: Ledger;
  readonly holder: Holder;
}

/** After a reset another execution counts its leases from an earlier number; what it asks is new. */
function isRepeat({ execution, lease: last }: Holder, { execution: asking, input }: LeaseRequest): boolean {
  return execution === asking && input.lease <= last;
}

function hasRoom({ counters }: Ledger, key: string): boolean {
  return Object.hasOwn(counters, key) || Object.keys(counters).length < COUNTERS_MAX;
}

/** A tree that had to go while its run went on begins with what that had spent by then. */
function openCounters(ledger: Ledger, { request, caps }: Asked, { spent: before }: Holder): Ledger {
  const opened = caps.map(({ key, costUsd, tokens }) => {
    const cap = { ...(costUsd !== undefined && { costUsd }), ...(tokens !== undefined && { tokens }) };
    const spent = dayOf(key) === null ? before : nothing;
    const fresh = { toppedUp: nothing, leased: nothing, spent, topUps: [] };
    return [key, { ...fresh, ...own(ledger.counters, key), cap, at: request.now }] as const;
  });
  return { ...ledger, counters: { ...ledger.counters, ...Object.fromEntries(opened) } };
}

/** A top-up for a day that has passed is of no use any more: a new day has begun with a cap of its own. */
function topUp(ledger: Ledger, { input }: LeaseRequest): Ledger {
  const added = input.topUp;
  if (added === undefined) return ledger;
  return change(ledger, [added.cap], (counter) => {
    if (counter.topUps.includes(added.id)) return counter;
    const topUps = [...counter.topUps, added.id].slice(-TOP_UPS_KEPT_MAX);
    return { ...counter, topUps, toppedUp: plus(counter.toppedUp, added) };
  });
}

/** Counts what the run spent since it last said so, where its slice is: what is left of yesterday's is still yesterday's. */
function settle(ledger: Ledger, holder: Holder, { execution, input, now }: LeaseRequest): Settled {
  const spent = larger(holder.spent, input.spent);
  const counted = minus(spent, holder.spent);
  const released = minus(sliceOf(holder), sliceOf({ ...holder, spent }));
  const after = change(ledger, holder.keys, (counter) => ({
    ...counter,
    leased: minus(counter.leased, released),
    spent: plus(counter.spent, counted),
  }));
  return { ledger: after, holder: { ...holder, execution, lease: input.lease, spent, at: now } };
}

/**
 * A run that was reset comes anew. Of one that is not known any more only what it spends from now on is counted; its first
 * lease tells all.
 */
function holderOf(known: Holder | undefined, { request: { execution, input, now }, caps }: Asked): Holder {
  if (known !== undefined && input.lease > known.lease) return known;
  const keys = caps.map(({ key }) => key);
  const before = input.lease === 1 ? nothing : input.spent;
  const result: LeaseResult = { status: 'granted', granted: nothing };
  return { execution, lease: 0, result, keys, granted: before, spent: before, isOpen: true, at: now };
}

/** What is left of a slice counts as spent where it was reserved, because the run may still spend it. */
function close(ledger: Ledger, holder: Holder): Ledger {
  const slice = sliceOf(holder);
  return change(ledger, holder.keys, (counter) => ({
    ...counter,
    leased: minus(counter.leased, slice),
    spent: plus(counter.spent, slice),
  }));
}

function answer({ ledger, holder }: Settled, asked: Asked): Leased {
  const { input } = asked.request;
  if (input.isLast === true) return grant({ ledger, holder: { ...holder, isOpen: false } }, asked, nothing);
  const open = { ...holder, isOpen: true };
  const rooms = asked.caps.map((cap) => ({ cap, room: roomUnder(ledger, cap, sliceUnder(cap, holder)) }));
  const tight = rooms.find(({ room }) => !fits(input.wanted, room));
  if (tight !== undefined) return refuse({ ledger, holder: open }, asked, tight);
  return grant(
    { ledger, holder: open },
    asked,
    sizeOf(
      input.wanted,
      rooms.map(({ room }) => room),
    ),
  );
}

/** What the run could still have under a cap, with its own slice handed back; no number where there is no cap. */
type Room = Partial<Amount>;

function roomUnder({ counters }: Ledger, { key, costUsd, tokens }: Cap, slice: Amount): Room {
  const { toppedUp, leased, spent } = own(counters, key) ?? { toppedUp: nothing, leased: nothing, spent: nothing };
  const used = plus(spent, minus(leased, slice));
  const left = minus(amountOf((costUsd ?? 0) + toppedUp.costUsd, (tokens ?? 0) + toppedUp.tokens), used);
  return {
    ...(costUsd !== undefined && { costUsd: left.costUsd }),
    ...(tokens !== undefined && { tokens: left.tokens }),
  };
}

function fits(wanted: Amount, { costUsd = Infinity, tokens = Infinity }: Room): boolean {
  return wanted.costUsd <= costUsd && wanted.tokens <= tokens;
}

/** Whole calls, so that no slice ends in a part that covers none. */
function sizeOf(wanted: Amount, rooms: readonly Room[]): Amount {
  const times = (want: number, room: number): number => (want === 0 ? Infinity : (room * SLICE_SHARE) / want);
  const calls = Math.min(
    SLICE_TIMES_MAX,
    ...rooms.map(({ costUsd = Infinity }) => times(wanted.costUsd, costUsd)),
    ...rooms.map(({ tokens = Infinity }) => times(wanted.tokens, tokens)),
  );
  const whole = Math.max(1, Math.floor(calls));
  return amountOf(wanted.costUsd * whole, wanted.tokens * whole);
}

/** The slice it had goes back to where it was reserved, which may be another day than that of the new one. */
function grant({ ledger, holder }: Settled, { request, caps }: Asked, granted: Amount): Leased {
  const slice = sliceOf(holder);
  const keys = caps.map(({ key }) => key);
  const returned = change(ledger, holder.keys, (counter) => ({ ...counter, leased: minus(counter.leased, slice) }));
  const changed = change(returned, keys, (counter) => ({ ...counter, leased: plus(counter.leased, granted) }));
  const result: LeaseResult = { status: 'granted', granted };
  return keep(changed, request.run, { ...holder, keys, granted: plus(holder.spent, granted), result });
}

/** The run keeps the slice it has. */
function refuse(
  { ledger, holder }: Settled,
  { request }: Asked,
  { cap, room }: { readonly cap: Cap; readonly room: Room },
): Leased {
  const counter = own(ledger.counters, cap.key);
  const others = minus(counter?.leased ?? nothing, sliceUnder(cap, holder));
  const { wanted } = request.input;
  const message = refusalText({ cap, counter, others, room, wanted });
  return keep(ledger, request.run, { ...holder, result: refusal(cap.key, message, { ...wanted, ...room }) });
}

function refusal(cap: string, message: string, left: Amount): LeaseResult {
  return { status: 'refused', cap, message, left };
}

function keep(ledger: Ledger, run: string, holder: Holder): Leased {
  return { ledger: { ...ledger, holders: { ...ledger.holders, [run]: holder } }, result: holder.result };
}

/** As much of a slice as is reserved under a cap: all or nothing. */
function sliceUnder({ key }: Cap, holder: Holder): Amount {
  return holder.keys.includes(key) ? sliceOf(holder) : nothing;
}

function sliceOf({ granted, spent }: Pick<Holder, 'granted' | 'spent'>): Amount {
  return minus(granted, spent);
}

/** Counters that are gone stay gone. */
function change(ledger: Ledger, keys: readonly string[], update: (counter: Counter) => Counter): Ledger {
  const changed = keys.flatMap((key) => {
    const counter = own(ledger.counters, key);
    return counter === undefined ? [] : [[key, update(counter)] as const];
  });
  return { ...ledger, counters: { ...ledger.counters, ...Object.fromEntries(changed) } };
}

/** Keys come from people, so `constructor` must not find anything. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
