import { lookup } from 'node:dns/promises';

/**
 * Turns a host name into IP addresses, all of them, in the order of preference. Errors are taken as "the name cannot be
 * resolved"; an empty answer likewise.
 */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** The operating system's resolver, hosts file included; every answer is judged before it is used. */
export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
};
