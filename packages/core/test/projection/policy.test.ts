import { describe, expect, it } from 'vitest';
import {
  conservativeProjection,
  contextEfficientProjection,
  findPolicyMistakes,
  parseProjectionPolicy,
} from '../../src/projection/policy.ts';

describe('a projection policy', () => {
  it('comes in two valid presets', () => {
    expect(findPolicyMistakes(conservativeProjection)).toEqual([]);
    expect(findPolicyMistakes(contextEfficientProjection)).toEqual([]);
    expect(parseProjectionPolicy(structuredClone(contextEfficientProjection))).toEqual(
      contextEfficientProjection,
    );
  });

  it.each([
    ['schema', 'a3s.code.tool-result-transform-policy.v2', ['/schema']],
    ['max_output_bytes', 1023, ['/max_output_bytes']],
    ['max_output_bytes', 102_401, ['/max_output_bytes']],
    ['max_output_bytes', 2048.5, ['/max_output_bytes']],
    ['max_output_bytes', '2048', ['/max_output_bytes']],
    ['head_bytes', 0, ['/head_bytes']],
    ['tail_bytes', -1, ['/tail_bytes']],
    ['fold_repeated_lines', 1, ['/fold_repeated_lines']],
    ['repeated_line_threshold', 1, ['/repeated_line_threshold']],
    ['repeated_line_threshold', 10_001, ['/repeated_line_threshold']],
    ['structured_sample_items', 1025, ['/structured_sample_items']],
    ['structured_sample_items', Number.NaN, ['/structured_sample_items']],
    ['colour/tint', 'red', ['/colour~1tint']],
    ['__proto__x', 1, ['/__proto__x']],
  ])('is refused with %s = %j, and the mistake has its path', (field, value, paths) => {
    const broken = { ...conservativeProjection, [field]: value };
    expect(findPolicyMistakes(broken).map(({ path }) => path)).toEqual(paths);
    expect(() => parseProjectionPolicy(broken)).toThrow(TypeError);
  });

  it('names every mistake at once', () => {
    const { head_bytes: _, ...broken } = { ...conservativeProjection, tail_bytes: null, more: 1 };
    expect(() => parseProjectionPolicy(broken)).toThrow(
      'Invalid projection policy: /head_bytes is missing; /tail_bytes must be an integer from 0 to 102400; ' +
        '/more is not a field; allowed are schema, max_output_bytes, head_bytes, tail_bytes, ' +
        'fold_repeated_lines, repeated_line_threshold, structured_sample_items',
    );
  });

  it.each([[null], [undefined], [[]], ['policy'], [7]])('is refused when it is %j', (value) => {
    expect(findPolicyMistakes(value)).toEqual([{ path: '', message: 'must be an object' }]);
    expect(() => parseProjectionPolicy(value)).toThrow('(policy) must be an object');
  });

  it.each([
    [102_400, 102_400, 0, true],
    [102_400, 102_399, 0, false],
    [102_400, 101_888, 0, true],
    [102_400, 101_889, 0, false],
    [1024, 256, 256, true],
    [1024, 256, 257, false],
    [1024, 1024, 1, false],
  ])('with the bound %i, head %i and tail %i keeps the reserve: %j', (...row) => {
    const [max, head, tail, isValid] = row;
    const policy = {
      ...conservativeProjection,
      max_output_bytes: max,
      head_bytes: head,
      tail_bytes: tail,
    };
    expect(findPolicyMistakes(policy).map(({ path }) => path)).toEqual(
      isValid ? [] : ['/head_bytes'],
    );
  });

  it('is frozen once parsed', () => {
    expect(Object.isFrozen(parseProjectionPolicy({ ...conservativeProjection }))).toBe(true);
  });
});
