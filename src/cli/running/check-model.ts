import type { RunSpec } from '../../contract/spec.ts';
import { ModelError } from '../../models/model.ts';
import { createModels } from '../../models/models.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { shortLine } from '../text/visible.ts';

const CHECK_TIMEOUT_MS = 10_000;

/**
 * Asks the model API once whether it knows our key and the model, so that a run is not started only to be parked.
 * An API that cannot be reached is no reason to refuse: the run waits for it.
 */
export async function checkModel({ settings, terminal }: Context, { model }: RunSpec): Promise<void> {
  if (model.offline) return;
  const models = createModels(settings.anthropic);
  try {
    await models.choose(model).check(model.id, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const words = shortLine(error.message, 400);
    if (error.kind === 'operator')
      throw new CommandFailure(EXIT.notAllowed, `${words}; check ANTHROPIC_API_KEY, nothing was started`);
    if (error.kind === 'rejected') throw new CommandFailure(EXIT.usage, `${words}; nothing was started`);
    terminal.say(`Note: the model API does not answer now (${words}); the run is started and keeps trying`);
  } finally {
    await models.close();
  }
}
