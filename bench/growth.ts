import { randomUUID } from 'node:crypto';
import { startRun } from '../src/client.ts';
import type { Message } from '../src/contract/messages.ts';
import { startBenchWorker } from './bench-worker.ts';
import { benchSpec } from './bench-spec.ts';
import { readTool, unsafeTool } from './bench-tools.ts';
import { instantModel, modelsOf } from './instant-model.ts';
import { say, type Setting } from './setting.ts';

export interface Growth {
  readonly turns: number;
  /** Bytes of history a turn, over all continuations, as the server counts them. */
  readonly historyBytes: number;
  /** Bytes of messages a turn, as JSON. */
  readonly messageBytes: number;
  readonly continuations: number;
}

/** How much history a run of so many turns leaves, each turn a reply and a result of two kilobytes. */
export async function measureGrowth(setting: Setting, turns: number): Promise<Growth> {
  const { client, workspace } = setting;
  const models = modelsOf(instantModel(turns, unsafeTool.name, { counted: true }));
  const { taskQueue, worker } = await startBenchWorker(setting, { models, tools: [readTool, unsafeTool] });
  const runId = `growth-${turns}-${randomUUID()}`;
  await startRun(client, benchSpec(runId, workspace), taskQueue);
  const handle = client.workflow.getHandle(runId);
  await handle.result();
  const messages = await readMessages(handle);
  let historyBytes = 0;
  let executions = 0;
  for await (const { runId: execution } of client.workflow.list({ query: `WorkflowId = '${runId}'` })) {
    const { raw } = await client.workflow.getHandle(runId, execution).describe();
    historyBytes += Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0);
    executions += 1;
  }
  await worker.shutdown();
  const messageBytes = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
  say(
    `  ${turns} turns: ${Math.round(historyBytes / turns)} bytes of history and ${Math.round(messageBytes / turns)} of messages a turn`,
  );
  return {
    turns,
    historyBytes: historyBytes / turns,
    messageBytes: messageBytes / turns,
    continuations: executions - 1,
  };
}

async function readMessages(handle: {
  query: (name: string, input: unknown) => Promise<unknown>;
}): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (;;) {
    const page = (await handle.query('transcript', { from: messages.length })) as {
      messages: Message[];
      total: number;
    };
    messages.push(...page.messages);
    if (messages.length >= page.total || page.messages.length === 0) return messages;
  }
}
