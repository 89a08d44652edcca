import * as z from 'zod';
import {
  budgetSchema,
  compactionSchema,
  critiqueSchema,
  hookSchema,
  loopsSchema,
  modelChoiceSchema,
  outputSchema,
} from './terms.ts';

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
export type Planner = NonNullable<RunSpec['planner']>;
export type Policy = z.infer<typeof policySchema>;
export type PolicyLayer = z.infer<typeof policyLayerSchema>;
export type PolicyMode = z.infer<typeof policyModeSchema>;
export type ToolOrigin = z.infer<typeof toolOriginSchema>;
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
export type RunSpec = z.infer<typeof runSpecSchema>;
