import type { Command } from 'commander';
import type { Runner } from '../../program.ts';
import { approve } from './approve.ts';
import { answer, deny, type AnswerFlags } from './answer.ts';
import { listOpenApprovals } from './ls.ts';
import { showApproval } from './show.ts';

const NAMES = '\nA question is named by its id, <run>.<number>; a run alone means its only open question.\n';

interface JsonFlag {
  readonly json?: true;
}

export function addApprovals(program: Command, run: Runner): void {
  const approvals = program.command('approvals').description('see and answer what waits for a person');
  approvals
    .command('ls')
    .description('open questions, the most urgent first')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift approvals ls')
    .action(
      async ({ json }: JsonFlag) => await run(async (context) => await listOpenApprovals(context, json === true)),
    );
  approvals
    .command('show')
    .description('one question in full, with the exact arguments and their digest')
    .argument('<id>')
    .option('--json', 'as JSON')
    .addHelpText('after', `${NAMES}\nExample:\n  nightshift approvals show auditor-1f2e.1 --json`)
    .action(
      async (id: string, { json }: JsonFlag) =>
        await run(async (context) => await showApproval(context, id, json === true)),
    );
  addDecisions(approvals, run);
}

function addDecisions(approvals: Command, run: Runner): void {
  approvals
    .command('approve')
    .description('allow one exact call; without a terminal the digest must be named')
    .argument('<id>')
    .option('--digest <digest>', 'sha256:… of "approvals show --json"; at least 12 digits of it')
    .option('--note <text>', 'for the agent')
    .addHelpText(
      'after',
      `${NAMES}\nExamples:\n  nightshift approvals approve auditor-1f2e.1\n  nightshift approvals approve auditor-1f2e.1 --digest sha256:0123456789ab`,
    )
    .action(async (id: string, flags: { readonly digest?: string; readonly note?: string }) => {
      await run(async (context) => await approve(context, id, flags));
    });
  approvals
    .command('deny')
    .description('refuse a call, or decline to answer; the run goes on without it')
    .argument('<id>')
    .option('--note <text>', 'why; the agent is told')
    .addHelpText('after', `${NAMES}\nExample:\n  nightshift approvals deny auditor-1f2e.1 --note "Not on this machine"`)
    .action(
      async (id: string, { note }: { readonly note?: string }) =>
        await run(async (context) => await deny(context, id, note)),
    );
  approvals
    .command('answer')
    .description('answer a question of an agent, in words or by choosing an option')
    .argument('<id>')
    .argument('[text]')
    .option('--choice <option>', 'id of an option')
    .option('--digest <digest>', 'names the exact call, to have it done once more without a terminal')
    .option('--note <text>', 'for the agent')
    .addHelpText(
      'after',
      `${NAMES}\nExamples:\n  nightshift approvals answer auditor-1f2e.2 "Use the staging database"\n  nightshift approvals answer auditor-1f2e.3 --choice 2\n  nightshift approvals answer auditor-1f2e.4 --choice happened "mail was sent"`,
    )
    .action(
      async (id: string, text: string | undefined, flags: AnswerFlags) =>
        await run(async (context) => await answer(context, { id, text, flags })),
    );
}
