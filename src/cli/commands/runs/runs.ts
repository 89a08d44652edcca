import { type Command, Option } from 'commander';
import { showRun, type FollowFlags } from '../../following/show-run.ts';
import { countFlag } from '../../flags.ts';
import { idOfRun, readKnownRun } from '../../named-run.ts';
import type { Runner } from '../../program.ts';
import { introductionOf } from '../../running/introduction.ts';
import { addFollowFlags } from '../../running/run-flags.ts';
import { runPage, withServer } from '../../server-access.ts';
import { controlRun, sendToRun } from './control.ts';
import { listRunsFor, type ListFlags } from './ls.ts';
import { showOneRun, type ShowFlags } from './show.ts';
import type { ExportFlags } from './export.ts';

const NAMES = '\nA run is named by its id, by any unambiguous beginning of it, or as @last.\n';

export function addRuns(program: Command, run: Runner): void {
  const runs = program.command('runs').description('list, read, follow and steer runs');
  runs
    .command('ls')
    .description('list runs, the newest first')
    .option('--state <state>', 'such as running, awaiting_human, paused, completed, stopped, failed, cancelled')
    .option('--agent <name>', 'only runs of this agent')
    .option('--limit <n>', 'how many at most', countFlag, 20)
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  nightshift runs ls --state awaiting_human\n  nightshift runs ls --agent auditor --json',
    )
    .action(async (flags: ListFlags) => await run(async (context) => await listRunsFor(context, flags)));
  runs
    .command('show')
    .description('what a run does, spent, waits for, and did last')
    .argument('<run>')
    .option('--turns <n>', 'how many of the newest turns', countFlag, 10)
    .option('--all', 'every turn the run still keeps')
    .option('--json', 'as JSON')
    .addHelpText('after', `${NAMES}\nExamples:\n  nightshift runs show @last\n  nightshift runs show @last --turns 3`)
    .action(
      async (name: string, flags: ShowFlags) => await run(async (context) => await showOneRun(context, name, flags)),
    );
  addExport(runs, run);
  addTail(runs, run);
  addSteering(runs, run);
}

function addExport(runs: Command, run: Runner): void {
  runs
    .command('export')
    .description('a whole run from its history, with what was compacted or dropped meanwhile')
    .argument('<run>')
    .addOption(
      new Option('--format <format>', 'a document, or one JSON object a line').choices(['md', 'jsonl']).default('md'),
    )
    .option('--output <file>', 'write to this file instead of stdout')
    .addHelpText(
      'after',
      `${NAMES}\nExamples:\n  nightshift runs export @last --output run.md\n  nightshift runs export @last --format jsonl | jq .type`,
    )
    .action(
      async (name: string, flags: ExportFlags) =>
        // The native library, which replays the history, takes a moment to load.
        await run(async (context) => await (await import('./export.ts')).exportRun(context, name, flags)),
    );
}

function addTail(runs: Command, run: Runner): void {
  const tail = runs.command('tail').description('follow a run, from its beginning to its end').argument('<run>');
  addFollowFlags(tail)
    .addHelpText(
      'after',
      `${NAMES}\nExamples:\n  nightshift runs tail @last\n  nightshift runs tail @last -o stream-json --on-approval wait`,
    )
    .action(async (name: string, flags: FollowFlags) => {
      await run(async (context) => {
        return await withServer(context, async (server) => {
          const runId = await idOfRun(server.client, name);
          const introduction = introductionOf(runId, await readKnownRun(server.client, runId), runPage(server, runId));
          return await showRun(context, { server, introduction, flags });
        });
      });
    });
}

function addSteering(runs: Command, run: Runner): void {
  runs
    .command('send')
    .description('say something to a run; it is heard between turns')
    .argument('<run>')
    .argument('<text>')
    .addHelpText('after', `${NAMES}\nExample:\n  nightshift runs send @last "Leave the tests alone"`)
    .action(async (name: string, text: string) => await run(async (context) => await sendToRun(context, name, text)));
  const steering = [
    ['pause', 'pause a run after the step in progress'],
    ['resume', 'let a paused or parked run go on'],
    ['cancel', 'stop a run and its tools; what it did stays'],
  ] as const;
  for (const [order, description] of steering) {
    runs
      .command(order)
      .description(description)
      .argument('<run>')
      .addHelpText('after', `${NAMES}\nExample:\n  nightshift runs ${order} @last`)
      .action(async (name: string) => await run(async (context) => await controlRun(context, name, order)));
  }
}
