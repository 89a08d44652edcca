import { writeFile } from 'node:fs/promises';
import { arch, cpus, platform, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBudget } from './budget.ts';
import { measureCancel } from './cancel.ts';
import { measureCompaction } from './compaction.ts';
import { measureDecide } from './decide.ts';
import { measureGrowth } from './growth.ts';
import { measureLongRun } from './long-run.ts';
import { measureOverhead } from './overhead.ts';
import { measureRecovery } from './recovery.ts';
import { measureCpu, measureIdleMemory } from './resources.ts';
import { median, openSetting, say, type Setting } from './setting.ts';
import { measureTools } from './tools.ts';

type Figures = Readonly<Record<string, number>>;

const SECTIONS: Readonly<Record<string, (setting: Setting) => Promise<Figures>>> = {
  overhead: async (setting) => {
    const one = await measureOverhead(setting, 1, 50);
    const fifty = await measureOverhead(setting, 50, 20);
    return {
      turnOverheadRatio: one.readMs / one.bareMs,
      turnOverheadRatio50Runs: fifty.readMs / fifty.bareMs,
      turnOverheadRatioUnsafeTool: one.unsafeMs / one.bareMs,
      turnOverheadRatioUnsafeTool50Runs: fifty.unsafeMs / fifty.bareMs,
      bareMillisecondsPerTurn: one.bareMs,
      millisecondsPerTurn: one.readMs,
      millisecondsPerTurnUnsafeTool: one.unsafeMs,
    };
  },
  growth: async (setting) => {
    const short = await measureGrowth(setting, 50);
    const long = await measureGrowth(setting, 500);
    return {
      historyGrowthRatio: long.historyBytes / short.historyBytes,
      historyBytesPerMessageByte: short.historyBytes / short.messageBytes,
      historyBytesPerTurn: short.historyBytes,
      historyContinuationsAt500Turns: long.continuations,
    };
  },
  growth2000: measureLongRun,
  compaction: measureCompaction,
  decide: async () => await Promise.resolve(measureDecide()),
  recovery: async (setting) => {
    const seconds = await measureRecovery(setting, { kills: 20, when: 'mid-step' });
    const anyMoment = await measureRecovery(setting, { kills: 10, when: 'any moment' });
    return {
      recoveryMedianSeconds: median(seconds),
      recoveryWorstSeconds: Math.max(...seconds),
      recoveryAnyMomentMedianSeconds: median(anyMoment),
      recoveryAnyMomentWorstSeconds: Math.max(...anyMoment),
    };
  },
  cancel: async (setting) => {
    const seconds = await measureCancel(setting);
    return { cancelMedianSeconds: median(seconds), cancelWorstSeconds: Math.max(...seconds) };
  },
  tools: measureTools,
  budget: measureBudget,
  resources: async (setting) => {
    const memory = await measureIdleMemory(setting);
    return {
      workerMegabytesPer200Runs: memory.megabytes,
      workerMegabytesEmpty: memory.emptyMegabytes,
      cpuSecondsPer1000Turns: await measureCpu(setting),
    };
  },
};

/** What was asked for; the figures beside it are for reading. */
const TARGETS: Readonly<Record<string, number>> = {
  turnOverheadRatio: 1.25,
  turnOverheadRatio50Runs: 1.25,
  historyGrowthRatio: 1.1,
  historyGrowthRatio2000: 1.1,
  decideGrowthRatio: 2,
  historyBytesPerMessageByte: 2,
  recoveryMedianSeconds: 2,
  recoveryWorstSeconds: 5,
  cancelWorstSeconds: 2,
  toolCallOverheadRatio: 1.25,
};

const HELP = `Usage: npm run bench -- [--json FILE] [--only ${Object.keys(SECTIONS).join('|')}]

Measures Nightshift against a bare Temporal workflow on the same server, in one run. Takes about twelve minutes.`;

const { values } = parseArgs({
  options: { json: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help === true) process.stdout.write(`${HELP}\n`);
else if (values.only !== undefined && !(values.only in SECTIONS))
  throw new Error(`Cannot measure "${values.only}": there are ${Object.keys(SECTIONS).join(', ')}`);
else await main();

async function main(): Promise<void> {
  const setting = await openSetting();
  let figures: Figures = {};
  try {
    for (const [name, measure] of Object.entries(SECTIONS)) {
      if (values.only !== undefined && values.only !== name) continue;
      say(name);
      figures = { ...figures, ...(await measure(setting)) };
    }
  } finally {
    await setting.close();
  }
  print(figures);
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ figures, machine: machine() }, null, 2)}\n`);
}

function print(figures: Figures): void {
  for (const [name, value] of Object.entries(figures)) {
    const target = TARGETS[name];
    const judged =
      target === undefined ? '' : value <= target ? `  (at most ${target}: holds)` : `  (at most ${target}: MISSED)`;
    process.stdout.write(`${name.padEnd(36)} ${value.toFixed(3).padStart(10)}${judged}\n`);
  }
  process.stdout.write(`${machine()}\n`);
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()}/${arch()}, Node ${process.versions.node}`;
}
