/** One thing that was looked at. `missing` is something that is needed and not there. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'note' | 'missing';
  readonly detail: string;
}

export function ok(name: string, detail: string): Finding {
  return { name, status: 'ok', detail };
}

export function note(name: string, detail: string): Finding {
  return { name, status: 'note', detail };
}

export function missing(name: string, detail: string): Finding {
  return { name, status: 'missing', detail };
}
