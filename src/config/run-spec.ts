import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { SPEC_BYTES_MAX, TASK_BYTES_MAX } from '../contract/limits.ts';
import { emitValueDefinition } from '../contract/control-tools.ts';
import { type Planner, type RunSpec, runSpecSchema, type ToolDefinition } from '../contract/spec.ts';
import { type Budget, type Hook, type ModelChoice } from '../contract/terms.ts';
import type { AgentFile } from './agent-file.ts';
import { digestOf } from './canonical-json.ts';
import { ConfigError } from './config-error.ts';
import { chooseCritic, chooseModel, chooseScreening, type ModelCatalog } from './model-choice.ts';
import { offerTools, roomForTools } from './offered-tools.ts';
import type { Settings } from './settings.ts';
import { systemPrompt } from './system-prompt.ts';
import { resolveTerms, type SpecOverrides, type Terms, type TermsQuestion } from './terms.ts';
import { zodProblems } from './zod-problems.ts';

export interface RunRequest {
  readonly agentFile: AgentFile;
  readonly task: string;
  /** Absolute path on the host of the task queue. */
  readonly workspace: string;
  readonly overrides?: SpecOverrides;
  readonly settings: Pick<Settings, 'anthropic' | 'model' | 'user'>;
  /** All tools there are for this run; the agent's file chooses among them. */
  readonly toolDefinitions: readonly ToolDefinition[];
  /** The tools by which others are found and called, given only to runs with very many. */
  readonly searchDefinitions?: readonly ToolDefinition[];
  /** What operator, user and project say, which stands above the agent; nothing when left out. */
  readonly above?: TermsQuestion['above'];
  readonly models: ModelCatalog;
  /** The agent that makes the plan of agents that plan, where there is one. */
  readonly planner?: AgentFile;
  readonly budget?: Budget;
  /** Of operator, user and project. */
  readonly hooks?: readonly Hook[];
  /** What a model may cost at most, or undefined when nobody knows; throws where that is not allowed. */
  readonly priceOf?: (model: Pick<ModelChoice, 'id' | 'offline'>) => Pick<ModelChoice, 'price' | 'priceCeiling'>;
  readonly now: Date;
}

/**
 * Freezes everything a run needs to know. What is said nearer to the start wins: the command, then the environment,
 * then the agent file, then the defaults; only the policy of an agent can never be widened from outside.
 *
 * @throws {ConfigError} something is missing, contradictory or too large
 */
export function resolveRunSpec(request: RunRequest): RunSpec {
  const { agentFile, task, workspace, settings, now } = request;
  const overrides = request.overrides ?? {};
  const knownTools = request.toolDefinitions.map(({ name }) => name);
  const terms = resolveTerms({ agentFile, overrides, knownTools, ...(request.above && { above: request.above }) });
  const definition = definitionOf(request, terms);
  const digest = digestOf({
    ...definition,
    name: agentFile.name,
    prompt: agentFile.prompt,
    thinking: agentFile.settings.thinking,
  });
  checkTask(task, workspace);
  return checkSpec(agentFile.source, {
    ...definition,
    runId: overrides.runId ?? newRunId(agentFile.name),
    title: overrides.title ?? titleOf(task),
    agent: { name: agentFile.name, source: agentFile.source, digest },
    system: systemPrompt({
      name: agentFile.name,
      workspace,
      now,
      prompt: agentFile.prompt,
      ...(agentFile.settings.thinking && { thinking: agentFile.settings.thinking }),
    }),
    task,
    workspace,
    startedBy: overrides.startedBy ?? settings.user,
  });
}

/** What an agent is in this run, apart from its task and its place. */
function definitionOf(request: RunRequest, terms: Terms): Partial<RunSpec> {
  const tools = [...roomForTools(chooseTools(request)).kept, ...outputTools(terms)];
  const { budget, hooks = [], planner } = request;
  return {
    ...terms,
    ...chooseModels(request, terms),
    ...offerTools(tools, request.searchDefinitions ?? []),
    ...(planner !== undefined && terms.planning && { planner: plannerOf(request, planner) }),
    ...(budget !== undefined && { budget }),
    ...(hooks.length > 0 && { hooks: [...hooks] }),
    approvals: { ...terms.approvals, unknownOutcome: terms.approvals.unknownOutcome ?? ('ask' as const) },
  };
}

/** The models of a run and of what screens its work, with what is known of their prices. */
function chooseModels(request: RunRequest, terms: Terms): Pick<RunSpec, 'model' | 'screening' | 'critique'> {
  const { agentFile, settings, models, priceOf = () => ({}) } = request;
  const question = { agentFile, overrides: request.overrides ?? {}, settings, models };
  const priced = (choice: ModelChoice): ModelChoice => ({ ...choice, ...priceOf(choice) });
  const critic = chooseCritic(question);
  return {
    model: priced(chooseModel(question)),
    screening: priced(chooseScreening(question)),
    critique: { ...terms.critique, ...(critic !== undefined && { model: priced(critic) }) },
  };
}

/** The plan is made by another agent's instructions and model, but about this run's task. */
function plannerOf(request: RunRequest, planner: AgentFile): Planner {
  const { settings, models, workspace, now, priceOf = () => ({}) } = request;
  const model = chooseModel({ agentFile: planner, overrides: {}, settings, models });
  return {
    name: planner.name,
    system: systemPrompt({ name: planner.name, workspace, now, prompt: planner.prompt }),
    model: { ...model, ...priceOf(model) },
  };
}

/** An agent that declares outputs has the tool that delivers them, whatever tools it names. */
function outputTools({ outputs = [] }: Terms): readonly ToolDefinition[] {
  return outputs.length === 0 ? [] : [emitValueDefinition(outputs)];
}

/** Those that an agent's file gives it, whether a run has room for all of them or not. */
export function chooseTools({
  agentFile,
  toolDefinitions,
}: Pick<RunRequest, 'agentFile' | 'toolDefinitions'>): readonly ToolDefinition[] {
  const { tools, disallowedTools } = agentFile;
  const isNamed = (names: readonly string[], name: string): boolean =>
    names.some((pattern) => namesTool(pattern, name));
  return toolDefinitions.filter(({ name }) => {
    return (tools === null || isNamed(tools, name)) && !isNamed(disallowedTools, name);
  });
}

/** `mcp__github` and `mcp__github__*` name all tools of that server. */
function namesTool(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  const start = pattern.endsWith('*') ? pattern.slice(0, -1) : `${pattern}__`;
  return pattern.startsWith('mcp__') && name.startsWith(start);
}

/** Six random bytes: a million runs of one agent meet with a chance of one in five hundred, and then the start is refused. */
export function newRunId(agent: string): string {
  const slug = agent
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${slug}-${randomBytes(6).toString('hex')}`;
}

/** The first line of the task, cut between characters. */
function titleOf(task: string): string {
  const [line = ''] = task.trim().split('\n');
  const characters = [...line.trim()];
  return characters.length <= 100 ? line.trim() : `${characters.slice(0, 99).join('')}…`;
}

function checkTask(task: string, workspace: string): void {
  const bytes = Buffer.byteLength(JSON.stringify(task));
  if (task.trim() === '') throw new ConfigError('task', ['it is empty; expected what the agent should do']);
  if (bytes > TASK_BYTES_MAX) {
    throw new ConfigError('task', [
      `it has ${bytes} bytes; expected at most ${TASK_BYTES_MAX}, so put the rest into a file`,
    ]);
  }
  if (!isAbsolute(workspace)) throw new ConfigError('workspace', [`expected an absolute path, got "${workspace}"`]);
}

function checkSpec(source: string, spec: unknown): RunSpec {
  const result = runSpecSchema.safeParse(spec);
  if (!result.success) {
    throw new ConfigError(source, zodProblems(result.error, { at: '', input: spec, keysOf: () => [] }));
  }
  const bytes = Buffer.byteLength(JSON.stringify(result.data));
  if (bytes <= SPEC_BYTES_MAX) return result.data;
  throw new ConfigError(source, [`with its tools and task it has ${bytes} bytes; expected at most ${SPEC_BYTES_MAX}`]);
}
