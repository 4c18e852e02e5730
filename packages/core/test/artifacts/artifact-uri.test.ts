import { describe, expect, it } from 'vitest';
import { fromArtifactUri, toArtifactId, toArtifactUri } from '../../src/artifacts/artifact-uri.ts';

const sha256 = '0123456789abcdef'.repeat(4);

describe('the identity of an artifact', () => {
  it('is made of the tool and the content', () => {
    expect(toArtifactUri('bash', sha256)).toBe(`a3s://tool-output/bash/${sha256}`);
    expect(toArtifactId('bash', sha256)).toBe(`tool-output:bash:${sha256}`);
  });

  it.each([
    ['mcp__git-hub__Search', 'mcp__git-hub__Search'],
    ['a/b.c d', 'a_b_c_d'],
    ['../..', '_____'],
    ['😀é', '__'],
    ['', '_'],
  ])('writes the tool %j as %j', (tool, segment) => {
    expect(toArtifactUri(tool, sha256)).toBe(`a3s://tool-output/${segment}/${sha256}`);
    expect(fromArtifactUri(toArtifactUri(tool, sha256))).toEqual({ tool: segment, sha256 });
  });

  it.each([
    [`a3s://tool-output/bash/${sha256.toUpperCase()}`],
    [`a3s://tool-output/bash/${sha256}0`],
    [`a3s://tool-output/bash/${sha256}\n`],
    [` a3s://tool-output/bash/${sha256}`],
    [`a3s://tool-output/ba.sh/${sha256}`],
    [`a3s://tool-output//${sha256}`],
    [`a3s://tool-output/a/b/${sha256}`],
    [`a3s://tasks/bash/${sha256}`],
    [`file:///tool-output/bash/${sha256}`],
    ['src/a.ts'],
  ])('is not read from %j', (uri) => {
    expect(fromArtifactUri(uri)).toBeUndefined();
  });
});
