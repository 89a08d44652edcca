import * as z from 'zod';
import { durationSchema } from './duration.ts';
import { modeSchema } from './settings-schema.ts';

const WHOLE = 'expected a whole number of at least 1';
const count = z.int(WHOLE).min(1, WHOLE);

const RULES = 'expected a list of rules such as "bash(git log *)"';
const rules = z.array(z.string(RULES), RULES).optional();

const DOLLARS = 'expected an amount in US dollars above 0';
const KEYS = 'expected keys with values';

const CRITIQUE_WHEN = ['never', 'before_complete', 'every_turn'] as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

export const effortSchema = z.enum(EFFORTS, `expected one of ${EFFORTS.join(', ')}`);
export const turnsSchema = count;

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
          costUsd: z.number(DOLLARS).positive(DOLLARS).optional(),
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
    planning: z.boolean('expected true or false').optional(),
    critique: z
      .strictObject(
        {
          when: z.enum(CRITIQUE_WHEN, `expected one of ${CRITIQUE_WHEN.join(', ')}`).optional(),
          redoMax: count.optional(),
        },
        KEYS,
      )
      .optional(),
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
