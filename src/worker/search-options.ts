import type { Environment } from '../config/environment.ts';
import type { WebSearchSettings } from '../config/settings-files.ts';
import type { WebSearchOptions } from '../tools/web/web-search.ts';

const DEFAULT_KEY_HEADER = 'Authorization';

/** The search that the settings name, with its key from the environment; undefined when they name none. */
export function searchOptions(
  settings: WebSearchSettings | undefined,
  environment: Environment,
): WebSearchOptions | undefined {
  if (settings === undefined) return undefined;
  const { url, keyVariable, keyHeader = DEFAULT_KEY_HEADER } = settings;
  const value = keyVariable === undefined ? undefined : environment[keyVariable];
  return { url, ...(value !== undefined && value !== '' && { key: { header: keyHeader, value } }) };
}
