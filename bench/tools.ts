import { measureParallelReads } from './parallel-reads.ts';
import { measureSandbox } from './sandbox.ts';
import type { Setting } from './setting.ts';
import { measureToolOverhead } from './tool-overhead.ts';
import { measureToolTokens } from './tool-tokens.ts';

/** What tools cost: one call, a thousand reads at once, the definitions of very many, and the sandbox. */
export async function measureTools(setting: Setting): Promise<Readonly<Record<string, number>>> {
  const overhead = await measureToolOverhead(setting);
  const parallelReadsPerSecond = await measureParallelReads(setting);
  const { allSent, deferred } = await measureToolTokens(setting);
  const { confinedMs, plainMs, selfTestMs } = await measureSandbox();
  return {
    // The dearest kind of call stands for all: checked, claimed, run, cleaned of secrets, stored, reported.
    toolCallOverheadRatio: overhead.unsafeMs / overhead.bareMs,
    toolCallOverheadRatioRead: overhead.readMs / overhead.bareTogetherMs,
    toolCallOverheadRatioShortRead: overhead.shortReadMs / overhead.bareTogetherMs,
    bareMillisecondsPerToolCall: overhead.bareMs,
    millisecondsPerToolCall: overhead.unsafeMs,
    parallelReadsPerSecond,
    promptTokensSavedWith100Tools: 1 - deferred / allSent,
    promptTokensWith100ToolsSent: allSent,
    promptTokensWith100ToolsSearched: deferred,
    sandboxMillisecondsPerCommand: confinedMs - plainMs,
    sandboxMillisecondsConfined: confinedMs,
    sandboxMillisecondsUnconfined: plainMs,
    sandboxMillisecondsOfSelfTest: selfTestMs,
  };
}
