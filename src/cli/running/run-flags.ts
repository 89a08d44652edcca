import { type Command, Option } from 'commander';
import type { PolicyMode } from '../../contract/spec.ts';
import { countFlag, dollarsFlag, durationFlag, listFlag } from '../flags.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';
export type OnApproval = 'prompt' | 'exit' | 'wait' | 'deny';

/** The flags of `run`, parsed; durations are milliseconds. */
export interface RunFlags {
  readonly print?: true;
  readonly outputFormat: OutputFormat;
  readonly stdin?: true;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly maxToolCalls?: number;
  readonly maxTokens?: number;
  readonly maxBudgetUsd?: number;
  readonly activeTime?: number;
  readonly timeout?: number;
  readonly title?: string;
  readonly id?: string;
  readonly detach?: true;
  readonly workspace?: string;
  readonly onApproval?: OnApproval;
  readonly approvalTimeout?: number;
  readonly allowDenied?: true;
  readonly denyTools?: readonly string[];
  readonly quiet?: true;
  readonly mode?: PolicyMode;
}

const RUN_EXAMPLES = `
Examples:
  nightshift run auditor "Audit this repository"
  git diff | nightshift run reviewer -                      the task from stdin
  nightshift run auditor "Audit" -o json --on-approval exit  for scripts; exit code 12: a person is waited for
  nightshift run auditor "Audit" --id nightly-7 --detach     started once, however often this is called`;

/** Adds the flags that say how a run is followed; `run` and `runs tail` share them. */
export function addFollowFlags(command: Command): Command {
  return command
    .option('-p, --print', 'only the answer: no progress and no summary')
    .addOption(
      new Option('-o, --output-format <format>', 'what goes to stdout')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--timeout <duration>', 'stop following after so long, exit code 124; the run goes on', durationFlag)
    .addOption(
      new Option(
        '--on-approval <how>',
        'when the run waits for a person (default: prompt on a terminal, else exit)',
      ).choices(['prompt', 'exit', 'wait', 'deny']),
    )
    .option('--allow-denied', 'exit code 0 even when tool calls were denied or expired')
    .option('-q, --quiet', 'no progress and no summary');
}

export function addRunFlags(command: Command): Command {
  return addFollowFlags(command)
    .option('--stdin', 'read the task from stdin, as "-" does')
    .option('--model <name>', 'a model, such as sonnet, or offline')
    .option('--max-turns <n>', 'model calls the run may make', countFlag)
    .option('--max-tool-calls <n>', 'tool calls the run may make', countFlag)
    .option('--max-tokens <n>', 'tokens the run may use, in and out', countFlag)
    .option('--max-budget-usd <amount>', 'what the run may cost', dollarsFlag)
    .option('--active-time <duration>', 'time of work; waiting for people never counts', durationFlag)
    .option('--approval-timeout <duration>', 'how long a person has to answer', durationFlag)
    .option('--deny-tools <rules>', 'tools or rules to deny, besides those of the agent', listFlag)
    .addOption(
      new Option('--mode <mode>', 'what happens where no rule decides').choices([
        'default',
        'auto-edit',
        'plan',
        'unattended',
        'yolo',
      ]),
    )
    .option('--workspace <folder>', 'where the tools work (default: the current folder)')
    .option('--title <text>', 'for lists (default: the first line of the task)')
    .option('--id <id>', 'id of the run; if it exists, it is followed instead of started')
    .option('-d, --detach', 'start and return; prints the id')
    .addHelpText('after', RUN_EXAMPLES);
}
