import { isEffectKind, type Effect } from '../tool/effects.ts';

/**
 * A private copy of an effect that a tool told, each field read once: what was judged is then what is
 * enforced, whatever becomes of the tool's own object. Errors: `TypeError` for what is no effect.
 */
export function takeEffect(effect: Effect): Effect {
  const { kind, target, method } = effect;
  if (!isEffectKind(kind) || typeof target !== 'string') {
    throw new TypeError('An effect needs one of the known kinds and a target that is a text.');
  }
  if (method === undefined) return { kind, target };
  if (typeof method !== 'string') throw new TypeError('The method of an effect is a text.');
  return { kind, target, method };
}
