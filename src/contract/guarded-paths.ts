/**
 * Entries of a workspace on which programs outside of any sandbox act: what is written there is run or obeyed later, by
 * editors, shells, agents or ourselves. Commands cannot write them, and no mode lets a file tool do so unasked.
 */
export const GUARDED_PATHS: readonly string[] = [
  '.mcp.json',
  '.vscode',
  '.idea',
  '.claude',
  '.agents',
  'nightshift.yaml',
  '.envrc',
];

/** Guarded for commands only where it holds agent files; other projects have code under this name. */
export const AGENTS_FOLDER = 'agents';
