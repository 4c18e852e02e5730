import type { Redirection } from 'unbash';
import { staticValue } from './shell-words.ts';

/** What a redirection does; a null path cannot be told from the text. */
export type RedirectionEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'read' | 'write' | 'update'; readonly path: string | null }
  | { readonly kind: 'connect'; readonly target: string };

const none: RedirectionEffect = { kind: 'none' };

/** Files that are the command's own streams, or nothing. */
const streams = /^\/dev\/(null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** The effect of one redirection. Bash makes a connection of `/dev/tcp/host/port`. */
export function redirectionEffect(redirection: Redirection): RedirectionEffect {
  if (redirection.type !== 'Redirect') return none; // here-documents and here-strings
  const { operator, target } = redirection;
  const [part, ...further] = target?.parts ?? [];
  // `> >(command)`: the command inside is looked at on its own.
  if (part?.type === 'ProcessSubstitution' && further.length === 0) return none;
  const value = target === undefined ? null : staticValue(target);
  // Copies of descriptors: `2>&1`, `>&-`, `<&3-`.
  const copies = operator === '>&' || operator === '<&';
  if (copies && value !== null && /^(\d+-?|-)$/.test(value)) return none;
  if (operator === '<&') return { kind: 'read', path: null };
  const connection = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(value ?? '');
  if (connection !== null) return { kind: 'connect', target: `${connection[1]}:${connection[2]}` };
  if (value !== null && streams.test(value)) return none;
  // Bash removes quotes twice from the word of `>&`.
  const odd = operator === '>&' && /['"\\$`]/.test(value ?? '');
  const path = value === '' || odd || value?.startsWith('/dev/') === true ? null : value;
  if (operator === '<') return { kind: 'read', path };
  return { kind: operator === '<>' ? 'update' : 'write', path };
}
