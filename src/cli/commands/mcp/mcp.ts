import type { Command } from 'commander';
import type { Runner } from '../../program.ts';
import type { ServerFlags } from './ls.ts';
import type { TrustFlags } from './trust.ts';

const WORKSPACE = ['--workspace <folder>', 'the folder that has the files (default: the current folder)'] as const;

export function addMcp(program: Command, run: Runner): void {
  const mcp = program.command('mcp').description('MCP servers of this folder, and whether they may be started');
  mcp
    .command('ls')
    .description('the servers of .mcp.json and .vscode/mcp.json as they are written; starts nothing')
    .option(...WORKSPACE)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  nightshift mcp ls')
    .action(
      async (flags: ServerFlags) =>
        await run(async (context) => await (await import('./ls.ts')).listServers(context, flags)),
    );
  mcp
    .command('test')
    .description(
      'connect to them and list their tools; exit code 1 when one is broken, 4 when the folder is not trusted',
    )
    .argument('[server]', 'one of them (default: all)')
    .option(...WORKSPACE)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  nightshift mcp test\n  nightshift mcp test github')
    .action(
      async (server: string | undefined, flags: ServerFlags) =>
        await run(async (context) => await (await import('./test.ts')).testServers(context, server, flags)),
    );
  mcp
    .command('trust')
    .description('let runs start what this folder names, as long as its files stay as they are shown')
    .option('--yes', 'trust what is shown without asking')
    .option('--revoke', 'trust it no more')
    .option(...WORKSPACE)
    .addHelpText('after', '\nExamples:\n  nightshift mcp trust\n  nightshift mcp trust --revoke')
    .action(
      async (flags: TrustFlags) =>
        await run(async (context) => await (await import('./trust.ts')).trustFolder(context, flags)),
    );
}
