import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The program that the conformance suite runs: the client of this repository, as a worker uses it, against the server
// whose address is the last argument. Usage: node conformance-client.mjs DIST ADDRESS

const [, , dist, url] = process.argv;
const built = async (path) => await import(pathToFileURL(join(dist, path)).href);
const { createMcpPool } = await built('mcp/pool.js');
const { listMcpTools } = await built('mcp/list-tools.js');
const { createMcpTool } = await built('mcp/tool.js');

const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const digest = 'sha256:conformance';
const server = { type: 'http', name: 'suite', url, headers: {}, ...authOf(context) };
const pool = createMcpPool({ find: async () => server, environment: process.env, startMs: 15_000 });
const workspace = await mkdtemp(join(tmpdir(), 'nightshift-conformance-'));
const target = { server: 'suite', config: digest, workspace };
const { signal } = new AbortController();

try {
  const [listed] = await listMcpTools({ servers: [{ server, digest }], workspace, pool, signal });
  if (listed.kind === 'broken') throw new Error(listed.why);
  for (const notice of listed.notices) console.error(notice);
  const raw = await pool.use(target, signal, async (connection) => await connection.tools());
  for (const { name, arguments: input } of callsOf(listed.definitions, raw)) {
    const definition = listed.definitions.find(({ origin }) => origin.tool === name);
    if (definition === undefined) console.error(`Left out: ${name}`);
    else console.error(name, JSON.stringify(await callToEnd(createMcpTool(definition, pool), input)));
  }
} finally {
  await pool.close();
  await rm(workspace, { recursive: true, force: true });
}

function authOf({ client_id, client_secret, private_key_pem, signing_algorithm }) {
  if (client_id === undefined) return {};
  if (private_key_pem === undefined) {
    return { auth: { type: 'client_credentials', clientId: client_id, clientSecret: client_secret } };
  }
  const key = { privateKey: private_key_pem, algorithm: signing_algorithm ?? 'ES256' };
  return { auth: { type: 'private_key_jwt', clientId: client_id, ...key } };
}

/** What the scenario wants called: what it says, or each tool once with the least it takes. */
function callsOf(definitions, raw) {
  if (context.toolCalls !== undefined) return context.toolCalls;
  if (scenario === 'json-schema-2020-12-preservation') {
    const { inputSchema } = raw.find(({ name }) => name === 'json_schema_2020_12_tool');
    const echo = definitions.find(({ origin }) => origin.tool !== 'json_schema_2020_12_tool');
    return [{ name: echo.origin.tool, arguments: { schema: inputSchema } }];
  }
  return definitions.map(({ origin, inputSchema }) => ({ name: origin.tool, arguments: leastOf(inputSchema) }));
}

function leastOf({ properties = {}, required = [] }) {
  return Object.fromEntries(required.map((name) => [name, valueOf(properties[name] ?? {})]));
}

function valueOf({ type, enum: choices }) {
  if (choices !== undefined) return choices[0];
  return { number: 2, integer: 2, boolean: true, array: [], object: {} }[type] ?? 'text';
}

/** Answers what is asked as a person would who accepts, and calls again, as a run does. */
async function callToEnd(tool, input) {
  const answers = [];
  for (let asked = 0; asked < 5; asked += 1) {
    const output = await tool.run(input, contextOf(answers)).catch((error) => ({ text: error.message, isError: true }));
    if (output.question === undefined) return output;
    const { options, state } = output.question;
    answers.push({ action: 'accept', text: options[0]?.id ?? '{}', state });
  }
  throw new Error(`Cannot end the call of "${tool.name}": it asks without end`);
}

function contextOf(answers) {
  const key = randomUUID();
  return { workspace: { root: workspace }, agent: 'suite', signal, key, live: () => {}, answers, definitions: [] };
}
