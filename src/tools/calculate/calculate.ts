import { createRequire } from 'node:module';
import * as z from 'zod';
import { oneLine, quoted } from '../one-line.ts';
import { runAside } from '../shell/side-process.ts';
import { defineTool, ToolError } from '../tool.ts';
import { EVALUATION } from './evaluation.ts';

const require = createRequire(import.meta.url);

const EXPRESSION_CHARACTERS_MAX = 1_000;
const LIMITS = { timeoutMs: 2_000, memoryMb: 128 };

/** The library built into one file: it loads ten times faster than its thousand modules. */
const LIBRARY = require.resolve('mathjs/lib/browser/math.js');

/**
 * Calculates, because models are bad at it. Numbers are decimal and of 256 digits. The expression is foreign code in a
 * small language, so it runs in a process without our environment, with the language's ways out taken away.
 */
export const calculateTool = defineTool({
  name: 'calculate',
  description:
    'Calculates an expression exactly: arithmetic, functions, units ("5 inch to cm"), matrices, statistics. Several lines may set variables; each gives a result. Angles are in radians unless written as "45 deg".',
  input: z.strictObject({
    expression: z
      .string()
      .trim()
      .min(1)
      .max(EXPRESSION_CHARACTERS_MAX)
      .describe('Such as "sqrt(2) * 3", "mean([1, 2, 4])" or "12 km/h to m/s".'),
  }),
  effect: 'read',
  timeoutMs: 30_000,
  local: false,
  own: true,
  summarize: ({ expression }) => `Calculate ${oneLine(expression, 180)}`,
  async run({ expression }, context) {
    const attempt = `Cannot calculate ${quoted(expression)}`;
    const work = { attempt, code: EVALUATION, library: LIBRARY, data: expression, ...LIMITS };
    const outcome = (await runAside(work, context)) as Outcome;
    if (outcome.kind === 'result') return { text: outcome.text };
    throw new ToolError('execution_failed', `${attempt}: ${oneLine(outcome.reason, 500)}`);
  },
});

type Outcome =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };
