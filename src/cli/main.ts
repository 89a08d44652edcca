import { CommanderError } from 'commander';
import { explainFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';
import { createProgram } from './program.ts';
import { visibleLines } from './text/visible.ts';

process.exitCode = await runCommandLine(process.argv.slice(2));
await flushed();
// A connection that is slow to close must not hold the terminal; what had to be said has been said.
process.exit();

async function runCommandLine(words: readonly string[]): Promise<number> {
  process.stdout.on('error', endOnClosedPipe);
  const result = { exitCode: EXIT.done as number };
  try {
    await createProgram((exitCode) => (result.exitCode = exitCode)).parseAsync(words, { from: 'user' });
    return result.exitCode;
  } catch (error) {
    // Commander has said what is wrong; its own code for help asked for is 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCode, message } = explainFailure(error);
    console.error(visibleLines(message).join('\n'));
    return exitCode;
  }
}

/** `nightshift runs ls | head` closes our output early, which is no failure. */
function endOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
}

async function flushed(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map(
      async (stream) => await new Promise<void>((resolve) => stream.write('', () => resolve())),
    ),
  );
}
