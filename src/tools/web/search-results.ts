import * as z from 'zod';

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

const text = z.string().catch('');

/** Names that search services use for the same three things. */
const item = z.looseObject({
  title: text,
  name: text,
  url: text,
  link: text,
  href: text,
  description: text,
  snippet: text,
  content: text,
  body: text,
});

const items = z.array(z.unknown());

/** Where the list stands: Brave, SearXNG and alike, Google, SerpAPI and alike, Bing, or nothing around it. */
const answer = z.union([
  items,
  z.looseObject({ web: z.looseObject({ results: items }) }).transform(({ web }) => web.results),
  z.looseObject({ results: items }).transform(({ results }) => results),
  z.looseObject({ items }).transform((found) => found.items),
  z.looseObject({ organic_results: items }).transform((found) => found.organic_results),
  z.looseObject({ organic: items }).transform((found) => found.organic),
  z.looseObject({ webPages: z.looseObject({ value: items }) }).transform(({ webPages }) => webPages.value),
  // Google leaves the list out when it is empty.
  z.looseObject({ searchInformation: z.unknown() }).transform(() => []),
  z.looseObject({ query: z.unknown(), type: z.literal('search') }).transform(() => []),
]);

/** Reads the answer of a search service; undefined when it has none of the shapes we know. What is no result is left out. */
export function searchResults(json: unknown): readonly SearchResult[] | undefined {
  const found = answer.safeParse(json);
  if (!found.success) return undefined;
  return found.data.flatMap((candidate) => {
    const read = item.safeParse(candidate);
    if (!read.success) return [];
    const { title, name, url, link, href, description, snippet, content, body } = read.data;
    const result = {
      title: title || name,
      url: url || link || href,
      snippet: description || snippet || content || body,
    };
    return /^https?:\/\//i.test(result.url) ? [result] : [];
  });
}
