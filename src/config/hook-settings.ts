import * as z from 'zod';
import { hookMomentSchema, hookSchema, type Hook } from '../contract/terms.ts';
import { ConfigError } from './config-error.ts';
import { parseDuration } from './duration.ts';
import { normaliseOpenRule } from './tool-names.ts';

/** Each is an activity in the history of every run, at each of its moments. */
const HOOKS_MAX = 50;

const TIMEOUT_MS_MAX = 3_600_000;
const TIMEOUT_MS_DEFAULT = 30_000;
const COMMAND_CHARACTERS_MAX = 4_000;
const RULES_MAX = 100;

const NAME = 'expected a name of a letter and up to 63 letters, digits, "-" and "_"';
const MOMENTS = `expected one of ${hookMomentSchema.options.join(', ')}`;
const RULES = 'expected a list of 1 to 100 rules such as "bash(git push *)"';
const COMMAND = 'expected a command of at most 4,000 characters';
const EFFECTS = `expected one of ${hookSchema.shape.effect.options.join(', ')}`;
const TIMEOUT = 'expected a duration of at most "1h", such as "30s"';
const HOOK = 'expected a hook with name, on and command';
const HOOKS = `expected a list of at most ${HOOKS_MAX} hooks`;

const timeout = z.union([z.string(), z.number()], TIMEOUT).transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== null && ms <= TIMEOUT_MS_MAX) return ms;
  context.addIssue({ code: 'custom', message: TIMEOUT });
  return z.NEVER;
});

const hook = z
  .strictObject(
    {
      name: z.string(NAME).regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/, NAME),
      on: z.enum(hookMomentSchema.options, MOMENTS),
      match: z.array(z.string(RULES), RULES).min(1, RULES).max(RULES_MAX, RULES).optional(),
      command: z.string(COMMAND).trim().min(1, COMMAND).max(COMMAND_CHARACTERS_MAX, COMMAND),
      effect: z.enum(hookSchema.shape.effect.options, EFFECTS).default('idempotent'),
      timeout: timeout.default(TIMEOUT_MS_DEFAULT),
      required: z.boolean('expected true or false').optional(),
    },
    HOOK,
  )
  .superRefine(({ on, match, required }, context) => {
    const refuse = (key: string, message: string): void => context.addIssue({ code: 'custom', path: [key], message });
    if (match !== undefined && on !== 'before_tool' && on !== 'after_tool')
      refuse('match', 'expected none, because only before_tool and after_tool are about a call');
    if (required === true && on !== 'before_tool')
      refuse('required', 'expected none, because only a hook of before_tool can keep a call from running');
  })
  .transform(({ timeout: timeoutMs, match, required, ...rest }): Hook => ({
    ...rest,
    timeoutMs,
    ...(match !== undefined && { match }),
    ...(required !== undefined && { required }),
  }));

/** What stands under `hooks` in a settings file. */
export const hooksSchema = z.array(hook, HOOKS).max(HOOKS_MAX, HOOKS);

interface HookFile {
  readonly path: string;
  readonly data: { readonly hooks?: readonly Hook[] | undefined };
}

/**
 * The hooks of all files, in their order, with rules in our names.
 *
 * @throws {ConfigError} a rule is none, two hooks have one name, or there are too many
 */
export function hooksOf(files: readonly HookFile[], knownTools: readonly string[]): readonly Hook[] {
  const named = files.flatMap(({ path, data }) => (data.hooks ?? []).map((one) => ({ path, hook: one })));
  const problems = twinsIn(named);
  if (named.length > HOOKS_MAX) problems.push(`hooks: ${HOOKS}, got ${named.length} in all files together`);
  if (problems.length > 0) throw new ConfigError('settings', problems);
  return named.map(({ path, hook: one }) => withOurNames(one, { path, knownTools }));
}

/** Events and the ledger know a hook by its name alone. */
function twinsIn(named: readonly { readonly path: string; readonly hook: Hook }[]): string[] {
  const first = new Map<string, string>();
  return named.flatMap(({ path, hook: { name } }) => {
    const other = first.get(name);
    if (other === undefined) first.set(name, path);
    return other === undefined ? [] : [`hooks: two are named "${name}", in "${other}" and in "${path}"; expected one`];
  });
}

function withOurNames(
  one: Hook,
  { path, knownTools }: { readonly path: string; readonly knownTools: readonly string[] },
): Hook {
  if (one.match === undefined) return one;
  const match = one.match.map((rule) => {
    const named = normaliseOpenRule(rule, knownTools);
    if (named.kind === 'problem') throw new ConfigError(path, [`hooks: match of "${one.name}": ${named.problem}`]);
    return named.name;
  });
  return { ...one, match };
}
