import { askServers, type ListedServer } from '../../../prepare/ask-servers.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { onStopRequest } from '../../stop-signal.ts';
import { spanText } from '../../text/times.ts';
import { sentenceOf } from '../../text/tool-text.ts';
import { safeJson, shortLine, visible } from '../../text/visible.ts';
import { sayNotices, serversOfFolder, untrustedText, type FolderServers, type ServerFlags } from './ls.ts';

/** Connects to the servers of a trusted folder as a run would, and says what came of each. */
export async function testServers(context: Context, only: string | undefined, flags: ServerFlags): Promise<number> {
  const found = await serversOfFolder(context, flags);
  const wanted = wantedOf(found, only);
  if (wanted.length > 0 && found.trust.kind !== 'trusted')
    throw new CommandFailure(EXIT.notAllowed, untrustedText(found.trust));
  const { terminal } = context;
  sayNotices(context, found);
  const listed = await askFolder(context, found, wanted);
  if (flags.json === true) terminal.print(safeJson(listed.map(asJson), 2));
  else for (const server of listed) terminal.print(linesOf(context, server).join('\n'));
  if (listed.length === 0) terminal.say('No MCP servers here.');
  const isBroken =
    listed.some(({ kind }) => kind === 'broken') || (only === undefined && found.mcp.problems.length > 0);
  return isBroken ? EXIT.failed : EXIT.done;
}

function wantedOf({ mcp }: FolderServers, only: string | undefined): FolderServers['mcp']['servers'] {
  const wanted = mcp.servers.filter(({ name }) => only === undefined || name === only);
  if (only === undefined || wanted.length > 0) return wanted;
  const names = mcp.servers.map(({ name }) => name).join(', ');
  const broken = mcp.problems.length === 0 ? '' : `; broken here: ${mcp.problems.map(visible).join('; ')}`;
  throw new CommandFailure(
    EXIT.notFound,
    `Cannot test "${visible(only)}": there is no such server; there are: ${names === '' ? 'none' : names}${broken}`,
  );
}

async function askFolder(
  { env, terminal }: Context,
  { folder }: FolderServers,
  servers: FolderServers['mcp']['servers'],
): Promise<readonly ListedServer[]> {
  if (servers.length === 0) return [];
  terminal.say(terminal.colors.dim(`Asking ${servers.map(({ name }) => name).join(', ')} for tools`));
  const signal = onStopRequest();
  try {
    return await askServers({ servers, workspace: folder, env, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandFailure(EXIT.cancelled, 'The test was stopped');
  }
}

function linesOf({ terminal }: Context, server: ListedServer): readonly string[] {
  const { green, red, yellow, bold, dim } = terminal.outColors;
  const head = `${bold(visible(server.name))}  ${dim(spanText(server.tookMs))}`;
  if (server.kind === 'broken') return [`${red('broken')}  ${head}  ${visible(server.why)}`];
  const { definitions, notices } = server;
  const width = Math.max(0, ...definitions.map(({ name }) => name.length));
  return [
    `${green('ok')}      ${head}  ${definitions.length} tools`,
    ...definitions.map(
      ({ name, effect, description }) =>
        `        ${visible(name).padEnd(width)}  ${effect.padEnd(10)}  ${shortLine(sentenceOf(description), 80)}`,
    ),
    ...notices.map((notice) => `        ${yellow('note')}  ${visible(notice)}`),
  ];
}

function asJson({ name, tookMs, ...rest }: ListedServer): unknown {
  if (rest.kind === 'broken') return { name, ok: false, took_ms: tookMs, why: rest.why };
  const tools = rest.definitions.map(({ name: tool, effect, description }) => ({ name: tool, effect, description }));
  return { name, ok: true, took_ms: tookMs, tools, notices: rest.notices };
}
