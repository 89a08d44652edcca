import * as z from 'zod';

/** Milliseconds, seconds and tokens are whole numbers; a limit of ours always exists, so there is no "unlimited". */
const count = z.int().min(1);

export const limitsSchema = z.strictObject({
  /** Model calls that the run may make. */
  turns: count.max(1_000_000).default(50),
  toolCalls: count.max(10_000_000).default(100),
  /** Milliseconds of work by model and tools. Waiting for people or for a worker never counts. */
  activeMs: count.default(5 * 60_000),
  /** Input and output tokens together. */
  tokens: count.default(20_000_000),
  costUsd: z.number().positive().default(20),
  /** Turns in a row that may end in nothing but errors; one more ends the run. */
  consecutiveErrors: count.optional(),
});

/** How long a run may stay in a state, in milliseconds. What happens then is said by each line. */
export const timeoutsSchema = z.strictObject({
  /** All attempts of one model call; then the run is parked until `resume`. */
  thinkingMs: count.default(2 * 3_600_000),
  /** One attempt of a model call; then it is retried. */
  modelAttemptMs: count.default(15 * 60_000),
  /** All attempts of one tool call; then its outcome is `unknown`, or an error for a read. */
  actingMs: count.default(3_600_000),
  /** Making the plan, all attempts; then the run is parked until `resume`. */
  planningMs: count.default(30 * 60_000),
  /** One critique, all attempts; then the run goes on without it. */
  reflectingMs: count.default(10 * 60_000),
  /** Paused or parked; then the run ends as `stopped`. */
  pausedMs: count.default(30 * 86_400_000),
  /** The closing summary; then a summary is written by rule. */
  finishingMs: count.default(5 * 60_000),
  /** Silence of a working activity until it counts as lost. */
  heartbeatMs: count.default(15_000),
});

export const approvalTermsSchema = z.strictObject({
  /** Milliseconds a person has to answer. */
  timeoutMs: count.default(86_400_000),
  /** What happens at the deadline: that call is denied and the run goes on, or the run stops. */
  onTimeout: z.enum(['deny', 'stop']).default('deny'),
  /** Whether a person is asked what became of a call whose worker was lost, or only the model is told. */
  unknownOutcome: z.enum(['ask', 'tell']).optional(),
});

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

const rules = z.array(z.string()).default([]);

/** The rules of one layer: the operator of the machine, its user, the project, and last the agent itself. */
export const policyLayerSchema = z.strictObject({
  layer: z.enum(['operator', 'user', 'project']),
  /** The file it was read from, for people. */
  source: z.string(),
  allow: rules,
  ask: rules,
  deny: rules,
});

/**
 * What happens to a call that no rule decides. `default`: reads run, all else is asked. `auto-edit`: writes of files in
 * the workspace run too. `plan`: nothing but reads runs, whatever the rules say. `unattended`: what would be asked is
 * denied at once. `yolo`: what no rule asks or denies runs; only the operator's settings can enable it.
 */
export const policyModeSchema = z.enum(['default', 'auto-edit', 'plan', 'unattended', 'yolo']);

/** Rules such as `read_file`, `Edit(/reports/**)` or `bash(npm run *)`. Deny beats ask beats allow. */
export const policySchema = z.strictObject({
  /** The agent's own rules, and what was added at the start of the run. */
  allow: rules,
  ask: rules,
  deny: rules,
  mode: policyModeSchema.optional(),
  /** Layers above the agent's, the uppermost first; each can only narrow what those above it leave open. */
  above: z.array(policyLayerSchema).optional(),
});

/** Where a tool that is not built in comes from, pinned so that a change under a running agent is noticed. */
export const toolOriginSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('mcp'),
    server: z.string(),
    /** The server's own name of the tool. */
    tool: z.string(),
    /** Digest of how the server is started or reached; the worker finds the rest by it. */
    config: z.string(),
    /** Digest of the definition as the server listed it. */
    pin: z.string(),
  }),
  z.strictObject({
    kind: z.literal('command'),
    /** Gets the tool's name as its last argument and the input as JSON on stdin. */
    call: z.string(),
    tool: z.string(),
    source: z.string(),
  }),
  z.strictObject({
    /** The model API runs it by itself, within its own reply. */
    kind: z.literal('api'),
    /** As the API names it, such as `web_search_20250305`. */
    type: z.string(),
  }),
]);

export const toolDefinitionSchema = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string(),
  /** JSON schema, as sent to the model. */
  inputSchema: z.record(z.string(), z.unknown()),
  effect: z.enum(['read', 'idempotent', 'keyed', 'checkable', 'unsafe']),
  /** Milliseconds one attempt may take. */
  timeoutMs: count,
  /** A short read that may run beside the workflow as a local activity: one event in history instead of six. */
  local: z.boolean(),
  /** Left out by the built-in tools. */
  origin: toolOriginSchema.optional(),
  /** True when it touches nothing but what is the agent's own, so that nobody need be asked. */
  own: z.boolean().optional(),
  /** Told to the model with the result of the first use, instead of in every request. */
  instructions: z.string().optional(),
  /** True when the model is not shown the definition until it searches for it. */
  deferred: z.boolean().optional(),
});

/** Everything a run needs to know, frozen at its start. An edit to any file never changes a run in flight. */
export const runSpecSchema = z.strictObject({
  /** The run's id, which is also its workflow id. */
  runId: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,120}$/),
  title: z.string().max(200),
  agent: z.strictObject({
    name: z.string().min(1).max(64),
    /** Where the agent file was found, for people; empty when it was given as data. */
    source: z.string(),
    /** `sha256:…` over the resolved definition. */
    digest: z.string(),
  }),
  model: modelChoiceSchema,
  system: z.string(),
  /** The first user message. */
  task: z.string().min(1),
  tools: z.array(toolDefinitionSchema),
  /** What is told with the first use of any of these tools, gathered from their definitions. */
  instructions: z.array(z.strictObject({ tools: z.array(z.string()), text: z.string() })).optional(),
  policy: policySchema,
  approvals: approvalTermsSchema,
  /** Whether the model writes a plan before it may use a tool. */
  planning: z.boolean().default(false),
  /** The agent that makes the plan, where there is one; without it the agent plans by itself. */
  planner: z.strictObject({ name: z.string(), system: z.string(), model: modelChoiceSchema }).optional(),
  /** Turns without a change of the list after which the agent is reminded of it; never when left out. */
  remindAfterTurns: count.optional(),
  critique: critiqueSchema.prefault({}),
  /** The model of everything that only screens; without one the run's own model judges, with the whole transcript. */
  screening: modelChoiceSchema.optional(),
  /** Whether a model is asked if the task is done, before the run completes. */
  completionCheck: z.boolean().optional(),
  /** Without it nothing looks for loops. */
  loops: loopsSchema.optional(),
  outputs: z.array(outputSchema).optional(),
  /** Without it a rule compacts, as it was before there was a choice. */
  compaction: compactionSchema.optional(),
  /** Whether a read that finds what it found before is answered by saying so. */
  reuseReads: z.boolean().optional(),
  budget: budgetSchema.optional(),
  hooks: z.array(hookSchema).optional(),
  limits: limitsSchema,
  timeouts: timeoutsSchema,
  /** Absolute path of the folder the tools work in, on the host of the task queue. */
  workspace: z.string(),
  startedBy: z.string(),
});

export type Limits = z.infer<typeof limitsSchema>;
export type Timeouts = z.infer<typeof timeoutsSchema>;
export type ApprovalTerms = z.infer<typeof approvalTermsSchema>;
export type Critique = z.infer<typeof critiqueSchema>;
export type CritiqueMoment = z.infer<typeof critiqueMomentSchema>;
export type Planner = NonNullable<RunSpec['planner']>;
export type Price = z.infer<typeof priceSchema>;
export type Loops = z.infer<typeof loopsSchema>;
export type Output = z.infer<typeof outputSchema>;
export type Compaction = z.infer<typeof compactionSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type Hook = z.infer<typeof hookSchema>;
export type HookMoment = z.infer<typeof hookMomentSchema>;
export type Policy = z.infer<typeof policySchema>;
export type PolicyLayer = z.infer<typeof policyLayerSchema>;
export type PolicyMode = z.infer<typeof policyModeSchema>;
export type ToolOrigin = z.infer<typeof toolOriginSchema>;
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
export type ModelChoice = z.infer<typeof modelChoiceSchema>;
export type RunSpec = z.infer<typeof runSpecSchema>;
