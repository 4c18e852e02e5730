/** What one `robots.txt` says for us. */
export interface RobotsRules {
  /** Whether a path with its query may be fetched. */
  isAllowed(pathAndQuery: string): boolean;
}

/** Bytes of `robots.txt` that are read; RFC 9309 asks for at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512_000;

interface Rule {
  readonly isAllowed: boolean;
  readonly pattern: string;
}

/**
 * Reads a `robots.txt` (RFC 9309) for one user agent: the group that names it, else the group for `*`. The longest matching rule
 * decides, an allowing one on a tie; what no rule matches is allowed.
 */
export function parseRobots(text: string, userAgent: string): RobotsRules {
  const groups = new Map<string, Rule[]>();
  let agents: string[] = [];
  let isNaming = false;
  for (const line of text.split(/\r\n|\r|\n/u)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/iu.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      agents = isNaming ? [...agents, value.trim().toLowerCase()] : [value.trim().toLowerCase()];
      isNaming = true;
      for (const agent of agents) {
        groups.set(agent, groups.get(agent) ?? []);
      }
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false;
      const pattern = value.trim();
      for (const agent of pattern === '' ? [] : agents) {
        groups.get(agent)?.push({ isAllowed: name === 'allow', pattern });
      }
    }
  }
  const rules = groups.get(userAgent.toLowerCase()) ?? groups.get('*') ?? [];
  return { isAllowed: (path) => decide(rules, path) };
}

function decide(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined;
  for (const rule of rules) {
    const isBetter =
      best === undefined ||
      rule.pattern.length > best.pattern.length ||
      (rule.pattern.length === best.pattern.length && rule.isAllowed);
    if (isBetter && matches(rule.pattern, path)) {
      best = rule;
    }
  }
  return best?.isAllowed ?? true;
}

/** `*` stands for any text, a final `$` for the end. The earliest place for each part is as good as any: no backtracking. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) {
    return false;
  }
  let position = first.length;
  const last = isAnchored ? rest.pop() : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, position);
    if (found === -1) {
      return false;
    }
    position = found + part.length;
  }
  if (!isAnchored) {
    return true;
  }
  return last === undefined
    ? position === path.length
    : path.length - last.length >= position && path.endsWith(last);
}
