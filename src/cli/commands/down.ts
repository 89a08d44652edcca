import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../program.ts';
import { stopServices } from '../services/stop.ts';

export function addDown(program: Command, run: Runner): void {
  program
    .command('down')
    .description('end the services; open runs go on when they start again')
    .addHelpText('after', '\nExample:\n  nightshift down')
    .action(async () => {
      await run(async ({ settings, terminal }) => {
        const ended = await stopServices(settings.folders.dataFolder);
        terminal.say(
          ended ? 'Ended. Nothing is lost: open runs go on when the services start again.' : 'No services run here.',
        );
        return EXIT.done;
      });
    });
}
