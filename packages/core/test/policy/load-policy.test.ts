import { expect, test } from 'vitest';
import { loadPolicy } from '../../src/policy/load-policy.ts';
import { formatRule } from '../../src/policy/parse-rule.ts';
import { PolicyError } from '../../src/policy/policy-error.ts';
import type { PolicyInput, PolicyRule } from '../../src/policy/policy-rule.ts';
import { describePreset, policyPresets } from '../../src/policy/presets.ts';

function mistake(input: unknown): PolicyError {
  try {
    // Configuration files hold any value; that is what is tested.
    loadPolicy(input as PolicyInput);
  } catch (error) {
    if (error instanceof PolicyError) return error;
  }
  throw new Error('the policy loads');
}

test('short forms become rules beside those of the preset', () => {
  const { preset, rules } = loadPolicy({
    deny: ['write:.env*', 'mcp__evil__*'],
    ask: ['exec:git push*'],
    allow: ['exec:git status*', 'net:POST *.example.com', 'edit'],
  });
  expect(preset).toBe('guarded');
  const presets = describePreset('guarded').map(formatRule);
  expect(presets.slice(0, 3)).toEqual(['allow read:*', 'allow ask:*', 'allow model:*']);
  expect(rules.map(formatRule)).toEqual([
    ...presets,
    'deny write:.env*',
    'deny mcp__evil__*',
    'ask exec:git push*',
    'allow exec:git status*',
    'allow net:POST *.example.com',
    'allow edit',
  ]);
});

test('a rule whose example it does not match fails to load, with rule and example named', () => {
  const rule: PolicyRule = {
    decision: 'deny',
    effect: 'write',
    target: '.env*',
    examples: ['write:.env', 'write:sub/.env'],
  };
  const error = mistake({ rules: [rule] });
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toBe(
    'The rule "deny write:.env*" does not match its example "write:sub/.env"',
  );
  expect(error).toMatchObject({ rule, example: 'write:sub/.env' });
});

test('a rule that matches its counterexample fails to load', () => {
  const error = mistake({
    rules: [
      {
        decision: 'allow',
        effect: 'exec',
        target: 'git *',
        examples: ['exec:git status'],
        counterexamples: ['exec:git status; rm x', 'exec:git push'],
      },
    ],
  });
  expect(error.message).toBe(
    'The rule "allow exec:git *" matches its counterexample "exec:git push"',
  );
});

test('examples may be tools, and net examples may have a method', () => {
  const rules: readonly PolicyRule[] = [
    {
      decision: 'allow',
      tool: 'mcp__github__*',
      examples: ['mcp__github__list'],
      counterexamples: ['mcp__githubx__list', 'mcp__gitlab__list'],
    },
    {
      decision: 'allow',
      effect: 'net',
      target: 'GET *.example.com',
      examples: ['net:a.example.com:443', 'net:GET a.example.com:443'],
      counterexamples: ['net:POST a.example.com:443', 'net:example.com:443'],
    },
  ];
  expect(loadPolicy({ rules }).rules.slice(-2)).toEqual(rules);
  expect(
    mistake({ rules: [{ decision: 'allow', effect: 'read', examples: ['read'] }] }).example,
  ).toBe('read');
});

test.each<[unknown, string]>([
  [{ presets: 'guarded' }, 'A policy has no field "presets"; did you mean preset?'],
  [{ preset: 'wild' }, 'No preset is called "wild" (readOnly, guarded, trusted)'],
  [{ deny: 'write:.env' }, 'deny of a policy is a list of texts'],
  [{ rules: {} }, 'The rules of a policy are a list'],
  [{ deny: ['wirte:.env'] }, '"wirte:.env": no effect is called "wirte"; did you mean write?'],
  [{ deny: ['write:'] }, '"write:": the pattern is empty'],
  [{ deny: ['a tool'] }, '"a tool" is neither kind:pattern nor a tool\'s name'],
  [{ deny: ['write:!a'] }, 'deny write:!a: negation does not exist'],
  [{ deny: ['write:a//b'] }, 'deny write:a//b: a path pattern has no empty segments'],
  [{ deny: ['net:https://x'] }, 'deny net:https://x: a host pattern is'],
  [{ allow: ['exec:a; b'] }, 'allow exec:a; b: a command pattern is one simple command'],
  [{ rules: [{ decision: 'permit' }] }, 'A policy rule decides deny, ask or allow'],
  [{ rules: [{ decision: 'deny', path: 'x' }] }, 'A policy rule has no field "path"'],
  [
    { rules: [{ decision: 'deny', effect: 'wrote' }] },
    'A policy rule has an effect of read, write',
  ],
  [{ rules: [{ decision: 'deny', tool: 5 }] }, 'A policy rule has text as tool'],
  [
    { rules: [{ decision: 'deny', examples: 'x' }] },
    'A policy rule has a list of texts as examples',
  ],
  [{ rules: [{ decision: 'deny', target: 'x' }] }, 'deny everything: a target needs an effect'],
  [{ rules: [null] }, 'A policy rule is an object'],
])('%j does not load: %s', (input, message) => {
  expect(mistake(input).message).toContain(message);
});

test('presets are plain data, and a change to the copy changes nothing', () => {
  for (const preset of policyPresets) {
    const rules = describePreset(preset);
    expect(JSON.parse(JSON.stringify(rules))).toEqual(rules);
    expect(loadPolicy({ preset }).rules).toEqual(rules);
    Object.assign(rules[0] ?? {}, { decision: 'deny' });
    expect(describePreset(preset)[0]?.decision).toBe('allow');
  }
});

test('equal policies have equal digests, whatever the order of keys', () => {
  const one = loadPolicy({ rules: [{ decision: 'deny', effect: 'write', target: 'a' }] });
  const other = loadPolicy({ rules: [{ target: 'a', effect: 'write', decision: 'deny' }] });
  expect(one.digest).toBe(other.digest);
  expect(one.digest).toMatch(/^sha256:[0-9a-f]{64}$/u);
  expect(loadPolicy({ preset: 'trusted' }).digest).not.toBe(one.digest);
});

test('a loaded policy does not follow its input', () => {
  const rule = { decision: 'deny' as const, effect: 'write' as const, target: 'a' };
  const loaded = loadPolicy({ rules: [rule] });
  rule.target = 'b';
  expect(loaded.rules.at(-1)).toEqual({ decision: 'deny', effect: 'write', target: 'a' });
});
