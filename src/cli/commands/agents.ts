import { basename } from 'node:path';
import type { Command } from 'commander';
import { findAgentFile, listAgentFiles } from '../../config/find-agent-file.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../program.ts';
import { safeJson, shortLine } from '../text/visible.ts';
import { tableText } from '../text/table.ts';

interface ListedAgent {
  readonly name: string;
  readonly file: string;
  readonly description: string;
  readonly problem: string | null;
}

export function addAgents(program: Command, run: Runner): void {
  const agents = program.command('agents').description('agent files that are found here');
  agents
    .command('ls')
    .description('list them, in the order in which they win')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift agents ls')
    .action(async ({ json }: { readonly json?: true }) => {
      await run(async (context) => await list(context, json === true));
    });
}

async function list(context: Context, json: boolean): Promise<number> {
  const { terminal, folder, settings, env } = context;
  const { knownToolNames } = await import('../../worker/known-tools.ts');
  const places = { folder, home: settings.home, knownTools: knownToolNames(env) };
  const agents = await Promise.all((await listAgentFiles(places)).map(async (path) => await read(path, places)));
  if (json) terminal.print(safeJson(agents, 2));
  else if (agents.length === 0)
    terminal.say(
      'No agent files here. They are looked for in agents/, .agents/agents/, .claude/agents/ and ~/.claude/agents/.',
    );
  else {
    const rows = agents.map(({ name, file, description, problem }) => [
      name,
      file,
      shortLine(problem ?? description, 80),
    ]);
    terminal.print(tableText(['AGENT', 'FILE', 'DESCRIPTION'], rows));
  }
  return EXIT.done;
}

async function read(path: string, places: Parameters<typeof findAgentFile>[1]): Promise<ListedAgent> {
  try {
    const { name, source, description } = await findAgentFile(path, places);
    return { name, file: source, description, problem: null };
  } catch (error) {
    return {
      name: basename(path, '.md'),
      file: path,
      description: '',
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}
