import { createBashTool } from './bash.ts';
import type { Environment } from './call-environment.ts';
import { editFileTool } from './edit-file.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { readFileTool } from './read-file.ts';
import type { Tool } from './tool.ts';
import { writeFileTool } from './write-file.ts';

/** The tools of every worker. From the environment, the programs they start get what an allowlist names. */
export function createBuiltinTools(environment: Environment): readonly Tool[] {
  return [
    createBashTool(environment),
    editFileTool,
    createGlobTool(environment),
    createGrepTool(environment),
    lsTool,
    readFileTool,
    writeFileTool,
  ];
}
