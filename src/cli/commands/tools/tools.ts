import { type Command, Option } from 'commander';
import { policyModeSchema } from '../../../contract/spec.ts';
import type { Runner } from '../../program.ts';
import type { CallFlags } from './call.ts';
import type { ExplainFlags } from './explain.ts';
import type { ListFlags } from './ls.ts';
import type { ShowFlags } from './show.ts';

const WORKSPACE = ['--workspace <folder>', 'where the tools work (default: the current folder)'] as const;

/** What tools need is loaded by the command that needs it: it takes longer than most other commands in all. */
export function addTools(program: Command, run: Runner): void {
  const tools = program
    .command('tools')
    .description('what tools there are here, what rules say of them, and trying one');
  addList(tools, run);
  addShow(tools, run);
  addExplain(tools, run);
  addCall(tools, run);
}

function modeOption(): Option {
  return new Option('--mode <mode>', 'what happens where no rule decides').choices(policyModeSchema.options);
}

function addList(tools: Command, run: Runner): void {
  tools
    .command('ls')
    .description('list them, with what the rules say of a call that no pattern is about')
    .option('--agent <name>', 'those that a run of this agent would be given')
    .option('--all', 'also those that are not given, or only in runs with very many tools')
    .addOption(modeOption())
    .option(...WORKSPACE)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  nightshift tools ls\n  nightshift tools ls --agent auditor --all')
    .action(
      async (flags: ListFlags) =>
        await run(async (context) => await (await import('./ls.ts')).listTools(context, flags)),
    );
}

function addShow(tools: Command, run: Runner): void {
  tools
    .command('show')
    .description('one tool in full: what the model is told of it, its input, where it comes from')
    .argument('<tool>', 'its name here, or in Claude Code')
    .option(...WORKSPACE)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  nightshift tools show bash\n  nightshift tools show mcp__docs__search --json')
    .action(
      async (tool: string, flags: ShowFlags) =>
        await run(async (context) => await (await import('./show.ts')).showTool(context, tool, flags)),
    );
}

const EXPLAIN_EXAMPLES = `
Nothing is run and no server is started. The exit code is 0 whatever is decided, and 2 when the call cannot be read.

Examples:
  nightshift tools explain 'bash(rm -rf build && npm test)' --agent auditor
  nightshift tools explain 'Edit(src/a.ts)' --mode auto-edit
  nightshift tools explain 'WebFetch(https://example.com/x)'
  nightshift tools explain mcp__docs__search
  nightshift tools explain 'grep {"pattern": "x", "path": "src"}' --json`;

function addExplain(tools: Command, run: Runner): void {
  tools
    .command('explain')
    .description('what would become of a call: allowed, asked or denied, by which rule, and why')
    .argument('<call>', 'as rules are written, or a tool with its input as JSON')
    .option('--agent <name>', 'with the rules of this agent (default: only what stands above every agent)')
    .addOption(modeOption())
    .option(...WORKSPACE)
    .option('--json', 'as JSON')
    .addHelpText('after', EXPLAIN_EXAMPLES)
    .action(
      async (call: string, flags: ExplainFlags) =>
        await run(async (context) => await (await import('./explain.ts')).explainCall(context, call, flags)),
    );
}

const CALL_EXAMPLES = `
It runs in the same sandbox as in a run, and secrets are taken out of what it prints. No rules are asked, and no ledger
keeps it: called twice, it happens twice. The exit code is 1 when the tool says that it failed.

Examples:
  nightshift tools call grep '{"pattern": "TODO"}'
  nightshift tools call bash '{"command": "npm test"}' --yes
  echo '{"path": "a.txt", "content": "x"}' | nightshift tools call write_file - --yes`;

function addCall(tools: Command, run: Runner): void {
  tools
    .command('call')
    .description('run one tool once, by hand and outside any run')
    .argument('<tool>', 'its name')
    .argument('[json]', 'its input; "-" reads it from stdin')
    .option('--yes', 'run it without asking; what is not a read needs this, or a typed yes')
    .option('--unconfined', 'with --yes: also where this machine cannot confine it')
    .option(...WORKSPACE)
    .option('--json', 'the result as JSON')
    .addHelpText('after', CALL_EXAMPLES)
    .action(
      async (tool: string, json: string | undefined, flags: CallFlags) =>
        await run(async (context) => await (await import('./call.ts')).callTool(context, { tool, json }, flags)),
    );
}
