import { AGENTS_FOLDER, GUARDED_PATHS } from '../../contract/guarded-paths.ts';
import type { Policy, PolicyLayer, PolicyMode } from '../../contract/spec.ts';
import type { Effect, Touch } from '../../contract/tool-calls.ts';
import { isOutside } from './globs.ts';
import { applies, coversCall, coversTouch, type RuledCall } from './rule.ts';
import { touchesOfInput } from './touched.ts';

/** What the policy says about one call, with the rule that said it, for people. */
export interface PolicyDecision {
  readonly decision: 'allow' | 'ask' | 'deny';
  /** One sentence without a period, for people and for the model. */
  readonly reason: string;
  readonly rule?: string;
  readonly layer?: LayerName;
  /** Why the call may run without a person, where the tool must check again on what it really touches. */
  readonly grant?: string;
}

export type LayerName = PolicyLayer['layer'] | 'agent';

/** The grant of a call that runs only because of the mode `yolo`; a worker whose operator did not enable it refuses it. */
export const YOLO_GRANT = 'mode: yolo';

/** What a policy looks at. */
export interface JudgedCall {
  readonly tool: string;
  readonly effect: Effect;
  readonly input: unknown;
  /** As the worker found them; left out when the tool tells none. */
  readonly touches?: readonly Touch[];
  readonly origin?: 'mcp' | 'command';
  /** Why the worker cannot confine the call. */
  readonly unconfined?: string;
  /** It reaches for nothing but what belongs to the agent itself. */
  readonly private?: true;
}

/**
 * Decides about one call. In each layer deny beats ask beats allow, and the strictest layer wins, so that a lower one
 * can only narrow. A layer that allows anything allows nothing else. Where no layer says anything, the mode decides.
 */
export function decidePolicy(policy: Policy, call: JudgedCall): PolicyDecision {
  const mode = policy.mode ?? 'default';
  const decided = narrowed(mode, call, ruled(policy, mode, call));
  if (decided.decision !== 'ask' || mode !== 'unattended') return decided;
  const reason = `${decided.reason}, and the mode "unattended" denies what would be asked`;
  return { ...decided, decision: 'deny', reason };
}

/** What a running call turns out to reach for: the real path of a file, or the host a request is sent on to. */
export interface Reached extends Pick<JudgedCall, 'tool' | 'effect' | 'origin' | 'private'> {
  readonly input?: unknown;
}

/** Whether a call that no person approved may write or read this file, whose path is the real one. */
export function permitsPath(
  policy: Policy,
  call: Reached,
  file: { readonly path: string; readonly access: 'read' | 'write' },
): boolean {
  return permits(policy, call, { kind: 'path', ...file });
}

/** Whether no call of this kind may read this file, even where it may search the folder in which the file lies. */
export function deniesPath(policy: Policy, call: Reached, path: string): boolean {
  const hasDenials = layersOf(policy).some(({ deny }) => deny.length > 0);
  return hasDenials && reaching(policy, call, { kind: 'path', path, access: 'read' }) === 'deny';
}

/** Whether a call may go on to this host. A person who approved it saw another one, so theirs is not what a rule denies. */
export function permitsHost(
  policy: Policy,
  call: Reached,
  { host, isGranted }: { readonly host: string; readonly isGranted: boolean },
): boolean {
  const decision = reaching(policy, call, { kind: 'domain', host });
  return isGranted ? decision === 'allow' : decision !== 'deny';
}

function permits(policy: Policy, call: Reached, touch: Touch): boolean {
  return reaching(policy, call, touch) === 'allow';
}

function reaching(
  policy: Policy,
  { tool, effect, origin, private: own, input = null }: Reached,
  touch: Touch,
): PolicyDecision['decision'] {
  const call = { tool, effect, input, touches: [touch], ...(origin && { origin }), ...(own && { private: own }) };
  return decidePolicy(policy, call).decision;
}

function narrowed(mode: PolicyMode, call: JudgedCall, decided: PolicyDecision): PolicyDecision {
  if (decided.decision === 'deny') return decided;
  if (mode === 'plan' && !isReading(call) && call.private !== true)
    return { decision: 'deny', reason: 'the mode "plan" lets nothing but reads run' };
  if (call.unconfined === undefined || decided.decision === 'ask') return decided;
  return { decision: 'ask', reason: `it cannot be confined here: ${call.unconfined}` };
}

interface Layer {
  readonly name: LayerName;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

type Judged = RuledCall & Pick<JudgedCall, 'private'>;

/** What one layer says. `unlisted`: it allows some calls, and this is none of them. */
interface Verdict {
  readonly kind: 'deny' | 'ask' | 'allow' | 'unlisted' | 'silent';
  readonly layer: LayerName;
  readonly rule?: string;
  /** False when it cannot be told whether the rule is about the call. */
  readonly sure?: boolean;
}

function layersOf({ above = [], allow, ask, deny }: Policy): readonly Layer[] {
  return [...above.map(({ layer, ...rules }) => ({ ...rules, name: layer })), { name: 'agent', allow, ask, deny }];
}

function ruled(policy: Policy, mode: PolicyMode, call: JudgedCall): PolicyDecision {
  const judged = { ...call, touches: call.touches ?? inputTouches(call) };
  const verdicts = layersOf(policy).map((layer) => verdictOf(layer, judged, call));
  const restricting = verdicts.find(({ kind }) => kind === 'deny') ?? verdicts.find(({ kind }) => kind === 'ask');
  if (restricting !== undefined) return decisionOf(restricting);
  const ceiling = verdicts.find(({ kind, layer }) => kind === 'unlisted' && layer !== 'agent');
  const unlisted = ceiling ?? verdicts.find(({ kind }) => kind === 'unlisted');
  const allowing = verdicts.findLast(({ kind }) => kind === 'allow');
  if (allowing !== undefined && unlisted === undefined) return decisionOf(allowing);
  const lifted = liftedBy(mode, judged, ceiling !== undefined);
  if (lifted !== undefined) return lifted;
  return unlisted === undefined ? { decision: 'ask', reason: defaultReason(judged) } : decisionOf(unlisted);
}

/** What the input tells of a tool of ours; other tools mean something else by the same words. */
function inputTouches({ input, effect, origin }: JudgedCall): readonly Touch[] | undefined {
  return origin === undefined ? touchesOfInput(input, effect) : undefined;
}

function verdictOf({ name, allow, ask, deny }: Layer, judged: RuledCall, call: JudgedCall): Verdict {
  const layer = name;
  const denying = firstApplying(deny, judged);
  if (denying?.sure === true) return { kind: 'deny', layer, rule: `deny: ${denying.rule}` };
  const asking = firstApplying(ask, judged);
  if (asking !== undefined) return { kind: 'ask', layer, rule: `ask: ${asking.rule}`, sure: asking.sure };
  if (denying !== undefined) return { kind: 'ask', layer, rule: `deny: ${denying.rule}`, sure: false };
  const allowing = coveringRule(allow, judged, call.touches === undefined);
  if (allowing !== undefined) return { kind: 'allow', layer, rule: `allow: ${allowing}` };
  return { kind: allow.length === 0 || runsByDefault(call) ? 'silent' : 'unlisted', layer };
}

/** A rule that surely applies before one that may. */
function firstApplying(rules: readonly string[], call: RuledCall): { rule: string; sure: boolean } | undefined {
  const answers = rules.map((rule) => ({ rule, answer: applies(rule, call) }));
  const found = answers.find(({ answer }) => answer === 'yes') ?? answers.find(({ answer }) => answer === 'maybe');
  return found && { rule: found.rule, sure: found.answer === 'yes' };
}

/**
 * The first of the rules that together cover all a call reaches for; each part may have a rule of its own. An `old`
 * call, of which only the input is known, is covered by a rule about its tool as a whole.
 */
function coveringRule(rules: readonly string[], call: RuledCall, old: boolean): string | undefined {
  const { touches } = call;
  if (touches === undefined || touches.length === 0 || old) {
    const whole = rules.find((rule) => coversCall(rule, call));
    if (whole !== undefined || touches === undefined) return whole;
  }
  const needed = touches.filter((touch) => !needsNoRule(call, touch));
  const covering = needed.map((touch) => rules.find((rule) => coversTouch(rule, call, touch)));
  return covering.every((rule) => rule !== undefined) ? covering[0] : undefined;
}

/** `bash -c` with code that was read; a touch of its own stands for each command in it. */
const PLAIN_SHELL = /^(?:(?:\/usr)?\/bin\/)?(?:ba|da)?sh (?:--?[a-zA-Z]+ (?:pipefail )?)*-[a-zA-Z]*c[a-zA-Z]* /u;

/** Files of the workspace may be read unless a rule restricts it. */
function needsNoRule({ origin, tool }: RuledCall, touch: Touch): boolean {
  if (origin !== undefined) return false;
  if (touch.kind === 'command') return tool === 'bash' && PLAIN_SHELL.test(touch.text);
  return touch.kind === 'path' && touch.access === 'read' && !isOutside(touch.path);
}

function runsByDefault(call: JudgedCall): boolean {
  return call.private === true || isOwnRead(call);
}

/** What a tool of others calls a read cannot be checked. */
function isReading({ effect, origin }: JudgedCall | Judged): boolean {
  return effect === 'read' && origin === undefined;
}

/** A read of a tool of ours that stays on this machine. */
function isOwnRead(call: JudgedCall | Judged): boolean {
  return isReading(call) && call.touches?.some(({ kind }) => kind === 'domain') !== true;
}

/** What runs without a rule. A layer above the agent that lists what may run is not lifted by less than `yolo`. */
function liftedBy(mode: PolicyMode, call: Judged, ceiling: boolean): PolicyDecision | undefined {
  if (call.private === true) return { decision: 'allow', reason: "it reaches for nothing but what is the agent's own" };
  if (isOwnRead(call)) return { decision: 'allow', reason: 'reads are allowed by default' };
  if (mode === 'yolo') return byMode('yolo');
  return mode === 'auto-edit' && !ceiling && isEdit(call) ? byMode('auto-edit') : undefined;
}

function byMode(mode: PolicyMode): PolicyDecision {
  const reason = `the mode "${mode}" allows it`;
  return { decision: 'allow', reason, grant: mode === 'yolo' ? YOLO_GRANT : `mode: ${mode}` };
}

function isEdit({ tool, origin, touches = [] }: Judged): boolean {
  const files = touches.every((touch) => touch.kind === 'path' && !isOutside(touch.path) && !isGuarded(touch.path));
  return origin === undefined && tool !== 'bash' && touches.length > 0 && files;
}

/** What is written there is run or obeyed later, so only a rule or a person may let it be written. */
function isGuarded(path: string): boolean {
  const [first = ''] = path.toLowerCase().split('/');
  return first === AGENTS_FOLDER || GUARDED_PATHS.includes(first);
}

function defaultReason({ tool, origin, touches = [] }: Judged): string {
  const opaque = touches.find((touch) => touch.kind === 'opaque');
  const known = `no rule allows ${tool}`;
  if (opaque !== undefined) return `${known}, because ${opaque.why}`;
  const domain = touches.find((touch) => touch.kind === 'domain');
  if (domain !== undefined) return `${known} to reach ${domain.host}, and an outward request is asked by default`;
  if (origin !== undefined) return `${known}, and a tool that is not built in is asked by default`;
  return `${known}, and what is not a read is asked by default`;
}

function decisionOf({ kind, layer, rule, sure }: Verdict): PolicyDecision {
  const whose = layer === 'agent' ? "the agent's" : `the ${layer}'s`;
  if (rule === undefined)
    return { decision: 'ask', layer, reason: `${whose} rules list what may run, and this is not among it` };
  const decision = kind === 'deny' || kind === 'allow' ? kind : 'ask';
  const reason =
    sure === false ? `${whose} rule "${rule}" may be about it, which cannot be told` : `${whose} rule "${rule}"`;
  const named = rule.slice(rule.indexOf(' ') + 1);
  return { decision, reason, rule: named, layer, ...(decision === 'allow' && { grant: named }) };
}
