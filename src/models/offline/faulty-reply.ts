import type { Prefix } from './binding.ts';
import type { Fault } from './faults.ts';
import { callBlock, idOf, readyBlock, textBlock, type SpokenBlock, type SpokenReply } from './reply.ts';

/** Lets a fault change what is said. Faults of the way a reply travels leave it as it is. */
export function spoil(reply: SpokenReply, fault: Fault, prefix: Prefix): SpokenReply {
  switch (fault.kind) {
    case 'cut_call':
      return { ...reply, blocks: cutLastCall(reply.blocks), stopReason: 'max_tokens' };
    case 'stop':
      return { ...reply, stopReason: fault.stopReason };
    case 'refusal':
      return {
        ...reply,
        blocks: [],
        stopReason: 'refusal',
        stopDetails: { type: 'refusal', category: fault.category, explanation: null },
      };
    case 'pause_turn':
      return { ...reply, blocks: [...withoutCalls(reply.blocks), serverCall(prefix)], stopReason: 'pause_turn' };
    case 'unknown_kinds':
      return { ...reply, blocks: withUnknown(reply.blocks) };
    case 'huge':
      return { ...reply, blocks: [textBlock('x'.repeat(fault.bytes))], stopReason: 'end_turn' };
    case 'drip':
      return { ...reply, pauseMs: fault.pauseMs };
    default:
      return reply;
  }
}

function cutLastCall(blocks: readonly SpokenBlock[]): readonly SpokenBlock[] {
  const last = blocks.findLastIndex(({ whole }) => whole.type === 'tool_use');
  const call = blocks[last]?.whole;
  if (call === undefined) return blocks;
  const json = JSON.stringify(call['input']);
  return [
    ...blocks.slice(0, last),
    callBlock(String(call['id']), String(call['name']), json.slice(0, Math.ceil(json.length / 2))),
  ];
}

function withoutCalls(blocks: readonly SpokenBlock[]): readonly SpokenBlock[] {
  return blocks.filter(({ whole }) => whole.type !== 'tool_use');
}

function serverCall(prefix: Prefix): SpokenBlock {
  return readyBlock({
    type: 'server_tool_use',
    id: idOf('srvtoolu', prefix, 0),
    name: 'web_search',
    input: { query: 'offline' },
    caller: { type: 'direct' },
  });
}

/** After the thinking, whose signature holds what stands before it. */
function withUnknown(blocks: readonly SpokenBlock[]): readonly SpokenBlock[] {
  const thoughts = blocks.filter(({ whole }) => whole.type === 'thinking');
  return [...thoughts, unknownBlock, ...blocks.slice(thoughts.length)];
}

const unknownBlock: SpokenBlock = {
  ...readyBlock({ type: 'hologram', angles: [0, 90], note: { lit: true, colour: null } }),
  deltas: [{ type: 'hologram_delta', angle: 180 }],
};
