import type { PolicyMode, ToolDefinition } from '../../../contract/spec.ts';
import type { Catalog } from '../../../prepare/catalog.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit-codes.ts';
import { prepareRun } from '../../running/prepare.ts';
import { tableText } from '../../text/table.ts';
import { originText, sentenceOf } from '../../text/tool-text.ts';
import { safeJson, shortLine, visible } from '../../text/visible.ts';
import { toolsOfFolder, termsOf, type FolderFlags } from './folder.ts';
import { judgeTool, type GeneralJudgement, type Judging } from '../../../prepare/judge-call.ts';

export interface ListFlags extends FolderFlags {
  readonly agent?: string;
  readonly mode?: PolicyMode;
  readonly all?: true;
  readonly json?: true;
}

interface Listed {
  readonly definition: ToolDefinition;
  readonly isGiven: boolean;
  readonly judgement: GeneralJudgement;
}

/** The tools that were chosen, and those that were not. */
interface Choice extends Judging {
  readonly given: readonly ToolDefinition[];
  readonly others: readonly ToolDefinition[];
  readonly notices: readonly string[];
}

export async function listTools(context: Context, flags: ListFlags): Promise<number> {
  const { terminal } = context;
  const choice = flags.agent === undefined ? await choiceOfFolder(context, flags) : await choiceOfAgent(context, flags);
  const listed = [
    ...choice.given.map((definition) => listedOf(choice, definition, true)),
    ...(flags.all === true ? choice.others.map((definition) => listedOf(choice, definition, false)) : []),
  ];
  if (flags.json === true) terminal.print(safeJson(listed.map(asJson), 2));
  else terminal.print(tableText(['TOOL', 'EFFECT', 'FROM', 'A CALL IS', 'WHAT IT DOES'], listed.map(rowOf)));
  for (const notice of choice.notices) terminal.say(`Note: ${visible(notice)}`);
  return EXIT.done;
}

async function choiceOfFolder(context: Context, flags: ListFlags): Promise<Choice> {
  const { workspace, catalog } = await toolsOfFolder(context, flags);
  const { definitions, searchDefinitions: others, layers } = catalog;
  const { policy, agentSource, notices } = await termsOf(context, { mode: flags.mode, workspace, layers });
  return { policy, agentSource, given: sorted(definitions), others, notices: [...catalog.notices, ...notices] };
}

/** What a run of the agent would be given if it were started now. */
async function choiceOfAgent(context: Context, { agent = '', workspace, mode }: ListFlags): Promise<Choice> {
  const given = { ...(workspace !== undefined && { workspace }), ...(mode && { mode }) };
  const flags = { outputFormat: 'text', ...given } as const;
  const { spec, catalog, notices } = await prepareRun(context, { agent, task: 'none', flags });
  const { policy, tools } = spec;
  return { policy, agentSource: spec.agent.source, given: tools, others: leftOut(catalog, tools), notices };
}

function leftOut({ definitions }: Catalog, tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return sorted(definitions.filter(({ name }) => !tools.some((tool) => tool.name === name)));
}

function sorted(definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  return definitions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function listedOf(judging: Judging, definition: ToolDefinition, isGiven: boolean): Listed {
  return { definition, isGiven, judgement: judgeTool(judging, definition) };
}

function rowOf({ definition, isGiven, judgement }: Listed): readonly string[] {
  const { name, effect, origin, description, deferred } = definition;
  const found = deferred === true ? ' (found by search)' : '';
  return [
    name,
    effect,
    `${shortLine(originText(origin), 40)}${found}`,
    isGiven ? judgementText(judgement) : 'not given',
    shortLine(sentenceOf(description), 90),
  ];
}

function judgementText({ decision, patterns }: GeneralJudgement): string {
  const words = { allow: 'allowed', ask: 'asked', deny: 'denied' }[decision];
  const { length } = patterns;
  return length === 0 ? words : `${words}, or by ${length} rule${length === 1 ? '' : 's'}`;
}

function asJson({ definition, isGiven, judgement }: Listed): unknown {
  const { name, effect, origin, description, deferred = false } = definition;
  return { name, effect, origin: origin ?? null, given: isGiven, deferred, policy: judgement, description };
}
