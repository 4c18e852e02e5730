import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { parseExample } from '../../src/policy/parse-rule.ts';
import type { Decision, PolicyInput } from '../../src/policy/policy-rule.ts';
import type { SessionPolicy } from '../../src/policy/session-policy.ts';
import { createSessionPolicy } from '../../src/policy/session-policy.ts';
import type { Effect, EffectKind } from '../../src/tool/effects.ts';

function open(input: PolicyInput): SessionPolicy {
  return createSessionPolicy(loadPolicy(input));
}

/** Effects in short form: `write:src/a.ts`. */
function effects(...short: readonly string[]): readonly Effect[] {
  return short.map((text) => {
    const effect = parseExample(text);
    if (typeof effect === 'string') throw new Error(`no effect: ${text}`);
    return effect;
  });
}

function decide(policy: SessionPolicy, ...short: readonly string[]): Decision {
  return policy.decide({ tool: 'bash', effects: effects(...short), arguments: {} }).decision;
}

test.each<[PolicyInput, string, Decision]>([
  [{}, 'read:a', 'allow'],
  [{}, 'read:**', 'allow'],
  [{}, 'write:a', 'ask'],
  [{}, 'exec:ls', 'ask'],
  [{}, 'net:a:443', 'ask'],
  [{}, 'unknown:**', 'ask'],
  [{}, 'ask:user', 'allow'],
  [{ preset: 'readOnly' }, 'write:a', 'deny'],
  [{ preset: 'readOnly' }, 'exec:ls', 'deny'],
  [{ preset: 'readOnly' }, 'unknown:**', 'deny'],
  [{ preset: 'readOnly' }, 'net:a:443', 'ask'],
  [{ preset: 'readOnly', allow: ['write:a'] }, 'write:a', 'deny'],
  [{ preset: 'trusted' }, 'unknown:**', 'allow'],
  [{ preset: 'trusted', deny: ['write:.env*'] }, 'write:.env', 'deny'],
  [{ preset: 'trusted', ask: ['exec:*'] }, 'exec:ls', 'ask'],
  [{ allow: ['write:**'] }, 'write:a/b', 'allow'],
  [{ allow: ['write:**'] }, 'write:**', 'allow'],
  [{ allow: ['write:src/**'] }, 'write:**', 'ask'],
  [{ allow: ['write:src/**'] }, 'write:src/**', 'allow'],
  [{ allow: ['write:**'], ask: ['write:src/**'] }, 'write:src/a', 'ask'],
  [{ allow: ['write:src/a'], ask: ['write:src/**'] }, 'write:src/a', 'allow'],
  [{ allow: ['write:src/a'], ask: ['write:src/a'] }, 'write:src/a', 'ask'],
  [{ allow: ['write:**'], ask: ['write:src/**'] }, 'write:**', 'ask'],
  [{ allow: ['write:**'], deny: ['write:.env*'] }, 'write:.env.local', 'deny'],
  [{ allow: ['write:.env'], deny: ['write:.env*'] }, 'write:.env', 'deny'],
  [{ allow: ['write:**'], deny: ['write:.env*'] }, 'write:**', 'ask'],
  [{ allow: ['write:**'], deny: ['write:.env*'] }, 'write:src/**', 'allow'],
  [{ deny: ['read:secrets/**'] }, 'read:**', 'ask'],
  [{ allow: ['bash'] }, 'unknown:**', 'allow'],
  [{ allow: ['ba*'] }, 'exec:ls', 'allow'],
  [{ allow: ['bash'], ask: ['exec:*'] }, 'exec:ls', 'allow'],
  [{ allow: ['ba*'], ask: ['bash'] }, 'exec:ls', 'ask'],
  [{ deny: ['bash'] }, 'read:a', 'deny'],
  [{ allow: ['exec:git status*'] }, 'exec:git status --short', 'allow'],
  [{ allow: ['exec:git status*'] }, 'exec:git statusx; rm', 'ask'],
  [{ allow: ['exec:git status*'] }, 'exec:git status; rm', 'ask'],
  [{ allow: ['exec:*'], deny: ['exec:rm*'] }, 'exec:git status; /bin/rm x', 'deny'],
  [{ allow: ['exec:*'], deny: ['exec:rm*'] }, 'exec:git status\nrm x', 'deny'],
])('%j on %s: %s', (input, short, decision) => {
  expect(decide(open(input), short)).toBe(decision);
});

test('several effects: the strictest, with the rule for each', () => {
  const policy = open({ allow: ['exec:git *'], deny: ['write:.env*'] });
  const [exec, read, write] = effects('exec:git log', 'read:a', 'write:b');
  expect(
    policy.decide({
      tool: 'bash',
      effects: effects('exec:git log', 'read:a', 'write:b'),
      arguments: {},
    }),
  ).toEqual({
    decision: 'ask',
    effects: [
      {
        effect: exec,
        decision: 'allow',
        rule: { decision: 'allow', effect: 'exec', target: 'git *' },
      },
      expect.objectContaining({ effect: read, decision: 'allow' }),
      { effect: write, decision: 'ask' },
    ],
    reason: 'no rule covers write b, so it is asked',
  });
  const denied = policy.decide({
    tool: 'bash',
    effects: effects('write:b', 'write:.env'),
    arguments: {},
  });
  expect(denied).toMatchObject({
    decision: 'deny',
    rule: { decision: 'deny', effect: 'write', target: '.env*' },
    reason: 'the rule "deny write:.env*" decides',
  });
});

test('a call without effects is allowed unless a rule speaks of its tool', () => {
  const policy = open({ deny: ['a'], ask: ['b*'], allow: ['bc'] });
  const of = (tool: string): Decision =>
    policy.decide({ tool, effects: [], arguments: {} }).decision;
  expect([of('a'), of('b'), of('bc'), of('c')]).toEqual(['deny', 'ask', 'allow', 'allow']);
});

test('a denied part of a tree says to narrow the target', () => {
  const policy = open({ preset: 'trusted', deny: ['read:secrets/**'] });
  expect(policy.decide({ tool: 'search', effects: effects('read:**'), arguments: {} }).reason).toBe(
    'read ** includes what the rule "deny read:secrets/**" denies; name a narrower target',
  );
});

test('grants are exact, carry their examples, and allow what was asked, nothing else', () => {
  const policy = open({});
  const asked = effects(
    "exec:git commit -m 'a b; c'",
    'write:app/[id]/page.tsx',
    'net:POST api.example.com:443',
    'read:a',
  );
  const grants = policy.proposeGrants({ tool: 'bash', effects: asked });
  expect(grants).toEqual([
    {
      decision: 'allow',
      tool: 'bash',
      effect: 'exec',
      target: "git commit -m 'a b; c'",
      examples: ["exec:git commit -m 'a b; c'"],
      counterexamples: ["exec:git commit -m 'a b; c' --more", "exec:git commit -m 'a b; c'; id"],
    },
    {
      decision: 'allow',
      tool: 'bash',
      effect: 'write',
      target: 'app/\\[id\\]/page.tsx',
      examples: ['write:app/[id]/page.tsx'],
      counterexamples: ['write:app/[id]/page.tsx.bak'],
    },
    {
      decision: 'allow',
      tool: 'bash',
      effect: 'net',
      target: 'POST api.example.com:443',
      examples: ['net:POST api.example.com:443'],
      counterexamples: ['net:POST other.api.example.com:443', 'net:DELETE api.example.com:443'],
    },
  ]);
  policy.grant(grants);
  policy.grant(grants);
  expect(policy.grants()).toEqual(grants);
  expect(policy.decide({ tool: 'bash', effects: asked, arguments: {} }).decision).toBe('allow');
  expect(policy.decide({ tool: 'other', effects: asked, arguments: {} }).decision).toBe('ask');
  expect(decide(policy, 'write:app/x/page.tsx')).toBe('ask');
  expect(decide(policy, 'net:PUT api.example.com:443')).toBe('ask');
});

test('what nothing exact can be said of is asked every time', () => {
  const policy = open({ ask: ['ask:*'] });
  expect(
    policy.proposeGrants({
      tool: 'x',
      effects: effects('unknown:**', 'exec:a; b', 'ask:user', 'net:not a host'),
    }),
  ).toEqual([]);
});

test('every proposed grant survives as JSON, loads, and covers its effect for its tool alone', () => {
  const text = fc.string({
    minLength: 1,
    unit: fc.constantFrom('a', '.', '/', '*', ' ', '!', '[', '\\', "'", '"', ';', ':'),
  });
  const kind = fc.constantFrom<EffectKind>('write', 'exec', 'net', 'model', 'read');
  fc.assert(
    fc.property(kind, text, (effectKind, target) => {
      const policy = open({ ask: ['read:**', 'model:*'] });
      const effect = { kind: effectKind, target };
      const judge = (tool: string): Decision =>
        policy.decide({ tool, effects: [effect], arguments: {} }).decision;
      fc.pre(judge('t') === 'ask');
      const grants = policy.proposeGrants({ tool: 't', effects: [effect] });
      policy.grant(JSON.parse(JSON.stringify(grants)));
      expect(judge('t')).toBe(grants.length === 0 ? 'ask' : 'allow');
      expect(judge('u')).toBe('ask');
    }),
  );
});

test('a rule to ask that is as exact as a grant goes on asking', () => {
  const policy = open({
    rules: [{ decision: 'ask', tool: 'bash', effect: 'exec', target: 'git push' }],
  });
  policy.grant(policy.proposeGrants({ tool: 'bash', effects: effects('exec:git push') }));
  expect(decide(policy, 'exec:git push')).toBe('ask');
});

test('untrusted content: guarded asks again for exec, net and write outside the approved paths', () => {
  const policy = open({ allow: ['exec:npm test*', 'net:*.example.com', 'write:src/**'] });
  const all = [
    'exec:npm test',
    'net:a.example.com:443',
    'write:src/a',
    'write:src/b',
    'read:x',
    'model:m',
  ];
  expect(all.map((short) => decide(policy, short))).toEqual(all.map(() => 'allow'));
  policy.approve([
    ...effects('write:src/b', 'write:docs/**', 'exec:npm test'),
    { kind: 'write', target: '' },
  ]);
  policy.taint();
  expect(policy.tainted).toBe(true);
  expect(all.map((short) => decide(policy, short))).toEqual([
    'ask',
    'ask',
    'ask',
    'allow',
    'allow',
    'allow',
  ]);
  expect(
    policy.decide({ tool: 'bash', effects: effects('exec:npm test'), arguments: {} }),
  ).toMatchObject({
    rule: { decision: 'allow', target: 'npm test*' },
    reason: 'untrusted content has reached the agent, so exec npm test is asked again',
  });
  // An approved path is no permission where no rule allows the write.
  expect(decide(policy, 'write:docs/a')).toBe('ask');
});

test('untrusted content suspends grants for exec and net in every preset, not those for write', () => {
  for (const preset of ['guarded', 'readOnly', 'trusted'] as const) {
    const policy = open({ preset, ask: ['exec:*', 'net:*', 'write:*'] });
    const asked = effects('exec:ls', 'net:a:443', 'write:a');
    policy.grant(policy.proposeGrants({ tool: 'bash', effects: asked }));
    const before = preset === 'readOnly' ? ['deny', 'allow', 'deny'] : ['allow', 'allow', 'allow'];
    expect(
      asked.map(
        (effect) => policy.decide({ tool: 'bash', effects: [effect], arguments: {} }).decision,
      ),
    ).toEqual(before);
    policy.taint();
    const after = preset === 'readOnly' ? ['deny', 'ask', 'deny'] : ['ask', 'ask', 'allow'];
    expect(
      asked.map(
        (effect) => policy.decide({ tool: 'bash', effects: [effect], arguments: {} }).decision,
      ),
    ).toEqual(after);
    expect(
      policy.decide({ tool: 'bash', effects: effects('net:a:443'), arguments: {} }).reason,
    ).toContain('its grant is suspended');
  }
});

test('trusted goes on after untrusted content', () => {
  const policy = open({ preset: 'trusted' });
  policy.taint();
  expect(decide(policy, 'exec:ls', 'net:a:443', 'write:a', 'unknown:**')).toBe('allow');
});

test('a tool of which everything is denied is hidden; one of which a part is denied is not', () => {
  const policy = open({ deny: ['mcp__evil__*', 'write:.env*', 'edit'] });
  expect(policy.hides({ name: 'mcp__evil__x', requires: [] })).toBe(
    'policy denies it: deny mcp__evil__*',
  );
  expect(policy.hides({ name: 'edit', requires: ['files.write'] })).toBe(
    'policy denies it: deny edit',
  );
  expect(policy.hides({ name: 'write', requires: ['files.write'] })).toBeUndefined();
  const deep = createSessionPolicy(loadPolicy({ deny: ['write:*/*'] }));
  // Files of the root can still be written.
  expect(deep.hides({ name: 'write', requires: ['files.write'] })).toBeUndefined();
  const readOnly = open({ preset: 'readOnly' });
  expect(readOnly.hides({ name: 'write', requires: ['files.write'] })).toBe(
    'policy denies it: deny write:*',
  );
  expect(readOnly.hides({ name: 'bash', requires: ['processes'] })).toBe(
    'policy denies it: deny exec:*',
  );
  expect(readOnly.hides({ name: 'read', requires: ['files.read'] })).toBeUndefined();
  // Visibility is no authorisation: what is hidden is refused by its effects all the same.
  expect(decide(readOnly, 'write:a')).toBe('deny');
});

test('what restricts holds in any case, what allows only where the disk folds it', () => {
  const loaded = loadPolicy({
    preset: 'guarded',
    deny: ['write:**/.env*'],
    allow: ['write:src/**'],
  });
  const folding = createSessionPolicy(loaded, { caseInsensitive: true, unicodeInsensitive: true });
  const exact = createSessionPolicy(loaded);
  expect(decide(folding, 'write:a/.ENV')).toBe('deny');
  expect(decide(exact, 'write:a/.ENV')).toBe('deny');
  expect(decide(folding, 'write:SRC/a')).toBe('allow');
  expect(decide(exact, 'write:SRC/a')).toBe('ask');
});

test('harmless builtins of the shell need no leave, also after taint, unless a rule says otherwise', () => {
  const guarded = open({ allow: ['exec:make'] });
  const harmless = [
    'exec:cd src',
    'exec:pwd',
    'exec:echo "$x"',
    "exec:'[' -f a ']'",
    'exec:set -eu',
  ];
  for (const target of harmless) expect(decide(guarded, target)).toBe('allow');
  for (const target of ['exec:cdrom', 'exec:set -a', 'exec:export A=1', 'exec:echo a; id']) {
    expect(decide(guarded, target)).toBe('ask');
  }
  expect(decide(guarded, 'exec:make')).toBe('allow');
  guarded.taint();
  for (const target of harmless) expect(decide(guarded, target)).toBe('allow');
  expect(decide(guarded, 'exec:make')).toBe('ask');
  expect(decide(open({ deny: ['exec:echo *'] }), 'exec:echo x')).toBe('deny');
  expect(decide(open({ preset: 'readOnly' }), 'exec:echo x')).toBe('deny');
});

test('deciding changes nothing and is the same every time', () => {
  const policy = open({ allow: ['exec:git *'] });
  const request = { tool: 'bash', effects: effects('exec:git log', 'write:a'), arguments: {} };
  expect(policy.decide(request)).toEqual(policy.decide(request));
});

test('adding a deny never widens, adding an allow never narrows', () => {
  const pattern = fc.constantFrom('*', '**', 'a', 'a/**', '*/b', 'a/b', '**/b');
  const target = fc.constantFrom('a', 'a/b', 'a/**', '**', 'b', 'c/b');
  const rules = fc.array(
    fc.record({ decision: fc.constantFrom<Decision>('deny', 'ask', 'allow'), target: pattern }),
    { maxLength: 5 },
  );
  const order: readonly Decision[] = ['allow', 'ask', 'deny'];
  fc.assert(
    fc.property(rules, pattern, target, (...[base, added, effect]) => {
      const judge = (
        extra: readonly { readonly decision: Decision; readonly target: string }[],
      ): number => {
        const policy = open({
          rules: [...base, ...extra].map((rule) => ({ ...rule, effect: 'write' as const })),
        });
        return order.indexOf(decide(policy, `write:${effect}`));
      };
      const before = judge([]);
      expect(judge([{ decision: 'deny', target: added }])).toBeGreaterThanOrEqual(before);
      expect(judge([{ decision: 'allow', target: added }])).toBeLessThanOrEqual(before);
    }),
  );
});
