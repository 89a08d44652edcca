import type { Policy, PolicyMode, ToolDefinition } from '../contract/spec.ts';
import type { Touch } from '../contract/tool-calls.ts';
import { judgedCall } from '../core/policy/judged-call.ts';
import { decidePolicy, type JudgedCall, type PolicyDecision } from '../core/policy/policy.ts';
import { applies } from '../core/policy/rule.ts';

/** A decision with the file that holds the rule. */
export interface Judgement extends Omit<PolicyDecision, 'grant'> {
  /** Where the rule stands; left out when a default decided. */
  readonly source?: string;
}

/** What would become of a call, and why. */
export interface Explained extends Judgement {
  readonly tool: string;
  readonly input: unknown;
  readonly summary: string;
  readonly effect: ToolDefinition['effect'];
  readonly agent: string | null;
  readonly mode: PolicyMode;
  /** Why this machine cannot confine it. */
  readonly unconfined?: string;
  /** All it reaches for, with what the policy says of each. */
  readonly parts: readonly (Touch & { readonly judgement: Judgement })[];
  readonly notes: readonly string[];
}

/** What the policy says of a tool before anything is known of a call. */
export interface GeneralJudgement extends Judgement {
  /** Rules with a pattern, which decide about some of its calls. */
  readonly patterns: readonly string[];
}

export interface Judging {
  readonly policy: Policy;
  /** The file of the agent, for rules of its own. */
  readonly agentSource: string;
}

export interface FoundOut {
  readonly input: unknown;
  readonly touches?: readonly Touch[];
  readonly unconfined?: string;
}

/** Decides as a run would. */
export function judgeCall(judging: Judging, definition: ToolDefinition, found: FoundOut): Judgement {
  return judge(judging, calledAs(definition, found));
}

/** Decides about each thing that a call reaches for as if it were all of it; whether it is confined is left aside. */
export function judgeParts(
  judging: Judging,
  definition: ToolDefinition,
  { input, touches = [] }: FoundOut,
): readonly Judgement[] {
  return touches.map((touch) => judge(judging, calledAs(definition, { input, touches: [touch] })));
}

/** Decides about a call that no pattern is about. */
export function judgeTool(judging: Judging, definition: ToolDefinition): GeneralJudgement {
  const touches = usualTouches(definition);
  const call = calledAs(definition, { input: {}, ...(touches !== undefined && { touches }) });
  return { ...judge(judging, call), patterns: patternsAbout(judging.policy, call) };
}

function calledAs(definition: ToolDefinition, { input, touches, unconfined }: FoundOut): JudgedCall {
  const check = { ...(touches && { touches }), ...(unconfined !== undefined && { unconfined }) };
  const { name: tool, effect } = definition;
  return judgedCall({ tools: [definition] }, { tool, effect }, { input, check });
}

function judge({ policy, agentSource }: Judging, call: JudgedCall): Judgement {
  const { grant: _grant, ...decision } = decidePolicy(policy, call);
  const source = decision.layer === 'agent' ? agentSource : sourceOf(policy, decision.layer);
  return { ...decision, ...(source !== undefined && source !== '' && { source }) };
}

function sourceOf({ above = [] }: Policy, layer: PolicyDecision['layer']): string | undefined {
  return above.find((candidate) => candidate.layer === layer)?.source;
}

/** A name that no sensible pattern is about. */
const ANY = '\u2026';

const OUTWARD: readonly string[] = ['web_fetch', 'web_search'];

function usualTouches({ name, effect, origin, inputSchema }: ToolDefinition): readonly Touch[] | undefined {
  if (origin !== undefined) return undefined;
  if (name === 'bash') return [{ kind: 'command', text: ANY, bare: ANY }];
  if (OUTWARD.includes(name)) return [{ kind: 'domain', host: ANY }];
  const { path } = (inputSchema['properties'] ?? {}) as { path?: unknown };
  return path === undefined ? [] : [{ kind: 'path', path: ANY, access: effect === 'read' ? 'read' : 'write' }];
}

function patternsAbout(policy: Policy, call: JudgedCall): readonly string[] {
  const layers = [...(policy.above ?? []), policy];
  const rules = layers.flatMap(({ allow, ask, deny }) => [
    ...allow.map((rule) => ({ rule, word: 'allow' })),
    ...ask.map((rule) => ({ rule, word: 'ask' })),
    ...deny.map((rule) => ({ rule, word: 'deny' })),
  ]);
  return rules.filter(({ rule }) => isPatternAbout(rule, call)).map(({ rule, word }) => `${word}: ${rule}`);
}

function isPatternAbout(rule: string, call: JudgedCall): boolean {
  const open = rule.indexOf('(');
  if (open < 0 || rule.endsWith('(*)')) return false;
  const touches = call.touches ?? [];
  return applies(rule.slice(0, open), { ...call, touches }) === 'yes';
}
