import type { Environment } from '../config/environment.ts';
import { controlDefinitions } from '../contract/control-tools.ts';
import { createBuiltinTools } from '../tools/builtin.ts';
import { createSandbox } from '../tools/sandbox/sandbox.ts';

/** Names of all tools that may be built in here, whatever is configured: rules may be about any of them. */
export function knownToolNames(environment: Environment): readonly string[] {
  const tools = createBuiltinTools({
    environment,
    sandbox: createSandbox({ environment }),
    memoryFolder: () => '',
    webSearch: { url: 'https://search.invalid' },
  });
  return [...tools, ...controlDefinitions].map(({ name }) => name);
}
