import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';

/** All of stdin as text. @throws {CommandFailure} with this message, when there are more bytes than may be */
export async function readStdin(bytesMax: number, tooMuch: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > bytesMax) throw new CommandFailure(EXIT.usage, tooMuch);
  }
  return Buffer.concat(chunks).toString('utf8');
}
