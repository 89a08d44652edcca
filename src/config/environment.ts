/** Environment variables as data. Only this room reads the real ones; every other part is handed a copy. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return { ...process.env };
}
