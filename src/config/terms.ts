import type * as z from 'zod';
import {
  type ApprovalTerms,
  approvalTermsSchema,
  type Limits,
  limitsSchema,
  type Policy,
  type PolicyMode,
  type Timeouts,
  timeoutsSchema,
} from '../contract/spec.ts';
import {
  type Compaction,
  compactionSchema,
  type Critique,
  critiqueSchema,
  type Loops,
  loopsSchema,
  type Output,
} from '../contract/terms.ts';
import type { AgentFile } from './agent-file.ts';
import type { AgentSettings } from './agent-settings.ts';
import { ConfigError } from './config-error.ts';
import { strictestMode } from './policy-mode.ts';
import type { SettingsLayers } from './settings-files.ts';
import { normaliseRule } from './tool-names.ts';
import { zodProblems } from './zod-problems.ts';

/** What the one who starts a run may say about it. */
export interface SpecOverrides {
  readonly runId?: string;
  readonly title?: string;
  readonly model?: string;
  readonly startedBy?: string;
  readonly limits?: Partial<Limits>;
  readonly approvals?: Partial<ApprovalTerms>;
  /** Added to the agent's own. There is no `allow`: what an agent may do unasked is its author's to say. */
  readonly policy?: { readonly ask?: readonly string[]; readonly deny?: readonly string[] };
  /** Only a stricter one than settings and agent ask for has an effect. */
  readonly mode?: PolicyMode;
}

export interface Terms {
  readonly policy: Policy;
  readonly approvals: ApprovalTerms;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly planning: boolean;
  readonly critique: Omit<Critique, 'model'>;
  readonly remindAfterTurns: number;
  readonly completionCheck: boolean;
  readonly loops: Loops;
  readonly outputs?: Output[];
  readonly compaction: Compaction;
  readonly reuseReads: boolean;
}

export interface TermsQuestion {
  readonly agentFile: AgentFile;
  readonly overrides: SpecOverrides;
  readonly knownTools: readonly string[];
  /** What stands above the agent; nothing when left out. */
  readonly above?: Pick<SettingsLayers, 'layers' | 'mode' | 'yoloEnabled'>;
}

/** @throws {ConfigError} a rule names a tool that does not exist, or a number is out of bounds */
export function resolveTerms(question: TermsQuestion): Terms {
  const { agentFile, overrides } = question;
  const { approvals = {}, limits = {}, timeouts = {}, planning = false } = agentFile.settings;
  const parse = parserOf(agentFile);
  return {
    policy: policyOf(question),
    approvals: parse('approvals', approvalTermsSchema, {
      ...given({ timeoutMs: approvals.timeout, onTimeout: approvals.onTimeout }),
      ...given(overrides.approvals ?? {}),
    }),
    limits: parse('limits', limitsSchema, {
      consecutiveErrors: DEFAULTS.consecutiveErrors,
      ...limitsOf(agentFile.maxTurns, limits),
      ...given(overrides.limits ?? {}),
    }),
    timeouts: parse('timeouts', timeoutsSchema, timeoutsOf(timeouts)),
    planning,
    ...judgementOf(question),
  };
}

type Parse = <T>(at: string, schema: z.ZodType<T>, input: object) => T;

function parserOf({ source }: AgentFile): Parse {
  return (at, schema, input) => {
    const result = schema.safeParse(input);
    if (result.success) return result.data;
    throw new ConfigError(source, zodProblems(result.error, { at, input, keysOf: () => [] }));
  };
}

type Judgement = Omit<Terms, 'policy' | 'approvals' | 'limits' | 'timeouts' | 'planning'>;

/** What judges the work, and how old turns make room. */
function judgementOf({ agentFile, knownTools }: TermsQuestion): Judgement {
  const { settings } = agentFile;
  const { critique = {}, loops = {}, compaction = {}, outputs } = settings;
  const { model: _chosenApart, ...critiqueTerms } = critique;
  const parse = parserOf(agentFile);
  return {
    critique: parse('critique', critiqueSchema, given(critiqueTerms)),
    remindAfterTurns: settings.remindAfterTurns ?? DEFAULTS.remindAfterTurns,
    completionCheck: settings.completionCheck ?? false,
    loops: parse('loops', loopsSchema, {
      judgeAfterTurns: DEFAULTS.judgeAfterTurns,
      ...given(loops),
      allow: rulesOf(loops.allow ?? [], knownTools),
    }),
    ...(outputs !== undefined && { outputs }),
    compaction: parse('compaction', compactionSchema, {
      regrowthShare: DEFAULTS.regrowthShare,
      ...given(compaction),
    }),
    reuseReads: settings.reuseReads ?? true,
  };
}

/** What holds where the agent's file says nothing. A loop judge after 30 turns: the public detector's number. */
const DEFAULTS = { remindAfterTurns: 3, judgeAfterTurns: 30, consecutiveErrors: 3, regrowthShare: 0.1 } as const;

const NOTHING_ABOVE: NonNullable<TermsQuestion['above']> = { layers: [], yoloEnabled: false };

function policyOf({ agentFile, overrides, knownTools, above = NOTHING_ABOVE }: TermsQuestion): Policy {
  const { allow = [], ask = [], deny = [] } = agentFile.settings.policy ?? {};
  const added = (part: 'ask' | 'deny'): readonly string[] => rulesOf(overrides.policy?.[part] ?? [], knownTools);
  const mode = modeOf([above.mode, agentFile.settings.mode, overrides.mode], above.yoloEnabled);
  const { layers } = above;
  return {
    allow: [...allow],
    ask: [...ask, ...added('ask')],
    deny: [...deny, ...added('deny')],
    ...(mode !== undefined && { mode }),
    ...(layers.length > 0 && { above: [...layers] }),
  };
}

function modeOf(modes: readonly (PolicyMode | undefined)[], yoloEnabled: boolean): PolicyMode | undefined {
  if (modes.includes('yolo') && !yoloEnabled)
    throw new ConfigError('mode', ['only the settings of the operator can enable "yolo"']);
  return strictestMode(modes);
}

/** `maxTurns` is the common name; our own key is the more exact one and wins. */
function limitsOf(maxTurns: number | null, limits: NonNullable<AgentSettings['limits']>): object {
  const { activeTime, ...rest } = limits;
  return given({ turns: maxTurns ?? undefined, ...given({ ...rest, activeMs: activeTime }) });
}

function timeoutsOf(timeouts: NonNullable<AgentSettings['timeouts']>): object {
  return Object.fromEntries(Object.entries(timeouts).map(([name, ms]) => [`${name}Ms`, ms]));
}

function rulesOf(written: readonly string[], knownTools: readonly string[]): readonly string[] {
  return written.map((rule) => {
    const named = normaliseRule(rule, knownTools);
    if (named.kind === 'problem') throw new ConfigError('policy', [named.problem]);
    return named.name;
  });
}

function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
