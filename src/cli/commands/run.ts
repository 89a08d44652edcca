import type { Command } from 'commander';
import { startRun, StartRefused } from '../../client.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { RunIntroduction } from '../following/output.ts';
import { showRun } from '../following/show-run.ts';
import { readKnownRun } from '../named-run.ts';
import type { Runner } from '../program.ts';
import { checkModel } from '../running/check-model.ts';
import { introductionOf } from '../running/introduction.ts';
import { addRunFlags, type RunFlags } from '../running/run-flags.ts';
import { runPage, withServer, type ServerAccess } from '../server-access.ts';
import { ensureServices } from '../services/ensure.ts';
import { safeJson, shortLine, visible } from '../text/visible.ts';

export function addRun(program: Command, run: Runner): void {
  const command = program
    .command('run')
    .description('start a run and follow it')
    .argument('<agent>', 'name of an agent, or path of its file')
    .argument('[task]', 'what it should do; "-" reads it from stdin');
  addRunFlags(command).action(async (agent: string, task: string | undefined, flags: RunFlags) => {
    await run(async (context) => await startAndFollow(context, { agent, task, flags }));
  });
}

interface Wish {
  readonly agent: string;
  readonly task: string | undefined;
  readonly flags: RunFlags;
}

async function startAndFollow(context: Context, wish: Wish): Promise<number> {
  const { flags } = wish;
  // What knows all tools takes a moment to load, and only this command needs it.
  const { prepareRun } = await import('../running/prepare.ts');
  const { spec, notices } = await prepareRun(context, wish);
  for (const notice of notices) context.terminal.say(`Note: ${visible(notice)}`);
  // A named server may be served by workers elsewhere, with keys of their own.
  if (context.settings.temporal === null) await checkModel(context, spec);
  const services = await ensureServices(context);
  if (context.settings.temporal !== null && services !== null) await checkModel(context, spec);
  return await withServer(context, async (server) => {
    const how = await startOrAttach(context, { server, spec, mayExist: flags.id !== undefined });
    const temporalUrl = runPage(server, spec.runId);
    if (flags.detach === true) return leave(context, { spec, temporalUrl, flags, how });
    if (how === 'attached') {
      const introduction = introductionOf(spec.runId, await readKnownRun(server.client, spec.runId), temporalUrl);
      return await showRun(context, { server, introduction, flags });
    }
    if (flags.quiet !== true && flags.print !== true) introduce(context, spec, temporalUrl);
    return await showRun(context, { server, introduction: { ...introductionTo(spec), notices, temporalUrl }, flags });
  });
}

function introductionTo({ runId, agent, model, tools }: RunSpec): Omit<RunIntroduction, 'notices' | 'temporalUrl'> {
  return { runId, agent: agent.name, model: model.id, offline: model.offline, tools: tools.map(({ name }) => name) };
}

interface Starting {
  readonly server: ServerAccess;
  readonly spec: RunSpec;
  /** With an id of the caller, an existing run is the one that was meant. */
  readonly mayExist: boolean;
}

async function startOrAttach(
  { terminal, settings }: Context,
  { server, spec, mayExist }: Starting,
): Promise<'started' | 'attached'> {
  try {
    await startRun(server.client, spec, settings.taskQueue);
    return 'started';
  } catch (error) {
    if (!(error instanceof StartRefused) || error.reason !== 'exists' || !mayExist) throw error;
    terminal.say(`${spec.runId} exists already: following it as it is, nothing is started again`);
    return 'attached';
  }
}

function introduce({ terminal }: Context, spec: RunSpec, temporalUrl: string | null): void {
  const { colors, say } = terminal;
  say(`${colors.bold(visible(spec.agent.name))} · ${shortLine(spec.title, 100)}`);
  say(colors.dim(`  run ${spec.runId} in ${visible(spec.workspace)}`));
  if (temporalUrl !== null) say(colors.dim(`  ${temporalUrl}`));
  if (spec.model.offline)
    say(
      colors.yellow(
        '  OFFLINE model: no API key is configured, so a fixed script stands in for a model; the tools are real',
      ),
    );
}

interface Leaving {
  readonly spec: RunSpec;
  readonly temporalUrl: string | null;
  readonly flags: RunFlags;
  readonly how: 'started' | 'attached';
}

function leave({ terminal }: Context, { spec, temporalUrl, flags, how }: Leaving): number {
  const { runId, model } = spec;
  if (flags.outputFormat === 'text') terminal.print(runId);
  else terminal.print(safeJson({ v: 1, type: how, run_id: runId, offline: model.offline, temporal_url: temporalUrl }));
  if (flags.quiet !== true) {
    terminal.say(
      `${runId} ${how === 'started' ? 'is started' : 'exists'}${model.offline ? ' with the OFFLINE model' : ''}; "nightshift runs tail ${runId}" follows it`,
    );
    if (temporalUrl !== null) terminal.say(`  ${temporalUrl}`);
  }
  return EXIT.done;
}
