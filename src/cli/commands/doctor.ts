import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkMachine } from '../doctor/machine.ts';
import { checkRunning } from '../doctor/runs.ts';
import { checkOurDatabase, checkServerPlaces } from '../doctor/server.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../program.ts';
import { safeJson, visible } from '../text/visible.ts';

export function addDoctor(program: Command, run: Runner): void {
  program
    .command('doctor')
    .description('look at everything Nightshift needs, and change nothing; exit code 3 when something is not there')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift doctor')
    .action(
      async ({ json }: { readonly json?: true }) => await run(async (context) => await examine(context, json === true)),
    );
}

async function examine(context: Context, json: boolean): Promise<number> {
  const [{ checkSandbox }, { checkSettings }] = await Promise.all([
    import('../doctor/sandbox.ts'),
    import('../doctor/settings.ts'),
  ]);
  const findings = [
    ...(await checkMachine(context)),
    ...(await checkSandbox(context)),
    ...(await checkSettings(context)),
    ...(await checkServerPlaces(context)),
    await checkOurDatabase(context),
    ...(await checkRunning(context)),
  ];
  const { terminal } = context;
  if (json) terminal.print(safeJson(findings, 2));
  else for (const finding of findings) terminal.print(lineOf(context, finding));
  const absent = findings.filter(({ status }) => status === 'missing').length;
  if (!json)
    terminal.say(
      absent === 0
        ? 'Everything that is needed is there.'
        : `${absent} needed thing${absent === 1 ? ' is' : 's are'} not there.`,
    );
  return absent === 0 ? EXIT.done : EXIT.unreachable;
}

function lineOf({ terminal }: Context, { name, status, detail }: Finding): string {
  const { green, yellow, red } = terminal.outColors;
  const mark = { ok: green('ok     '), note: yellow('note   '), missing: red('missing') }[status];
  return `${mark} ${name.padEnd(22)} ${visible(detail)}`;
}
