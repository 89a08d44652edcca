import { digestOf } from '../../../config/canonical-json.ts';
import { toolName } from '../../../config/tool-names.ts';
import type { ToolDefinition } from '../../../contract/spec.ts';
import { CommandFailure } from '../../command-failure.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { spanText } from '../../text/times.ts';
import { originText } from '../../text/tool-text.ts';
import { safeJson, visible, visibleLines } from '../../text/visible.ts';
import { toolsOfFolder, termsOf, type FolderFlags, type FolderTools } from './folder.ts';
import { judgeTool, type GeneralJudgement } from '../../../prepare/judge-call.ts';

export interface ShowFlags extends FolderFlags {
  readonly json?: true;
}

export async function showTool(context: Context, written: string, flags: ShowFlags): Promise<number> {
  const { definition, workspace, catalog } = await findTool(context, written, flags);
  const judgement = judgeTool(await termsOf(context, { workspace, layers: catalog.layers }), definition);
  const { terminal } = context;
  const json = { ...definition, digest: digestOf(definition), policy: judgement };
  terminal.print(flags.json === true ? safeJson(json, 2) : asText(context, definition, judgement).join('\n'));
  return EXIT.done;
}

export interface FoundTool extends FolderTools {
  readonly definition: ToolDefinition;
}

/**
 * Finds a tool of a folder by either of its names. Servers and commands are asked only when it is not built in.
 *
 * @throws {CommandFailure} there is no such tool here
 */
export async function findTool(context: Context, written: string, flags: FolderFlags): Promise<FoundTool> {
  const early = await toolsOfFolder(context, { ...flags, startsOthers: false });
  const present = pick(early, written);
  if (present !== undefined) return { ...early, definition: present };
  const whole = await toolsOfFolder(context, flags);
  for (const notice of whole.catalog.notices) context.terminal.say(`Note: ${visible(notice)}`);
  const definition = pick(whole, written);
  if (definition !== undefined) return { ...whole, definition };
  const names = whole.catalog.definitions.map(({ name }) => name);
  const named = toolName(written, names);
  const why = named.kind === 'problem' ? named.problem : 'no server that can be asked here has it';
  throw new CommandFailure(EXIT.notFound, `Cannot find the tool "${visible(written)}": ${visible(why)}`);
}

function pick(
  { catalog: { definitions, searchDefinitions } }: FolderTools,
  written: string,
): ToolDefinition | undefined {
  const all = [...definitions, ...searchDefinitions];
  const names = all.map(({ name }) => name);
  const named = toolName(written, names);
  return named.kind === 'name' ? all.find(({ name }) => name === named.name) : undefined;
}

function asText({ terminal }: Context, definition: ToolDefinition, judgement: GeneralJudgement): readonly string[] {
  const { outColors: colors } = terminal;
  const { name, description, effect, timeoutMs, origin, instructions, inputSchema } = definition;
  const row = (title: string, value: string): string => `  ${colors.dim(title.padEnd(12))} ${visible(value)}`;
  const part = (title: string, text: string): readonly string[] => [
    '',
    colors.dim(`  ${title}`),
    ...visibleLines(text).map((line) => `  ${line}`),
  ];
  return [
    colors.bold(visible(name)),
    row('From', originText(origin)),
    ...(origin?.kind === 'mcp' ? [row('Its name', origin.tool), row('Pin', origin.pin)] : []),
    ...(origin?.kind === 'command' ? [row('Its name', origin.tool), row('Command', origin.call)] : []),
    row('Effect', `${effect}: ${EFFECTS[effect]}`),
    row('Timeout', spanText(timeoutMs)),
    row('A call is', `${{ allow: 'allowed', ask: 'asked', deny: 'denied' }[judgement.decision]}: ${judgement.reason}`),
    ...judgement.patterns.map((rule) => row('', `or by the rule "${rule}"`)),
    row('Digest', digestOf(definition)),
    ...part('Description', description),
    ...part('Input', safeJson(inputSchema, 2)),
    ...(instructions === undefined ? [] : part('Told with its first use', instructions)),
  ];
}

const EFFECTS: Readonly<Record<ToolDefinition['effect'], string>> = {
  read: 'changes nothing',
  idempotent: 'doing it twice is the same as once',
  keyed: 'the other side drops a second one by its key',
  checkable: 'it can be asked afterwards whether it happened',
  unsafe: 'started at most once',
};
