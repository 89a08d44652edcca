import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { SPEC_BYTES_MAX, TASK_BYTES_MAX } from '../contract/limits.ts';
import { type RunSpec, runSpecSchema, type ToolDefinition } from '../contract/spec.ts';
import type { AgentFile } from './agent-file.ts';
import { digestOf } from './canonical-json.ts';
import { ConfigError } from './config-error.ts';
import { chooseModel, type ModelCatalog } from './model-choice.ts';
import { offerTools } from './offered-tools.ts';
import type { Settings } from './settings.ts';
import { systemPrompt } from './system-prompt.ts';
import { resolveTerms, type SpecOverrides, type TermsQuestion } from './terms.ts';
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
  const definition = {
    model: chooseModel({ agentFile, overrides, settings, models: request.models }),
    ...offerTools(chooseTools(request), request.searchDefinitions ?? []),
    ...terms,
    approvals: { ...terms.approvals, unknownOutcome: terms.approvals.unknownOutcome ?? ('ask' as const) },
  };
  const digest = digestOf({ ...definition, name: agentFile.name, prompt: agentFile.prompt });
  checkTask(task, workspace);
  return checkSpec(agentFile.source, {
    ...definition,
    runId: overrides.runId ?? newRunId(agentFile.name),
    title: overrides.title ?? titleOf(task),
    agent: { name: agentFile.name, source: agentFile.source, digest },
    system: systemPrompt({ name: agentFile.name, workspace, now, prompt: agentFile.prompt }),
    task,
    workspace,
    startedBy: overrides.startedBy ?? settings.user,
  });
}

function chooseTools({ agentFile, toolDefinitions }: RunRequest): readonly ToolDefinition[] {
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
function newRunId(agent: string): string {
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
