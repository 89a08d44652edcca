import { OUTPUT_BYTES_MAX, OUTPUTS_BYTES_MAX } from '../../contract/limits.ts';
import { jsonBytes } from '../sizes.ts';
import type { Run } from '../run.ts';
import { fieldsOf } from '../fields.ts';

/** One value for a declared output, as the agent gave it. */
export interface Emitted {
  readonly name: string;
  readonly value: unknown;
  readonly bytes: number;
}

/** Reads the input of `emit_value`, whose schema the worker has checked; a text says what is wrong with it. */
export function readEmitted(run: Run, input: unknown): Emitted | string {
  const { name, value } = fieldsOf(input);
  const names = (run.spec.outputs ?? []).map((output) => output.name);
  if (typeof name !== 'string' || !names.includes(name)) return `expected a "name" of ${names.join(', ')}`;
  if (value === undefined) return 'expected a "value"';
  const bytes = jsonBytes(value);
  if (bytes > OUTPUT_BYTES_MAX)
    return `the value has ${bytes} bytes; expected at most ${OUTPUT_BYTES_MAX}, so write it to a file and give its path`;
  const others = jsonBytes({ ...run.outputs, [name]: null });
  if (others + bytes > OUTPUTS_BYTES_MAX) return `all outputs together may have ${OUTPUTS_BYTES_MAX} bytes`;
  return { name, value, bytes };
}

/** The names of declared outputs that have no value yet. */
export function missingOutputs({ spec, outputs }: Run): readonly string[] {
  return (spec.outputs ?? []).map(({ name }) => name).filter((name) => !Object.hasOwn(outputs, name));
}

/** Whether outputs were declared, and all of them have a value. */
export function areOutputsComplete(run: Run): boolean {
  return (run.spec.outputs ?? []).length > 0 && missingOutputs(run).length === 0;
}
