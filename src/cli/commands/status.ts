import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../program.ts';
import { outdated } from '../services/ensure.ts';
import { readServices } from '../services/record.ts';
import { servicesText } from '../text/services-text.ts';
import { safeJson } from '../text/visible.ts';

export function addStatus(program: Command, run: Runner): void {
  program
    .command('status')
    .description('show the services of this machine; exit code 3 when none run')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift status --json')
    .action(async ({ json }: { readonly json?: true }) => {
      await run(async (context) => {
        const { settings, terminal } = context;
        const record = await readServices(settings.folders.dataFolder);
        if (json === true) terminal.print(safeJson(record, 2));
        else if (record === null) terminal.say('No services run here. Start them with "nightshift up --detach".');
        else {
          terminal.print(`The services are ${record.state}${record.background ? ' in the background' : ''}.`);
          for (const line of servicesText(record, { offline: record.modelAccess === 'none' })) terminal.print(line);
          const why = outdated(context, record);
          if (why !== null) terminal.print(`  They ${why}.`);
        }
        return record === null ? EXIT.unreachable : EXIT.done;
      });
    });
}
