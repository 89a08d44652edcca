import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-codes.ts';
import { readStdin } from '../../read-stdin.ts';

/** More is no call. */
const INPUT_BYTES_MAX = 16 * 1_024 * 1_024;

/** The input of a call: JSON from the command line, or from stdin for `-`; nothing at all is an empty object. */
export async function readInput(json: string | undefined): Promise<unknown> {
  const text =
    json === '-'
      ? await readStdin(INPUT_BYTES_MAX, `Cannot read the input: stdin has more than ${INPUT_BYTES_MAX} bytes`)
      : (json ?? '{}');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.usage, `Cannot read the input: expected JSON such as {"path": "a.txt"}: ${why}`);
  }
}
