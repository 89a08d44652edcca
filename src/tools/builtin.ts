import { createBashTool } from './shell/bash.ts';
import type { Environment } from './shell/call-environment.ts';
import { calculateTool } from './calculate/calculate.ts';
import { editFileTool } from './files/edit-file.ts';
import { createGlobTool } from './files/glob.ts';
import { createGrepTool } from './files/grep.ts';
import { lsTool } from './files/ls.ts';
import { createMemoryTool } from './memory/memory.ts';
import { readFileTool } from './files/read-file.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { Tool } from './tool.ts';
import { toolSearchTool } from './tool-search.ts';
import { createWebFetchTool } from './web/web-fetch.ts';
import { createWebSearchTool, type WebSearchOptions } from './web/web-search.ts';
import { writeFileTool } from './files/write-file.ts';

export interface BuiltinOptions {
  /** The programs that tools start get of it what an allowlist names. */
  readonly environment: Environment;
  readonly sandbox: Sandbox;
  /** Absolute path of the folder in which an agent's memory lies. */
  readonly memoryFolder: (agent: string) => string;
  /** Left out where no search is configured; then there is no such tool. */
  readonly webSearch?: WebSearchOptions;
}

/** The tools of every worker. */
export function createBuiltinTools({ environment, sandbox, memoryFolder, webSearch }: BuiltinOptions): readonly Tool[] {
  return [
    createBashTool(environment, sandbox),
    calculateTool,
    editFileTool,
    createGlobTool(environment),
    createGrepTool(environment),
    lsTool,
    createMemoryTool({ folder: memoryFolder }),
    readFileTool,
    toolSearchTool,
    createWebFetchTool(),
    ...(webSearch === undefined ? [] : [createWebSearchTool(webSearch)]),
    writeFileTool,
  ];
}
