import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Amount } from '../../../src/contract/activities.ts';
import type { Cap } from '../../../src/contract/budget.ts';
import { emptyLedger, type Ledger } from '../../../src/core/budget/ledger-state.ts';
import { lease, viewOf, type LeaseRequest } from '../../../src/core/budget/ledger.ts';
import { answered, covers, emptyPurse, nextLease, spend, type Purse } from '../../../src/core/budget/purse.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;
const RUNS = ['a', 'b', 'c', 'd'];
const SHARED = 'day:2026-11-21';

const money = fc.integer({ min: 0, max: 3_000_000 }).map((parts) => parts / 1_000_000);
const tokens = fc.integer({ min: 0, max: 50_000 });
const amount = fc.record({ costUsd: money, tokens });
const cap = fc.record({ costUsd: money.filter((sum) => sum > 0), tokens: tokens.filter((sum) => sum > 0) });

/** What a run does next: calls the model, hands back, asks once more for what it was answered, or dies. */
const move = fc.record({
  run: fc.constantFrom(...RUNS),
  kind: fc.constantFrom('call', 'call', 'call', 'call', 'hand back', 'repeat', 'top up'),
  estimate: amount,
  /** Share of the estimate that the call takes; some take more. */
  taken: fc.double({ min: 0, max: 1.5, noNaN: true }),
});
type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

interface World {
  ledger: Ledger;
  readonly purses: Map<string, Purse>;
  readonly lasts: Map<string, LeaseRequest>;
  /** By run, the most that one of its calls took beyond what was reserved for it. */
  readonly over: Map<string, Amount>;
  toppedUp: Amount;
  repeatsDiffer: boolean;
  now: number;
}

const newWorld = (): World => ({
  ledger: emptyLedger,
  purses: new Map(),
  lasts: new Map(),
  over: new Map(),
  toppedUp: { costUsd: 0, tokens: 0 },
  repeatsDiffer: false,
  now: NOON,
});

const add = (a: Amount, b: Amount): Amount => ({ costUsd: a.costUsd + b.costUsd, tokens: a.tokens + b.tokens });
const times = ({ costUsd, tokens }: Amount, share: number): Amount => ({
  costUsd: costUsd * share,
  tokens: Math.round(tokens * share),
});

function ask(world: World, run: string, caps: readonly Cap[], input: LeaseRequest['input']): void {
  const { now } = world;
  const request = { run, execution: run, caps, now, today: new Date(now).toISOString().slice(0, 10), input };
  const { ledger, result } = lease(world.ledger, request);
  if (result === null) throw new Error('a run asked in the wrong order');
  world.ledger = ledger;
  world.lasts.set(run, request);
  world.purses.set(run, answered(world.purses.get(run) ?? emptyPurse, result));
}

function play(world: World, { run, kind, estimate, taken }: Move, caps: readonly Cap[]): void {
  const purse = world.purses.get(run) ?? emptyPurse;
  if (kind === 'repeat') {
    const last = world.lasts.get(run);
    if (last === undefined) return;
    const again = lease(world.ledger, last);
    world.repeatsDiffer ||= again.ledger !== world.ledger;
    world.repeatsDiffer ||= purse.refused === null && again.result?.status === 'refused';
    return;
  }
  if (kind === 'hand back') return ask(world, run, caps, nextLease(purse, { costUsd: 0, tokens: 0 }, { isLast: true }));
  if (kind === 'top up') {
    world.toppedUp = add(world.toppedUp, estimate);
    const topUp = { id: `${run}-${purse.leases}`, cap: SHARED, by: 'ann', ...estimate };
    return ask(world, run, caps, nextLease(purse, { costUsd: 0, tokens: 0 }, { topUp }));
  }
  if (!covers(purse, estimate)) ask(world, run, caps, nextLease(purse, estimate));
  const now = world.purses.get(run) ?? emptyPurse;
  if (!covers(now, estimate)) return;
  const took = times(estimate, taken);
  const over = {
    costUsd: Math.max(0, took.costUsd - estimate.costUsd),
    tokens: Math.max(0, took.tokens - estimate.tokens),
  };
  world.over.set(run, larger(world.over.get(run) ?? over, over));
  world.purses.set(run, spend(now, took));
}

const larger = (a: Amount, b: Amount): Amount => ({
  costUsd: Math.max(a.costUsd, b.costUsd),
  tokens: Math.max(a.tokens, b.tokens),
});

const sum = (amounts: readonly Amount[]): Amount => amounts.reduce(add, { costUsd: 0, tokens: 0 });
/** Sums of up to a hundred amounts, each rounded to a billionth. */
const CRUMBS = 1e-6;

test('whatever runs do in whatever order, they spend at most caps, top-ups, and what one call of each took too much', () => {
  fc.assert(
    fc.property(cap, fc.array(move, { maxLength: 100 }), (shared, moves) => {
      const world = newWorld();
      for (const one of moves) {
        play(world, one, [{ key: SHARED, ...shared }]);
        const [counter] = viewOf(world.ledger).counters;
        const held = add(counter?.spent ?? times(shared, 0), counter?.leased ?? times(shared, 0));
        const most = add(add(shared, world.toppedUp), sum([...world.over.values()]));
        expect(held.costUsd).toBeLessThanOrEqual(most.costUsd + CRUMBS);
        expect(held.tokens).toBeLessThanOrEqual(most.tokens);
        const spent = sum([...world.purses.values()].map((purse) => purse.spent));
        expect(spent.costUsd).toBeLessThanOrEqual(most.costUsd + CRUMBS);
      }
    }),
  );
});

test('calls that keep to their estimates never pass a cap, not even of several that are shared differently', () => {
  fc.assert(
    fc.property(cap, cap, fc.array(move, { maxLength: 100 }), (shared, own, moves) => {
      const world = newWorld();
      for (const one of moves.filter(({ kind }) => kind !== 'top up')) {
        play(world, { ...one, taken: Math.min(1, one.taken) }, [
          { key: SHARED, ...shared },
          { key: `tree:${one.run}`, ...own },
        ]);
        for (const { cap: most, spent, leased } of viewOf(world.ledger).counters) {
          expect(spent.costUsd + leased.costUsd).toBeLessThanOrEqual((most.costUsd ?? 0) + CRUMBS);
          expect(spent.tokens + leased.tokens).toBeLessThanOrEqual(most.tokens ?? 0);
        }
      }
    }),
  );
});

test('a lease that is asked for again changes nothing and hears the same', () => {
  fc.assert(
    fc.property(cap, fc.array(move, { maxLength: 60 }), (shared, moves) => {
      const world = newWorld();
      for (const one of moves) play(world, one, [{ key: SHARED, ...shared }]);
      expect(world.repeatsDiffer).toBe(false);
      for (const request of world.lasts.values()) {
        const first = lease(world.ledger, request);
        expect(lease(first.ledger, request)).toEqual(first);
      }
    }),
  );
});

test('when every run has handed back, what the ledger counts is what the runs spent', () => {
  fc.assert(
    fc.property(cap, fc.array(move, { maxLength: 60 }), (shared, moves) => {
      const world = newWorld();
      const caps = [{ key: SHARED, ...shared }];
      for (const one of moves) play(world, one, caps);
      for (const run of RUNS) play(world, { run, kind: 'hand back', estimate: times(shared, 0), taken: 0 }, caps);
      const [counter] = viewOf(world.ledger).counters;
      const spent = sum([...world.purses.values()].map((purse) => purse.spent));
      expect(counter?.leased).toEqual({ costUsd: 0, tokens: 0 });
      expect(counter?.spent.tokens).toBe(spent.tokens);
      expect(counter?.spent.costUsd).toBeCloseTo(spent.costUsd, 6);
    }),
  );
});

test('a run spends of the day on which it was granted its slice, and each day has the whole of its budget', () => {
  fc.assert(
    fc.property(cap, fc.array(fc.tuple(move, fc.boolean()), { maxLength: 60 }), (shared, moves) => {
      const world = newWorld();
      const caps = [{ key: SHARED, ...shared }];
      const slices = new Map<string, number>();
      const spent = new Map<string, number>();
      for (const [one, isLater] of moves.filter(([{ kind }]) => kind === 'call' || kind === 'hand back')) {
        if (isLater) world.now += DAY_MS / 4;
        const before = world.purses.get(one.run) ?? emptyPurse;
        play(world, { ...one, taken: Math.min(1, one.taken) }, caps);
        const after = world.purses.get(one.run) ?? emptyPurse;
        if (after.leases > before.leases && after.refused === null) slices.set(one.run, world.now);
        const day = new Date(slices.get(one.run) ?? NOON).toISOString().slice(0, 10);
        const took = after.spent.tokens - before.spent.tokens;
        if (took > 0) spent.set(`day:${day}`, (spent.get(`day:${day}`) ?? 0) + took);
      }
      for (const run of RUNS) play(world, { run, kind: 'hand back', estimate: times(shared, 0), taken: 0 }, caps);
      const known = viewOf(world.ledger).counters.filter((counter) => counter.spent.tokens > 0);
      for (const counter of known) {
        expect(counter.spent.tokens).toBe(spent.get(counter.key));
        expect(counter.spent.tokens).toBeLessThanOrEqual(shared.tokens);
        expect(counter.leased.tokens).toBe(0);
      }
    }),
  );
});
