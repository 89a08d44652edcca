import { Command } from 'commander';
import { addAgents } from './commands/agents.ts';
import { addApprovals } from './commands/approvals/approvals.ts';
import { addBudget } from './commands/budget.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDown } from './commands/down.ts';
import { addMcp } from './commands/mcp/mcp.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs/runs.ts';
import { addStatus } from './commands/status.ts';
import { addTools } from './commands/tools/tools.ts';
import { addUp } from './commands/up.ts';
import { addWorker } from './commands/worker.ts';
import { openContext, type Context } from './context.ts';
import { exitCodeTable } from './exit-codes.ts';

/** Runs the body of a command with what every command has at hand; its number becomes the exit code. */
export type Runner = (body: (context: Context) => Promise<number>) => Promise<void>;

const EXAMPLES = `
Examples:
  nightshift run auditor "Audit this repository"   start a run and follow it
  nightshift approvals ls                          what waits for a person
  nightshift runs tail @last                       follow the newest run
  nightshift tools explain 'bash(git push)'        what would become of a call, and why
  nightshift help exit-codes                       what the exit codes mean`;

/** Builds the command line anew; `end` gets the exit code of the command that ran. */
export function createProgram(end: (exitCode: number) => void): Command {
  const program = new Command('nightshift')
    .description('Durable agents: every run is a Temporal workflow that survives crashes and waits for people.')
    .option('--no-color', 'no colours (also NO_COLOR)')
    .option('--no-input', 'never ask, even on a terminal')
    .showHelpAfterError('(run with --help for more)')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  throwInsteadOfExit(program);
  const run: Runner = async (body) => end(await body(openContext(program.opts<{ color: boolean; input: boolean }>())));
  addRun(program, run);
  addRuns(program, run);
  addApprovals(program, run);
  addBudget(program, run);
  addUp(program, run);
  addDown(program, run);
  addStatus(program, run);
  addWorker(program, run);
  addAgents(program, run);
  addTools(program, run);
  addMcp(program, run);
  addDoctor(program, run);
  addHelp(program);
  program.commands.forEach(throwInsteadOfExit);
  return program;
}

/** So that wrong usage ends with our exit code, and tests can look at it. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride().showHelpAfterError('(run with --help for more)');
  command.commands.forEach(throwInsteadOfExit);
}

function addHelp(program: Command): void {
  program
    .command('help')
    .description('show help for a command, or "exit-codes"')
    .argument('[words...]', 'a command, such as "runs show"')
    .action((words: readonly string[]) => {
      if (words[0] === 'exit-codes') return void process.stdout.write(exitCodeTable());
      let command = program;
      for (const word of words) {
        const next = command.commands.find((candidate) => candidate.name() === word);
        if (next === undefined)
          program.error(`error: there is no help about "${word}"`, { code: 'nightshift.help', exitCode: 2 });
        command = next;
      }
      command.outputHelp();
    });
}
