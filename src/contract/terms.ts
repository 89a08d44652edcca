import * as z from 'zod';

/**
 * The terms on which a run works: its models and their prices, who judges it, what it delivers, how it remembers, and what
 * it may spend. Each is a part of the `RunSpec`, frozen at its start.
 */

/** Whole numbers of at least one. */
const count = z.int().min(1);

const dollars = z.number().positive();

/** US dollars for a million tokens, where the operator knows a price that we do not. */
export const priceSchema = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0),
  cacheWrite: z.number().min(0),
});

export const modelChoiceSchema = z.strictObject({
  id: z.string().min(1),
  maxTokens: count.max(128_000),
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
  /** Tokens the model's window holds; older turns are compacted before it is full. */
  contextTokens: count,
  /** True when the offline model of this repository stands in; every surface says so. */
  offline: z.boolean(),
  /** Of the operator's settings; the list of this version holds when it is left out. */
  price: priceSchema.optional(),
  /** The most a million tokens may cost, by which calls are reserved from a shared budget. */
  priceCeiling: priceSchema.optional(),
});

/** A moment at which the work is judged. */
const critiqueMomentSchema = z.enum(['every_turn', 'after_errors', 'before_complete']);

/** When the work is judged by a critique, and how far it may send the work back. */
export const critiqueSchema = z.strictObject({
  when: z
    .union([z.enum(['never', 'before_complete', 'every_turn', 'after_errors']), z.array(critiqueMomentSchema)])
    .default('never'),
  /** Judged every so many turns, besides. */
  everyTurns: count.optional(),
  /** How often in one run a critique may have a step done again or the plan made anew. */
  redoMax: count.default(3),
  /** How often in a row the same step may be sent back. */
  retriesPerStep: count.optional(),
  /** 0 to 100; a verdict that is less sure goes to a person. Never when left out. */
  askBelow: z.int().min(0).max(100).optional(),
  /** Commands, as globs, whose last result must be a success before the run may complete. */
  tests: z.array(z.string()).optional(),
  /** True when a run that changed nothing may not complete. */
  expectsChanges: z.boolean().optional(),
  /** Model calls of all critiques together, and what they may cost; then the work is no longer judged. */
  calls: count.optional(),
  costUsd: dollars.optional(),
  /** A model of its own; that of `screening` when left out. */
  model: modelChoiceSchema.optional(),
});

/** When a run that goes round in circles is noticed. Sources of the defaults: `src/core/loops`. */
export const loopsSchema = z.strictObject({
  /** Calls that may be repeated as often as the agent likes, as rules: polling, a batch over files. */
  allow: z.array(z.string()).default([]),
  /** How often a cycle of one to five calls must be repeated. */
  cycleRepeats: count.min(2).default(5),
  /** How often a passage of 50 characters must come back close together. */
  chantRepeats: count.min(2).default(10),
  /** Replies in a row that say the same and do nothing new. */
  sameReplies: count.min(2).default(4),
  /** Turns in a row that learn nothing and change nothing. */
  noProgressTurns: count.min(2).default(12),
  /** Turns after which a model judges whether the run is stuck; never when left out. */
  judgeAfterTurns: count.optional(),
});

/** A value the agent is to deliver, by the tool `emit_value`. */
export const outputSchema = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/),
  description: z.string().optional(),
  /** JSON schema of the value. */
  schema: z.record(z.string(), z.unknown()),
});

/** How old turns make room for new ones. */
export const compactionSchema = z.strictObject({
  /** Share of the model's window after which old turns become a summary. */
  windowShare: z.number().gt(0).lt(1).default(0.6),
  /** Share of the newest messages that is kept word for word. */
  keptShare: z.number().gt(0).lt(1).default(0.6),
  /**
   * Share of the window that a conversation must have gained since its latest compaction before there is another. Runs
   * that began without one are compacted in every turn past `windowShare`.
   */
  regrowthShare: z.number().gt(0).lt(1).optional(),
  /** Who writes the summary: the API itself, a model, or a rule. What cannot be had falls back to the next. */
  by: z.enum(['api', 'model', 'rule']).default('model'),
});

/** What runs may spend together. Each key is a counter of the ledger; a cap left out is not watched. */
export const budgetSchema = z.strictObject({
  /** What happens at a cap: a person is asked to top up, or the run stops. */
  atCap: z.enum(['ask', 'stop']).default('ask'),
  /** The ledger's workflow id; without one only the run's own limits hold. */
  ledger: z.string().optional(),
  caps: z
    .array(
      z.strictObject({
        /** Such as `day:2026-11-21`, `agent:auditor:2026-11-21` or `tree:<run id>`; at most 200 characters. */
        key: z.string().min(1).max(200),
        costUsd: dollars.optional(),
        tokens: count.optional(),
      }),
    )
    .default([]),
});

/** A moment at which an operator's command is run. */
export const hookMomentSchema = z.enum([
  'before_model',
  'after_model',
  'before_tool',
  'after_tool',
  'after_critique',
  'before_stop',
]);

export const hookSchema = z.strictObject({
  name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/),
  on: hookMomentSchema,
  /** Rules for the calls it is about; all when left out. Of moments with a tool only. */
  match: z.array(z.string()).optional(),
  /** Gets what happened as JSON on stdin, and may answer with JSON on stdout. */
  command: z.string().min(1),
  effect: z.enum(['read', 'idempotent', 'keyed', 'unsafe']),
  timeoutMs: count,
  /** True when a call may not run where the hook failed. Of `before_tool` only. */
  required: z.boolean().optional(),
});

export type Critique = z.infer<typeof critiqueSchema>;
export type CritiqueMoment = z.infer<typeof critiqueMomentSchema>;
export type Price = z.infer<typeof priceSchema>;
export type Loops = z.infer<typeof loopsSchema>;
export type Output = z.infer<typeof outputSchema>;
export type Compaction = z.infer<typeof compactionSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type Hook = z.infer<typeof hookSchema>;
export type HookMoment = z.infer<typeof hookMomentSchema>;
export type ModelChoice = z.infer<typeof modelChoiceSchema>;
