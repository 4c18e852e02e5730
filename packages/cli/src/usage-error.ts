/** A name that there is not, among those that there are. */
export interface UnknownName {
  readonly name: string;
  readonly known: readonly string[];
  /** Stands in front of each, such as `--`. Default nothing. */
  readonly prefix?: string;
}

/** Wrong usage of the command: told on stderr, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly unknown: UnknownName | undefined;

  /** With `unknown`, the message gets a full stop or the name that was most likely meant. */
  constructor(message: string, unknown?: UnknownName) {
    super(message);
    this.unknown = unknown;
  }
}

/** What is wrong, with the name that was most likely meant. */
export async function toUsageMessage({ message, unknown }: UsageError): Promise<string> {
  if (unknown === undefined) return message;
  const { nearestName } = await import('@toolwright/core');
  const { name, known, prefix = '' } = unknown;
  const nearest = nearestName(name, known);
  return nearest === undefined ? `${message}.` : `${message}; did you mean ${prefix}${nearest}?`;
}
