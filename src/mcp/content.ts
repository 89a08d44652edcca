import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { TOOL_OUTPUT_CHARACTERS_MAX } from '../contract/limits.ts';
import { clip } from '../tools/clip.ts';
import { oneLine } from '../tools/one-line.ts';

const NOTE_CHARACTERS_MAX = 500;

/** What the model reads of a result: text as it is, and a note in place of what is no text. */
export function textOf({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): string {
  const parts = content.map(blockText);
  const hasText = content.some(({ type }) => type === 'text');
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent, null, 2));
  const text = parts.join('\n\n');
  return clip(text === '' ? '[The tool returned nothing]' : text, TOOL_OUTPUT_CHARACTERS_MAX);
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return note(`${block.type} of type ${block.mimeType}, ${bytesOf(block.data)} bytes, cannot be shown here`);
    case 'resource_link':
      return note(`link to ${block.uri}: ${[block.name, block.description].filter(Boolean).join(', ')}`);
    case 'resource':
      return 'text' in block.resource
        ? `${note(`contents of ${block.resource.uri}`)}\n${block.resource.text}`
        : note(`${block.resource.uri}, ${bytesOf(block.resource.blob)} bytes, cannot be shown here`);
  }
}

function note(text: string): string {
  return `[${oneLine(text, NOTE_CHARACTERS_MAX)}]`;
}

/** Of base64. */
function bytesOf(data: string): number {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
  return Math.floor(((data.length - padding) * 3) / 4);
}
