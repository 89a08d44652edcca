import { ConfigError } from '../../config/config-error.ts';
import { readSettingsLayers } from '../../config/settings-files.ts';
import { trustOf } from '../../config/trust.ts';
import { knownToolNames } from '../../worker/known-tools.ts';
import type { Context } from '../context.ts';
import { missing, note, ok, type Finding } from './finding.ts';

/** The settings of operator, user and project. No run starts while one of them cannot be read: its rules would not be kept. */
export async function checkSettings({ env, settings, folder }: Context): Promise<readonly Finding[]> {
  const { home, folders } = settings;
  try {
    const { layers, notices } = await readSettingsLayers({
      folder,
      env,
      home,
      knownTools: knownToolNames(env),
      isTrusted: async (seen) => (await trustOf({ dataFolder: folders.dataFolder, folder, seen })).kind === 'trusted',
    });
    const rules = layers.map(({ layer, source }) => `${layer}, ${source}`).join('; ');
    const about = rules === '' ? note('settings', 'no rules of operator, user or project') : ok('settings', rules);
    return [about, ...notices.map((notice) => note('settings', notice))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [missing('settings', `${error.message}; no run starts here before that is mended`)];
  }
}
