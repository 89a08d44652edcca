import { createRequire } from 'node:module';
import { runAside } from '../shell/side-process.ts';
import type { ToolContext } from '../tool.ts';

const require = createRequire(import.meta.url);

const LIBRARY = require.resolve('html-to-text');

/** A large page takes a second or two; pages made to be slow, which nest without end, would take hours. */
const LIMITS = { timeoutMs: 8_000, memoryMb: 512 };

export interface Page {
  readonly html: string;
  readonly url: URL;
}

/** Takes title and text out of a page. Where links lead is kept, because the model goes on from there. */
export async function pageText(
  { html, url }: Page,
  context: Pick<ToolContext, 'signal' | 'key' | 'worker'>,
): Promise<string> {
  const attempt = `Cannot take the text out of the page of ${url.host}`;
  const data = { html, origin: url.origin };
  return String(await runAside({ attempt, code: EXTRACTION, library: LIBRARY, data, ...LIMITS }, context));
}

/** See `SideWork.code`. */
const EXTRACTION = `({ convert }) => {
  const skipped = ['img', 'script', 'style', 'noscript', 'template', 'svg', 'nav'];
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
  return ({ html, origin }) => {
    const title = /<title[^>]{0,200}>([^<]{1,500})/i.exec(html.slice(0, 100000));
    const text = convert(html, {
      wordwrap: false,
      limits: { maxInputLength: html.length, maxDepth: 256, ellipsis: '…' },
      selectors: [
        ...skipped.map((selector) => ({ selector, format: 'skip' })),
        ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
        { selector: 'a', options: { baseUrl: origin, hideLinkHrefIfSameAsText: true } },
      ],
    });
    return title === null ? text : convert(title[1], { wordwrap: false }) + '\\n\\n' + text;
  };
}`;
