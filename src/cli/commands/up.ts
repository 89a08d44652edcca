import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { CommandFailure } from '../command-failure.ts';
import { EXIT } from '../exit-codes.ts';
import { durationOrNeverFlag } from '../flags.ts';
import type { Runner } from '../program.ts';
import { startInBackground } from '../services/background.ts';
import { readServices, type ServicesRecord } from '../services/record.ts';
import { supervise } from '../services/supervisor.ts';
import { servicesText } from '../text/services-text.ts';
import { onStopRequest } from '../stop-signal.ts';

interface UpOptions {
  readonly detach?: true;
  readonly idleStop: number;
  readonly inBackground?: string;
}

const EXAMPLES = `
Examples:
  nightshift up                              run server and worker here until Ctrl-C
  nightshift up --detach                     run them in the background
  TEMPORAL_ADDRESS=host:7233 nightshift up   only a worker, for that server`;

export function addUp(program: Command, run: Runner): void {
  program
    .command('up')
    .description('run the services: a Temporal server (unless one is named) and a worker')
    .option('-d, --detach', 'in the background; "nightshift down" ends them')
    .addOption(
      new Option('--idle-stop <duration>', 'end by itself when no run was open for so long; 0 for never')
        .argParser(durationOrNeverFlag)
        .default(0, '0'),
    )
    .addOption(new Option('--in-background <log>').hideHelp())
    .addHelpText('after', EXAMPLES)
    .action(async (options: UpOptions) => {
      await run(async (context) =>
        options.detach === true ? await detach(context, options) : await stay(context, options),
      );
    });
}

async function detach(context: Context, { idleStop }: UpOptions): Promise<number> {
  const running = await readServices(context.settings.folders.dataFolder);
  const record = running?.state === 'ready' ? running : await startInBackground(context, idleStop);
  context.terminal.say(running === null ? 'Ready.' : 'The services run already.');
  sayServices(context, record);
  return EXIT.done;
}

async function stay(context: Context, { idleStop, inBackground }: UpOptions): Promise<number> {
  const { terminal } = context;
  const background = inBackground !== undefined;
  const supervised = await supervise(context, {
    background,
    logPath: inBackground ?? null,
    idleStopMs: idleStop,
    signal: onStopRequest(),
    onReady: (record) => {
      terminal.say('Ready.');
      sayServices(context, record);
      if (!background)
        terminal.say(
          terminal.colors.dim('Ctrl-C ends both. Closing loses nothing: open runs go on at the next start.'),
        );
    },
  });
  if (supervised.kind === 'ended') {
    terminal.say('Ended. Nothing is lost: open runs go on when the services start again.');
    return EXIT.done;
  }
  if (supervised.record === null)
    throw new CommandFailure(
      EXIT.conflict,
      'Cannot start the services: others of this data folder are just ending; try again',
    );
  terminal.say('The services run already.');
  sayServices(context, supervised.record);
  return EXIT.done;
}

function sayServices({ terminal, settings }: Context, record: ServicesRecord): void {
  for (const line of servicesText(record, { offline: settings.anthropic.apiKey === undefined })) terminal.say(line);
}
