import { SECRET_NAME, type McpServer } from '../../contract/mcp-server.ts';
import { shellWord } from './tool-text.ts';
import { visible } from './visible.ts';

/** The command line or the address of a server, with its variables as they are written. */
export function reachText(server: McpServer): string {
  return server.type === 'stdio' ? [server.command, ...server.args].map(shellWord).join(' ') : server.url;
}

/**
 * All that is done to start or reach a server. Of values that may be secrets only the names are shown; the others are
 * shown whole, because some variables name programs, too.
 */
export function serverLines(server: McpServer): readonly string[] {
  const rows: readonly (readonly [string, string])[] =
    server.type === 'stdio'
      ? [['runs', reachText(server)], ['in', server.cwd ?? 'the workspace'], ...named('with', server.env)]
      : [[server.type, server.url], ...named('sends', server.headers), ...authRows(server)];
  return rows.map(([name, value]) => `${name.padEnd(8)} ${visible(value)}`);
}

/** A secret without a variable in it stands in the file, and is bound by the digest of that. */
function named(word: string, values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).map(([name, value]) => {
    if (!isSecret(name, value)) return [word, `${name}=${value}`];
    const variables = variablesIn(value);
    return [word, variables.length === 0 ? name : `${name}, from ${variables.join(', ')} of your environment`];
  });
}

function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || /:\/\/[^/\s]*@/u.test(value);
}

function variablesIn(value: string): readonly string[] {
  return [...value.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)/gu)].map(([, variable = '']) => variable);
}

/** Whoever the secret goes to has it, so it is said whose it is and who that is. */
function authRows({ auth }: Exclude<McpServer, { type: 'stdio' }>): readonly (readonly [string, string])[] {
  if (auth === undefined) return [];
  const variables = variablesIn(auth.type === 'client_credentials' ? auth.clientSecret : auth.privateKey);
  const secret = variables.length === 0 ? 'a secret of the file' : `${variables.join(', ')} of your environment`;
  const place = auth.issuer === undefined ? 'wherever the server says' : `at ${auth.issuer}`;
  return [['logs in', `as "${auth.clientId}" by ${auth.type}, with ${secret}, ${place}`]];
}
