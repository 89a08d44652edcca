import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../../src/tools/tool.ts';

/** Where the services stand; another place for tests, or for a service of one's own. */
export interface WeatherOptions {
  readonly forecastUrl?: string;
  readonly geocodingUrl?: string;
}

const ANSWER_CHARACTERS_MAX = 1_000_000;

const places = z.object({
  results: z
    .array(z.object({ name: z.string(), country: z.string().default(''), latitude: z.number(), longitude: z.number() }))
    .default([]),
});

const forecast = z.object({
  current: z.object({ temperature_2m: z.number(), wind_speed_10m: z.number(), precipitation: z.number() }),
  daily: z.object({
    time: z.array(z.string()),
    temperature_2m_min: z.array(z.number().nullable()),
    temperature_2m_max: z.array(z.number().nullable()),
    precipitation_sum: z.array(z.number().nullable()),
  }),
});

/** The weather at a place, from Open-Meteo or any service with the same answers. It asks for no key. */
export function createGetWeatherTool({
  forecastUrl = 'https://api.open-meteo.com/v1/forecast',
  geocodingUrl = 'https://geocoding-api.open-meteo.com/v1/search',
}: WeatherOptions = {}): Tool {
  return defineTool({
    name: 'get_weather',
    description: 'Gives the weather at a place: now, and for up to seven days.',
    input: z.strictObject({
      place: z.string().trim().min(2).max(100).describe('Name of a town, such as "Berlin".'),
      days: z.int().min(1).max(7).default(1),
    }),
    // A read may be tried again by the engine, here three times while the service is out.
    effect: 'read',
    timeoutMs: 15_000,
    local: false,
    summarize: ({ place }) => `Get the weather in ${place}`,
    // Policy rules and people see where the call reaches, and what it sends there.
    touches: () => [geocodingUrl, forecastUrl].map((url) => ({ kind: 'domain', host: new URL(url).hostname })),
    preview: ({ place }) => `GET ${withQuery(geocodingUrl, { name: place, count: 1 })}\nGET ${forecastUrl}?…`,
    async run({ place, days }, { signal }) {
      const found = await ask(withQuery(geocodingUrl, { name: place, count: 1 }), places, signal);
      const [town] = found.results;
      if (town === undefined) throw new ToolError('invalid_params', `Cannot find "${place}": no place has this name`);
      const { latitude, longitude } = town;
      const wanted = {
        latitude,
        longitude,
        current: 'temperature_2m,wind_speed_10m,precipitation',
        daily: 'temperature_2m_min,temperature_2m_max,precipitation_sum',
        forecast_days: days,
        timezone: 'auto',
      };
      const { current, daily } = await ask(withQuery(forecastUrl, wanted), forecast, signal);
      const lines = daily.time.map(
        (day, index) =>
          `${day}: ${daily.temperature_2m_min[index] ?? '?'} to ${daily.temperature_2m_max[index] ?? '?'} °C, ${daily.precipitation_sum[index] ?? '?'} mm`,
      );
      const now = `now ${current.temperature_2m} °C, wind ${current.wind_speed_10m} km/h, ${current.precipitation} mm`;
      return { text: [`${town.name}, ${town.country}: ${now}`, ...lines].join('\n') };
    },
  });
}

function withQuery(url: string, query: Readonly<Record<string, string | number>>): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address.href;
}

/** What may be better the next time is `passing`; what will not is told to the model at once. */
async function ask<Answer>(url: string, shape: z.ZodType<Answer>, signal: AbortSignal): Promise<Answer> {
  const { host } = new URL(url);
  const response = await fetch(url, { signal, redirect: 'error' }).catch((error: unknown) => {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new ToolError('execution_failed', `Cannot reach ${host}: ${reason}`, { passing: true });
  });
  if (!response.ok) {
    const passing = response.status === 429 || response.status >= 500;
    throw new ToolError('execution_failed', `Cannot ask ${host}: it answers with status ${response.status}`, {
      passing,
    });
  }
  const text = await response.text();
  const answer = text.length > ANSWER_CHARACTERS_MAX ? undefined : shape.safeParse(parsed(text));
  if (answer?.success === true) return answer.data;
  throw new ToolError('execution_failed', `Cannot read the answer of ${host}: it is not what was expected`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
