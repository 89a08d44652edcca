import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolCallResult } from '../../../src/contract/tool-calls.ts';
import { createWebFetchTool, type WebFetchOptions } from '../../../src/tools/web/web-fetch.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { oneTool } from '../one-tool.ts';
import { servePages, type Pages } from './pages.ts';

export const plain = { 'content-type': 'text/plain' };

export interface Reach {
  readonly pages: Pages;
  readonly fetch: (path: string, input?: object, signal?: AbortSignal) => Promise<ToolCallResult>;
}

/** A tool that may reach this one server, by whatever name. */
export async function reaching(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: WebFetchOptions = {},
  context: Partial<ToolContext> = {},
): Promise<Reach> {
  const pages = await servePages(answer);
  const { run } = await oneTool(
    createWebFetchTool({
      allowAddress: (address) => address === '127.0.0.1',
      resolve: async () => ['127.0.0.1'],
      ...options,
    }),
  );
  return {
    pages,
    fetch: async (path, input = {}, signal) =>
      await run(
        { url: `http://example.test:${pages.port}${path}`, ...input },
        { ...context, ...(signal && { signal }) },
      ),
  };
}
