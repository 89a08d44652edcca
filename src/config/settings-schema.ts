import * as z from 'zod';
import { policyModeSchema } from '../contract/spec.ts';
import { budgetsSchema, pricesSchema } from './budgets.ts';
import { hooksSchema } from './hook-settings.ts';

const KEYS = 'expected keys with values';
const RULES = 'expected a list of rules such as "bash(git log *)"';
const DOMAINS = 'expected a list of hosts such as "example.com" or "*.example.com"';
const COMMAND = 'expected a command';
const MODES = `expected one of ${policyModeSchema.options.join(', ')}`;

const rules = z.array(z.string(RULES), RULES).optional();
const command = z.string(COMMAND).trim().min(1, COMMAND);

export const modeSchema = z.enum(policyModeSchema.options, MODES);

/** What stands in a settings file, whichever layer it is of. */
export const settingsSchema = z.strictObject(
  {
    policy: z.strictObject({ allow: rules, ask: rules, deny: rules }, KEYS).optional(),
    mode: modeSchema.optional(),
    /** The operator alone can say it: others may choose the mode `yolo`. */
    allowYolo: z.boolean('expected true or false').optional(),
    sandbox: z
      .strictObject(
        {
          allowedDomains: z
            .array(z.string(DOMAINS).regex(/^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/, DOMAINS), DOMAINS)
            .optional(),
        },
        KEYS,
      )
      .optional(),
    tools: z.strictObject({ discover: command, call: command }, KEYS).optional(),
    hooks: hooksSchema.optional(),
    /** The operator alone can say it: hooks run also where this machine cannot confine them. */
    hooksUnconfined: z.boolean('expected true or false').optional(),
    budgets: budgetsSchema.optional(),
    /** The next two never of a project. */
    prices: pricesSchema.optional(),
    allowUnpriced: z.boolean('expected true or false').optional(),
    webSearch: z
      .strictObject(
        {
          url: z.url({ protocol: /^https?$/, error: 'expected an address that begins with https://' }),
          keyVariable: z
            .string()
            .regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')
            .optional(),
          keyHeader: z
            .string()
            .regex(/^[\w-]+$/, 'expected the name of a header')
            .optional(),
        },
        KEYS,
      )
      .optional(),
  },
  KEYS,
);

export type SettingsFileData = z.infer<typeof settingsSchema>;

/** The keys of each part, for suggestions. */
export const SETTINGS_FILE_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(settingsSchema.shape),
  ...Object.fromEntries(
    Object.entries(settingsSchema.shape).flatMap(([key, schema]) => {
      const inner = schema.unwrap();
      return inner instanceof z.ZodObject ? [[key, Object.keys(inner.shape)]] : [];
    }),
  ),
};
