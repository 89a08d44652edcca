/** What somebody wrote down cannot be used. Each problem is one line that names the key and what is expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly source: string;
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[]) {
    super(problems.map((problem) => `Cannot use "${source}": ${problem}`).join('\n'));
    this.source = source;
    this.problems = problems;
  }
}
