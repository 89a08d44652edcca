import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createGetWeatherTool } from '../../examples/weather/get-weather.ts';
import { oneTool, type OneTool } from '../tools/one-tool.ts';
import { servePages, type Pages } from '../tools/web/pages.ts';

const BERLIN = { results: [{ name: 'Berlin', country: 'Germany', latitude: 52.52, longitude: 13.41 }] };
const DRY = {
  current: { temperature_2m: 21.5, wind_speed_10m: 7, precipitation: 0 },
  daily: {
    time: ['2026-06-01', '2026-06-02'],
    temperature_2m_min: [12, null],
    temperature_2m_max: [24, 26],
    precipitation_sum: [0, 1.5],
  },
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function weather(
  answer: Answer,
): Promise<OneTool & { readonly pages: Pages; readonly tool: ReturnType<typeof createGetWeatherTool> }> {
  const pages = await servePages(answer);
  const at = `http://127.0.0.1:${pages.port}`;
  const tool = createGetWeatherTool({ forecastUrl: `${at}/forecast`, geocodingUrl: `${at}/search` });
  return { ...(await oneTool(tool)), pages, tool };
}

const service: Answer = (request, response) =>
  void response.end(JSON.stringify(request.url?.startsWith('/search') === true ? BERLIN : DRY));

test('finds the place and gives its weather', async () => {
  const { run, pages } = await weather(service);
  expect(await run({ place: 'Berlin & more', days: 2 })).toMatchObject({
    status: 'success',
    content:
      'Berlin, Germany: now 21.5 °C, wind 7 km/h, 0 mm\n2026-06-01: 12 to 24 °C, 0 mm\n2026-06-02: ? to 26 °C, 1.5 mm',
  });
  const asked = pages.requests.map(({ url }) => new URL(url ?? '', 'http://x').searchParams);
  expect(asked[0]?.get('name')).toBe('Berlin & more');
  expect([asked[1]?.get('latitude'), asked[1]?.get('forecast_days')]).toEqual(['52.52', '2']);
});

test.each<[name: string, answer: Answer, said: RegExp]>([
  ['a place that is nowhere', (_request, response) => void response.end('{}'), /no place has this name$/],
  [
    'an answer of another shape',
    (_request, response) => void response.end('{"results":[1]}'),
    /not what was expected$/,
  ],
  ['an answer that is no JSON', (_request, response) => void response.end('<html>'), /not what was expected$/],
  ['a refusal', (_request, response) => void response.writeHead(400).end(), /answers with status 400$/],
  [
    'a redirect elsewhere',
    (_request, response) => void response.writeHead(302, { location: '/x' }).end(),
    /^execution_failed: Cannot reach/,
  ],
])('tells the model of %s', async (_name, answer, said) => {
  const { run } = await weather(answer);
  const { status, content } = await run({ place: 'Berlin' });
  expect(status).toBe('error');
  expect(content).toMatch(said);
});

test.each<[name: string, answer: Answer]>([
  ['is out', (_request, response) => void response.writeHead(503).end()],
  ['is busy', (_request, response) => void response.writeHead(429).end()],
  ['breaks off', (request) => void request.socket.destroy()],
])('a service that %s may be better the next time', async (_name, answer) => {
  const { tool, context } = await weather(answer);
  await expect(tool.run({ place: 'Berlin' }, context)).rejects.toMatchObject({ name: 'ToolError', passing: true });
});

test('shows before it runs where it reaches and what it sends', async () => {
  const { tool, context } = await weather(service);
  expect(await tool.touches?.({ place: 'Berlin' }, context)).toContainEqual({ kind: 'domain', host: '127.0.0.1' });
  expect(await tool.preview?.({ place: 'Berlin' }, context)).toMatch(
    /^GET http:\/\/127\.0\.0\.1:\d+\/search\?name=Berlin&count=1\n/,
  );
});

test('ends when it is cancelled', async () => {
  const cancel = new AbortController();
  const { run } = await weather(() => setTimeout(() => cancel.abort(new Error('enough')), 20));
  await expect(run({ place: 'Berlin' }, { signal: cancel.signal })).rejects.toThrow('enough');
});
