import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHost,
  defineProvider,
  defineTool,
  memoryWorkspace,
  type Effect,
  type PolicyInput,
} from '../../src/index.ts';

const targets: Readonly<Record<'read' | 'write' | 'exec' | 'net', readonly string[]>> = {
  read: ['a.txt', 'src/a.ts', 'src/**', '**', '.env'],
  write: ['a.txt', 'src/a.ts', 'src/b/c.ts', 'src/**', '**'],
  exec: ['git status', 'git push', 'git status; rm x', 'npm test', 'A=1 rm x', "echo 'a b'"],
  net: ['example.com:443', 'api.example.com:443', 'other.org:80'],
};
const patterns: Readonly<Record<keyof typeof targets, readonly string[]>> = {
  read: ['**', 'src/**', '*.txt', 'src/*.ts', '.env*'],
  write: ['**', 'src/**', 'a.txt', 'src/*', 'src/b/'],
  exec: ['*', 'git *', 'git status*', 'git push', 'rm*', 'npm test', 'echo *'],
  net: ['*', '*.example.com', 'example.com', 'example.com:443', 'POST example.com'],
};
const kinds = fc.constantFrom('read', 'write', 'exec', 'net');

const effect = kinds.chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    target: fc.constantFrom(...targets[kind]),
    ...(kind === 'net' ? { method: fc.constantFrom('POST', 'DELETE') } : {}),
  }),
);
const anyEffect: fc.Arbitrary<Effect> = fc.oneof(
  effect,
  fc.constant<Effect>({ kind: 'unknown', target: '**' }),
);
const short = fc.oneof(
  kinds.chain((kind) => fc.constantFrom(...patterns[kind]).map((pattern) => `${kind}:${pattern}`)),
  fc.constantFrom('act', 'a*', 'other', 'unknown:*'),
);
const rules = fc.array(short, { maxLength: 3 });
const policies: fc.Arbitrary<PolicyInput> = fc.record({
  preset: fc.constantFrom('readOnly', 'guarded', 'trusted'),
  deny: fc.array(short, { maxLength: 1 }),
  ask: rules,
  allow: rules,
});
const strictness = { allow: 0, ask: 1, deny: 2 } as const;
const runs = process.env['TOOLWRIGHT_LONG'] === '1' ? 10_000 : 300;

test('what explain and prepare say of a call is what becomes of it, whatever the rules are', async () => {
  const effectsOf = fc.array(anyEffect, { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(policies, effectsOf, fc.boolean(), async (policy, effects, isTainted) => {
      let ran = 0;
      const act = defineTool({
        name: 'act',
        description: 'Acts.',
        input: { type: 'object', properties: {}, additionalProperties: false },
        effects: () => effects,
        run: async () => {
          ran += 1;
          return { output: 'done' };
        },
      });
      const foreign = defineTool({
        name: 'foreign',
        description: 'Brings words from outside.',
        input: { type: 'object', properties: {}, additionalProperties: false },
        orchestrator: true,
        effects: () => [],
        run: async () => ({ output: 'words', trust: 'external' }),
      });
      const session = await createHost({
        providers: [defineProvider({ name: 'acts', version: '1.0.0', tools: [act, foreign] })],
        policy,
      }).open({ workspace: memoryWorkspace() });
      if (isTainted) await session.invoke({ name: 'foreign' });
      const call = { name: 'act' };
      const explained = await session.explain(call);
      const prepared = await session.prepare(call);
      expect(prepared).toMatchObject({ decision: explained.decision, reason: explained.reason });
      expect(prepared.rule).toEqual(explained.rule ?? null);
      // Of several effects the strictest decides; a call without any is judged by its tool.
      const judged = explained.effects.map(({ decision }) => strictness[decision]);
      const decided = strictness[explained.decision];
      expect(decided).toBe(effects.length === 0 ? decided : Math.max(...judged));
      const { error } = await session.invoke(call);
      const becomes = { allow: undefined, ask: 'confirmation_rejected', deny: 'permission_denied' };
      expect(error?.type).toBe(becomes[explained.decision]);
      expect(ran).toBe(explained.decision === 'allow' ? 1 : 0);
      // What a person approves of an asked call runs, once; nothing else can be approved.
      const answered = await session.answer(prepared.approval?.id ?? 'none', {
        decision: 'approve',
        remember: true,
      });
      const isAsked = explained.decision === 'ask';
      expect(answered.error?.reason).toBe(isAsked ? undefined : 'approval_unknown');
      expect(ran).toBe(explained.decision === 'deny' ? 0 : 1);
      // What was remembered speaks of this tool alone, and of nothing that was not declared.
      const declared = new Set(effects.map(({ kind }) => kind));
      const strange = session
        .grants()
        .filter((rule) => rule.tool !== 'act' || !declared.has(rule.effect ?? 'unknown'));
      expect(strange).toEqual([]);
      await session.close();
    }),
    { numRuns: runs },
  );
});
