import * as z from 'zod';
import { durationSchema } from './duration.ts';
import { modeSchema } from './settings-schema.ts';
import { THINKING_TEMPLATES } from './thinking-templates.ts';

const WHOLE = 'expected a whole number of at least 1';
const count = z.int(WHOLE).min(1, WHOLE);

const RULES = 'expected a list of rules such as "bash(git log *)"';
const rules = z.array(z.string(RULES), RULES).optional();

const DOLLARS = 'expected an amount in US dollars above 0';
const KEYS = 'expected keys with values';

const YES_NO = 'expected true or false';
const MODEL = 'expected the name or id of a model';
const TEXTS = 'expected a list of texts';

const CRITIQUE_MOMENTS = ['before_complete', 'every_turn', 'after_errors'] as const;
const CRITIQUE_WHEN = `expected never, one of ${CRITIQUE_MOMENTS.join(', ')}, or a list of those`;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export const effortSchema = z.enum(EFFORTS, `expected one of ${EFFORTS.join(', ')}`);
export const turnsSchema = count;

const dollars = z.number(DOLLARS).positive(DOLLARS);
const yesNo = z.boolean(YES_NO).optional();
const modelName = z.string(MODEL).trim().min(1, MODEL);

const REPEATS = 'expected a whole number of at least 2';
const repeats = z.int(REPEATS).min(2, REPEATS).optional();

const SHARE = 'expected a share between 0 and 1, such as 0.6';
const share = z.number(SHARE).gt(0, SHARE).lt(1, SHARE).optional();

const PERCENT = 'expected a whole number from 0 to 100';

const critiqueSchema = z.strictObject(
  {
    when: z
      .union([z.enum(['never', ...CRITIQUE_MOMENTS]), z.array(z.enum(CRITIQUE_MOMENTS))], CRITIQUE_WHEN)
      .optional(),
    everyTurns: count.optional(),
    redoMax: count.optional(),
    retriesPerStep: count.optional(),
    askBelow: z.int(PERCENT).min(0, PERCENT).max(100, PERCENT).optional(),
    tests: z.array(z.string(TEXTS).min(1, TEXTS), TEXTS).optional(),
    expectsChanges: yesNo,
    calls: count.optional(),
    costUsd: dollars.optional(),
    model: modelName.optional(),
  },
  KEYS,
);

const loopsSchema = z.strictObject(
  {
    allow: rules,
    cycleRepeats: repeats,
    chantRepeats: repeats,
    sameReplies: repeats,
    noProgressTurns: repeats,
    judgeAfterTurns: count.optional(),
  },
  KEYS,
);

const OUTPUT_NAME = 'expected a name of 1 to 64 letters, digits, "_" or "-", beginning with a letter or "_"';
const JSON_SCHEMA = 'expected a JSON schema, such as {type: string}';

const outputSchema = z.strictObject(
  {
    name: z.string(OUTPUT_NAME).regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, OUTPUT_NAME),
    description: z.string('expected text').optional(),
    schema: z.record(z.string(), z.unknown(), JSON_SCHEMA),
  },
  'expected a name and a schema',
);

const outputsSchema = z
  .array(outputSchema, 'expected a list of outputs, each with a name and a schema')
  .refine(
    (outputs) => new Set(outputs.map(({ name }) => name)).size === outputs.length,
    'expected each output to have a name of its own',
  );

const SUMMARISERS = ['api', 'model', 'rule'] as const;

const compactionSchema = z.strictObject(
  {
    windowShare: share,
    keptShare: share,
    by: z.enum(SUMMARISERS, `expected one of ${SUMMARISERS.join(', ')}`).optional(),
  },
  KEYS,
);

/** What stands under `x-nightshift` in an agent file. Durations are milliseconds once parsed. */
export const agentSettingsSchema = z.strictObject(
  {
    policy: z.strictObject({ allow: rules, ask: rules, deny: rules }, KEYS).optional(),
    mode: modeSchema.optional(),
    approvals: z
      .strictObject(
        {
          timeout: durationSchema.optional(),
          onTimeout: z.enum(['deny', 'stop'], 'expected "deny" or "stop"').optional(),
        },
        KEYS,
      )
      .optional(),
    limits: z
      .strictObject(
        {
          turns: count.optional(),
          toolCalls: count.optional(),
          activeTime: durationSchema.optional(),
          tokens: count.optional(),
          costUsd: dollars.optional(),
          consecutiveErrors: count.optional(),
        },
        KEYS,
      )
      .optional(),
    timeouts: z
      .strictObject(
        {
          thinking: durationSchema.optional(),
          modelAttempt: durationSchema.optional(),
          acting: durationSchema.optional(),
          planning: durationSchema.optional(),
          reflecting: durationSchema.optional(),
          paused: durationSchema.optional(),
          finishing: durationSchema.optional(),
          heartbeat: durationSchema.optional(),
        },
        KEYS,
      )
      .optional(),
    planning: yesNo,
    remindAfterTurns: count.optional(),
    critique: critiqueSchema.optional(),
    completionCheck: yesNo,
    models: z.strictObject({ light: modelName.optional() }, KEYS).optional(),
    thinking: z.enum(THINKING_TEMPLATES, `expected one of ${THINKING_TEMPLATES.join(', ')}`).optional(),
    loops: loopsSchema.optional(),
    outputs: outputsSchema.optional(),
    compaction: compactionSchema.optional(),
    reuseReads: yesNo,
    maxTokens: count.optional(),
  },
  KEYS,
);

export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** The keys of each part, for suggestions; the empty path is `x-nightshift` itself. */
export const SETTINGS_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(agentSettingsSchema.shape),
  ...Object.fromEntries(
    Object.entries(agentSettingsSchema.shape).flatMap(([key, schema]) => {
      const inner = schema.unwrap();
      return inner instanceof z.ZodObject ? [[key, Object.keys(inner.shape)]] : [];
    }),
  ),
};
