import { join, resolve } from 'node:path';
import { readSettingsFile, type SettingsFile } from '../../../config/settings-file.ts';
import { grantTrust, revokeTrust, trustOf, type SeenFiles } from '../../../config/trust.ts';
import { knownToolNames } from '../../../worker/known-tools.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { isYes } from '../../following/ask-person.ts';
import { serverLines } from '../../text/mcp-text.ts';
import { visible } from '../../text/visible.ts';
import { serversOfFolder, type FolderServers, type ServerFlags } from './ls.ts';

export interface TrustFlags extends Pick<ServerFlags, 'workspace'> {
  readonly yes?: true;
  readonly revoke?: true;
}

/** One of `TRUSTED_FILES`; the others are read as the servers they name. */
const PROJECT_SETTINGS = 'nightshift.yaml';

/** Shows all that trust would let happen, and binds it to the very contents that were shown. */
export async function trustFolder(context: Context, flags: TrustFlags): Promise<number> {
  const { terminal, settings } = context;
  const { dataFolder } = settings.folders;
  if (flags.revoke === true) return await revoke(context, flags);
  const found = await serversOfFolder(context, flags);
  const { folder, mcp } = found;
  const project = await readProject(context, folder);
  const seen: SeenFiles = { ...mcp.files, ...(project && { [PROJECT_SETTINGS]: project.digest }) };
  if (Object.keys(seen).length === 0) {
    terminal.say(`Nothing to trust: "${visible(folder)}" has no .mcp.json, .vscode/mcp.json or nightshift.yaml.`);
    return EXIT.done;
  }
  for (const line of shownLines(context, found, project)) terminal.say(line);
  if ((await trustOf({ dataFolder, folder, seen })).kind === 'trusted') {
    terminal.say('It is trusted already, exactly as it is.');
    return EXIT.done;
  }
  if (!(await isWanted(context, flags))) {
    terminal.say('It is not trusted; nothing of it is started.');
    return EXIT.done;
  }
  await grantTrust({ dataFolder, folder, seen, at: new Date() });
  return await tellWhatIsTrusted(context, folder);
}

/** A file that changed while a person read is not what they said yes to. */
async function tellWhatIsTrusted({ terminal, settings }: Context, folder: string): Promise<number> {
  const { dataFolder } = settings.folders;
  const { kind, files } = await trustOf({ dataFolder, folder });
  if (kind !== 'trusted')
    throw new CommandFailure(
      EXIT.conflict,
      `Cannot trust "${visible(folder)}": ${files.map(visible).join(', ')} changed after it was shown; look at it again`,
    );
  terminal.say(`Trusted as long as ${files.map(visible).join(', ')} stay${files.length === 1 ? 's' : ''} as shown.`);
  return EXIT.done;
}

async function revoke({ terminal, settings, folder }: Context, { workspace }: TrustFlags): Promise<number> {
  const place = { dataFolder: settings.folders.dataFolder, folder: resolve(folder, workspace ?? '.') };
  const was = await revokeTrust(place);
  terminal.say(was ? 'It is trusted no more.' : 'It was not trusted.');
  return EXIT.done;
}

async function isWanted({ terminal }: Context, { yes }: TrustFlags): Promise<boolean> {
  if (yes === true) return true;
  if (!terminal.canAsk)
    throw new CommandFailure(
      EXIT.usage,
      'Cannot trust a folder without a terminal: nobody can be asked; --yes says so',
    );
  const typed = await terminal.ask('Trust this folder with all of that? [y/N] ');
  return typed !== null && isYes(typed);
}

async function readProject({ env }: Context, folder: string): Promise<SettingsFile | undefined> {
  const path = join(folder, PROJECT_SETTINGS);
  return await readSettingsFile({ layer: 'project', path, required: false, knownTools: knownToolNames(env) });
}

function shownLines(
  { terminal }: Context,
  { folder, mcp }: FolderServers,
  project: SettingsFile | undefined,
): readonly string[] {
  const { colors } = terminal;
  return [
    `Trusting ${colors.bold(visible(folder))} lets runs in it`,
    ...mcp.servers.flatMap(({ server, source, name }) => [
      '',
      `  start or reach ${colors.bold(visible(name))} (${source})`,
      ...serverLines(server).map((line) => `    ${line}`),
    ]),
    ...(project === undefined ? [] : projectLines(project)),
    ...mcp.problems.map((problem) => `  ${colors.yellow('not used')}  ${visible(problem)}`),
    '',
  ];
}

function projectLines({ data: { policy, mode, tools } }: SettingsFile): readonly string[] {
  const { allow = [] } = policy ?? {};
  const nothing = allow.length === 0 && tools === undefined && mode === undefined;
  return [
    ...(tools === undefined
      ? []
      : [
          '',
          '  start commands that bring tools (nightshift.yaml)',
          `    to find them  ${visible(tools.discover)}`,
          `    to call them  ${visible(tools.call)}`,
        ]),
    ...(allow.length === 0
      ? []
      : ['', '  do without asking (nightshift.yaml)', ...allow.map((rule) => `    ${visible(rule)}`)]),
    ...(mode === undefined ? [] : ['', `  use the mode "${mode}" (nightshift.yaml)`]),
    ...(nothing ? ['', '  nothing more by nightshift.yaml, which only narrows'] : []),
  ];
}
